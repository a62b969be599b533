import type { RecordSource } from '@pit/league/rules'
import { trimEnd } from '@pit/protocol'
import { CommandRefused } from '../backtest/refused.ts'

const TIMEOUT_MS = 60_000
/** Maximum size of one file, decompressed. */
const MAX_BYTES = 64_000_000
const MAX_ENTRIES = 100_000

/** No server responds at this URL. */
export class NoServer extends CommandRefused {}

/** A season's rows as published by the server. */
export interface Published {
  rows: readonly Record<string, unknown>[]
}

/** Reads the record from a running server, in files of limited size. */
export function servedRecord(
  url: string,
  get: typeof fetch = fetch,
): RecordSource & { published(number: number): Promise<Published> } {
  const origin = trimEnd(url, '/')
  const file = <T>(number: number, name: string) =>
    readJson(get, `${origin}/league/records/${number}/${name}.json`) as Promise<T>
  return {
    async season(number) {
      const season = await file<Awaited<ReturnType<RecordSource['season']>>>(number, 'season')
      if (!('none' in season) && !(season.entries <= MAX_ENTRIES))
        throw new CommandRefused(
          `The server lists ${season.entries} entries, more than the maximum of ${MAX_ENTRIES}.`,
        )
      return season
    },
    entries: (number, page) => file(number, `entries-${page}`),
    marks: (number, token) => file(number, `marks-${token}`),
    published: (number) => readJson(get, `${origin}/api/v1/league/seasons/${number}`) as Promise<Published>,
  }
}

async function readJson(get: typeof fetch, address: string): Promise<unknown> {
  const response = await get(address, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' }).catch(
    (cause: unknown) => {
      throw new NoServer(`No server responds at ${address}.`, { cause })
    },
  )
  const text = await readText(response, address)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new CommandRefused(`${address} is not valid JSON. Check the server URL.`)
  }
  if (response.ok) {
    if (typeof value === 'object' && value !== null) return value
    throw new CommandRefused(`${address} is not a season record. Check the server URL.`)
  }
  const message = (value as { error?: { message?: unknown } } | null)?.error?.message
  throw new CommandRefused(
    typeof message === 'string' ? message : `${address} returned HTTP status ${response.status}.`,
  )
}

async function readText(response: Response, address: string): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > MAX_BYTES) throw new CommandRefused(`${address} is larger than ${MAX_BYTES} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
