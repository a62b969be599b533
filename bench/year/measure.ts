import { Agent, request } from 'node:http'
import { quantile } from '../trade/measure.ts'
import type { Probe } from './probes.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 4, noDelay: true })

interface Asked {
  status: number
  bytes: number
  ms: number
}

function ask(base: string, { path, key, body }: Probe): Promise<Asked> {
  const text = body && JSON.stringify(body)
  const startedMs = performance.now()
  return new Promise((resolve, reject) => {
    const call = request(
      `${base}/api/v1/${path}`,
      {
        agent,
        method: text ? 'POST' : 'GET',
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (response) => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, bytes, ms: performance.now() - startedMs }),
        )
      },
    )
    call.on('error', reject)
    call.end(text)
  })
}

export interface Measured {
  name: string
  status: { empty: number; year: number }
  bytes: number
  cold: { empty: number; year: number }
  p50: { empty: number; year: number }
  p99: { empty: number; year: number }
}

const MOST = 2
const BLOCKS = 5
/** Smaller differences come from the machine and not from the store. */
const NOISE_MS = 1

/** Each route on the empty store and on the year's in turn, so that a busy minute hits both. */
export async function measure(
  urls: { empty: string; year: string },
  probes: readonly Probe[],
  rounds: number,
): Promise<Measured[]> {
  const all: Measured[] = []
  for (const probe of probes) {
    const first = { empty: await ask(urls.empty, probe), year: await ask(urls.year, probe) }
    const times = { empty: [] as number[], year: [] as number[] }
    for (let round = -5; round < rounds; round++) {
      for (const store of round % 2 === 0 ? (['empty', 'year'] as const) : (['year', 'empty'] as const)) {
        const { ms } = await ask(urls[store], probe)
        if (round >= 0) times[store].push(ms)
      }
    }
    // The median of five parts: a slower store is slower in each, a busy moment of the machine in one.
    const middle = (list: readonly number[], share: number) => {
      const length = Math.ceil(list.length / BLOCKS)
      const parts = Array.from({ length: BLOCKS }, (_, i) => list.slice(i * length, (i + 1) * length))
      return quantile(
        parts.filter((part) => part.length > 0).map((part) => quantile(part, share)),
        0.5,
      )
    }
    const of = (share: number) => ({ empty: middle(times.empty, share), year: middle(times.year, share) })
    all.push({
      name: probe.name,
      status: { empty: first.empty.status, year: first.year.status },
      bytes: first.year.bytes,
      cold: { empty: first.empty.ms, year: first.year.ms },
      p50: of(0.5),
      p99: of(0.99),
    })
  }
  return all
}

const isOver = ({ p99 }: Measured): boolean => p99.year > MOST * p99.empty && p99.year - p99.empty > NOISE_MS
const differs = ({ status }: Measured): boolean => status.empty !== status.year

/** A refusal is fast and does not show the time of an answer. */
export const isMissed = (one: Measured): boolean => isOver(one) || differs(one)

export function printMeasured(all: readonly Measured[]): void {
  console.log(
    '| route | status empty/year | bytes | first, ms | p50 empty | year | ratio | p99 empty | year | ratio |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|---|')
  const ms = (value: number) => value.toFixed(2)
  for (const one of all) {
    const { name, status, bytes, cold, p50, p99 } = one
    const ratio = (of: { empty: number; year: number }) => (of.year / of.empty).toFixed(2)
    const cells = [
      ...[name, `${status.empty}/${status.year}`, bytes, `${ms(cold.empty)} / ${ms(cold.year)}`],
      ...[ms(p50.empty), ms(p50.year), ratio(p50), ms(p99.empty), ms(p99.year)],
      `${ratio(p99)}${isOver(one) ? ' OVER 2' : ''}`,
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  const names = (which: (one: Measured) => boolean) =>
    all
      .filter(which)
      .map(({ name }) => name)
      .join(', ') || 'none'
  console.log(
    `${all.length} routes; p99 over ${MOST}x of the empty store's: ${names(isOver)}; ` +
      `another status: ${names(differs)}`,
  )
}
