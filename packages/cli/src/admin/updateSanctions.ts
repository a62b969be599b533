import { rename, rm, writeFile } from 'node:fs/promises'
import { SanctionsFileError } from '@pit/platform/sanctions'
import { OperatorRefused } from '@pit/server/operator'
import { listText, readTreasuryList, type TreasuryList } from './treasuryList/index.ts'

export interface SanctionsUpdate {
  source: string
  /** Files to write: SANCTIONS_FILE and the signer's copy. */
  files: readonly string[]
}

/** Reads a list and writes drafts; the files are replaced together once the store has accepted the list. */
export async function updateSanctions<T>(
  {
    open,
    nowMs,
    record,
  }: {
    open(source: string): Promise<AsyncIterable<Uint8Array>>
    nowMs(): number
    /** Refuses a list that is older or much shorter than the last. */
    record(list: TreasuryList): Promise<T>
  },
  { source, files }: SanctionsUpdate,
): Promise<T> {
  if (files.length === 0)
    throw new OperatorRefused('No file to write the list to. Set SANCTIONS_FILE, or use --out <file>.')
  const list = await readTreasuryList(await open(source)).catch((error: unknown) => {
    throw error instanceof SanctionsFileError ? new OperatorRefused(error.message) : error
  })
  const text = listText(list, { source, takenAtMs: nowMs() })
  const drafts = files.map((file) => ({ file, draft: `${file}.${process.pid}.new` }))
  try {
    for (const { draft } of drafts) await writeFile(draft, text, { mode: 0o644 })
    const recorded = await record(list)
    for (const { file, draft } of drafts) await rename(draft, file)
    return recorded
  } finally {
    await Promise.all(drafts.map(({ draft }) => rm(draft, { force: true })))
  }
}
