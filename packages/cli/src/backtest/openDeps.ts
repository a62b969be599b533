import type { BacktestDeps } from './backtestCommand.ts'
import { readMarksFile, writeMarksFile } from './marksFile.ts'
import { openStoredMarks, readStoredMarks } from './storedMarks.ts'

/** The command on this machine: files here, marks from the store the environment names. */
export const openBacktestDeps = (env: Record<string, string | undefined>): BacktestDeps => ({
  nowS: () => Math.floor(Date.now() / 1_000),
  print: (text) => console.log(text),
  readFile: readMarksFile,
  writeFile: writeMarksFile,
  async readStore(ask) {
    const { db, profile } = await openStoredMarks(env)
    try {
      return await readStoredMarks(db, { ...ask, profile })
    } finally {
      await db.close()
    }
  },
})
