import { type GlobalOptions, readTarget, type Target } from '../client/settings.ts'
import type { BacktestDeps } from './backtestCommand.ts'
import { type Marks, readMarksFile, writeMarksFile } from './marksFile.ts'
import { isoMinute } from './printBacktest.ts'
import { type MarksRequest, NoServer, readServedMarks } from './readServed.ts'
import { NoLocalStore, openStoredMarks, readStoredMarks, readStoreProfile } from './storedMarks.ts'

type Environment = Record<string, string | undefined>
interface Output {
  data(text: string): void
  say(text: string): void
}

/** Reads marks from the local store, or from the server that has it open. */
export const openBacktestDeps = (
  env: Environment,
  { data, say }: Output = { data: console.log, say: console.error },
): BacktestDeps => ({
  nowS: () => Math.floor(Date.now() / 1_000),
  print: data,
  readFile: readMarksFile,
  writeFile: writeMarksFile,
  async readStore(request, options) {
    try {
      return await fromStore(env, request)
    } catch (error) {
      if (!(error instanceof NoLocalStore)) throw error
      return fromServer(env, { request, options, say }, error)
    }
  },
  async readTokens(options) {
    const { core_tokens } = targetOf(options, env)?.profile ?? (await readStoreProfile(env))
    return core_tokens.map(({ address, symbol, decimals }) => ({
      address: address.toLowerCase() as `0x${string}`,
      symbol,
      decimals,
    }))
  },
})

async function fromStore(env: Environment, request: MarksRequest): Promise<Marks> {
  const { db, profile } = await openStoredMarks(env)
  try {
    return await readStoredMarks(db, { ...request, profile })
  } finally {
    await db.close()
  }
}

/** If no server responds either, reports why the store could not be opened. */
async function fromServer(
  env: Environment,
  { request, options, say }: { request: MarksRequest; options: GlobalOptions } & Pick<Output, 'say'>,
  why: NoLocalStore,
): Promise<Marks> {
  const target = targetOf(options, env)
  if (!target) throw why
  const marks = await readServedMarks(target, request).catch((error: unknown) => {
    throw error instanceof NoServer ? why : error
  })
  const firstS = Math.min(...[...marks.values()].flatMap(([first]) => first?.atS ?? []))
  say(`Prices from the server at ${target.url}, which serves the last three days.`)
  if (Number.isFinite(firstS) && firstS > request.fromS + 60)
    say(
      `They begin at ${isoMinute(firstS)}. For a longer time read the store itself: docs/reference/brains.md.`,
    )
  return marks
}

/** The URL alone is enough; the profile only maps addresses of core tokens to symbols. */
function targetOf(
  options: GlobalOptions,
  env: Environment,
): { url: string; profile: Target['profile'] | null } | null {
  try {
    return readTarget(options, env)
  } catch {
    const url = options.url ?? env['PIT_URL']
    return url === undefined ? null : { url, profile: null }
  }
}
