import { rename, rm, writeFile } from 'node:fs/promises'
import { SanctionsFileError } from '@pit/platform/parseSanctions'
import { listText, readTreasuryList, type TreasuryList } from '@pit/platform/treasuryList'
import { OperatorRefused } from '@pit/server/operator'

export interface SanctionsUpdate {
  source: string
  /** Where the list is put: SANCTIONS_FILE, and the signer's copy. */
  files: readonly string[]
}

/** Reads a list and writes it beside its places; they change together, once the store has taken it. */
export async function updateSanctions<T>(
  {
    open,
    nowMs,
    record,
  }: {
    open(source: string): Promise<AsyncIterable<Uint8Array>>
    nowMs(): number
    /** Refuses a list that is worse than the last. */
    record(list: TreasuryList): Promise<T>
  },
  { source, files }: SanctionsUpdate,
): Promise<T> {
  if (files.length === 0)
    throw new OperatorRefused('where shall the list be? Set SANCTIONS_FILE, or say --out <file>')
  const list = await readTreasuryList(await open(source)).catch((error: unknown) => {
    throw error instanceof SanctionsFileError ? new OperatorRefused(error.message) : error
  })
  const text = listText(list, { source, takenAtMs: nowMs() })
  const drafts = files.map((file) => ({ file, draft: `${file}.${process.pid}.new` }))
  try {
    for (const { draft } of drafts) await writeFile(draft, text, { mode: 0o644 })
    const taken = await record(list)
    for (const { file, draft } of drafts) await rename(draft, file)
    return taken
  } finally {
    await Promise.all(drafts.map(({ draft }) => rm(draft, { force: true })))
  }
}
