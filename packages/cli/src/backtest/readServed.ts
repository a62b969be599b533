import { type ChainProfile, trimEnd } from '@pit/protocol'
import { type Marks, servedMarks } from './marksFile.ts'
import { CommandRefused } from './refused.ts'

export interface MarksRequest {
  tokens: readonly string[]
  fromS: number
  toS: number
}

/** No server responds at this URL. */
export class NoServer extends CommandRefused {}

/** Prices that a running server serves at /marks/ETH.json: core tokens, the last three days. */
export async function readServedMarks(
  { url, profile }: { url: string; profile: Pick<ChainProfile, 'core_tokens'> | null },
  { tokens, fromS, toS }: MarksRequest,
  get: typeof fetch = fetch,
): Promise<Marks> {
  const marks: Marks = new Map()
  for (const token of tokens) {
    const symbol = profile?.core_tokens.find(
      ({ address }) => address.toLowerCase() === token.toLowerCase(),
    )?.symbol
    const path = `${trimEnd(url, '/')}/marks/${encodeURIComponent(symbol ?? token)}.json`
    const rows = servedMarks(await readList(get, path, token), path)
    marks.set(
      token,
      rows.filter(({ atS }) => atS >= fromS && atS <= toS),
    )
  }
  return marks
}

const TIMEOUT_MS = 15_000

async function readList(get: typeof fetch, path: string, token: string): Promise<unknown[]> {
  const response = await get(path, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' }).catch(
    (cause: unknown) => {
      throw new NoServer(`No server responds at ${path}.`, { cause })
    },
  )
  if (response.status === 404)
    throw new CommandRefused(`${token} is not a core token. The server stores prices of core tokens only.`)
  if (!response.ok)
    throw new CommandRefused(`${path} returned HTTP status ${response.status}. Try again in a minute.`)
  const rows: unknown = await response.json().catch(() => null)
  if (!Array.isArray(rows)) throw new CommandRefused(`${path} is not a list of prices. Check the server URL.`)
  return rows
}
