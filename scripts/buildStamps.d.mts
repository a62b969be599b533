type Entries = Readonly<Record<string, string>>
interface Metafile {
  inputs: Readonly<Record<string, { imports: readonly { path: string; external?: boolean }[] }>>
  outputs: Readonly<
    Record<string, { entryPoint?: string; inputs: Readonly<Record<string, { bytesInOutput: number }>> }>
  >
}
export function openStamps(options?: { file?: string; outdir?: string; shared?: readonly string[] }): {
  stale(entries: Entries): Entries
  drop(entries: Entries): void
  record(entries: Entries, metafile: Metafile): void
}
