type Entries = Readonly<Record<string, string>>
interface Metafile {
  inputs: Readonly<Record<string, { imports: readonly { path: string; external?: boolean }[] }>>
}
export function openStamps(options?: { file?: string; outdir?: string; shared?: readonly string[] }): {
  stale(entries: Entries): Entries
  drop(entries: Entries): void
  record(entries: Entries, metafile: Metafile): void
}
