import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { BUCKETS } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'

// A minute by hand: RATES_S=60 npx vitest run e2e/rates.test.ts; with REDIS_URL set, through that Redis.
const SECONDS = Number(process.env['RATES_S'] ?? 5)
const CLIENTS = 64
const { burst, ratePerS } = BUCKETS.key
const MEMORY_SLACK_BYTES = 64 * 1024 * 1024

interface Seen {
  ok: number
  limited: number
  /** Refused right after a wait of exactly Retry-After. */
  refusedAfterWaiting: number
  others: string[]
}

let server: ServerProcess
const keys: string[] = []
beforeAll(async () => {
  const redisUrl = process.env['REDIS_URL']
  server = await startServerProcess(redisUrl === undefined ? {} : { REDIS_URL: redisUrl })
  const addresses = Array.from({ length: CLIENTS }, (_, i) => `10.1.0.${i + 1}`)
  keys.push(...(await Promise.all(addresses.map((address) => server.signIn(address)))))
})
afterAll(() => server.stop())

describe(`${CLIENTS} clients at twice the allowed rate for ${SECONDS} s`, () => {
  it(
    'see 200 and 429 only; a client that waits Retry-After is admitted; memory stays flat',
    async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
      await Promise.all(keys.map((key) => ask(agent, key)))
      const rssBefore = server.rssBytes()
      const startedMs = performance.now()
      const endMs = startedMs + SECONDS * 1000
      const clients = await Promise.all(
        keys.map((key, i) => (i % 2 === 0 ? hammer(agent, key, endMs) : wait(agent, key, endMs))),
      )
      const elapsedS = (performance.now() - startedMs) / 1000
      agent.destroy()

      const all = clients.reduce(
        (sum, { ok, limited }) => ({ ok: sum.ok + ok, limited: sum.limited + limited }),
        { ok: 0, limited: 0 },
      )
      const grownBytes = server.rssBytes() - rssBefore
      console.log(
        `${all.ok} answered, ${all.limited} limited in ${elapsedS.toFixed(1)} s; ` +
          `memory ${(rssBefore / 2 ** 20).toFixed(0)} MiB, then ${(grownBytes / 2 ** 20).toFixed(1)} more`,
      )
      expect(clients.flatMap(({ others }) => others)).toEqual([])
      expect(clients.filter(({ refusedAfterWaiting }) => refusedAfterWaiting > 0)).toEqual([])
      const most = burst + Math.ceil(elapsedS * ratePerS) + 1
      for (const { ok, limited } of clients) {
        expect(ok).toBeLessThanOrEqual(most)
        // Less only if this machine could not send requests that fast.
        expect(ok).toBeGreaterThanOrEqual(Math.min(ok + limited, Math.floor(SECONDS * ratePerS * 0.5)))
      }
      expect(all.limited).toBeGreaterThan(0)
      expect(grownBytes).toBeLessThan(MEMORY_SLACK_BYTES)
      expect(server.isAlive()).toBe(true)
    },
    60_000 + SECONDS * 2_000,
  )
})

/** Sends twice the allowed rate, whatever the answers. */
async function hammer(agent: Agent, key: string, endMs: number): Promise<Seen> {
  const seen = nothing()
  const everyMs = 1000 / (2 * ratePerS)
  for (let nextMs = performance.now(); nextMs < endMs; nextMs += everyMs) {
    await sleep(Math.max(0, nextMs - performance.now()))
    note(seen, await ask(agent, key))
  }
  return seen
}

/** Just as fast, but after a refusal it waits exactly Retry-After. */
async function wait(agent: Agent, key: string, endMs: number): Promise<Seen> {
  const seen = nothing()
  let waited = false
  while (performance.now() < endMs) {
    const answer = await ask(agent, key)
    note(seen, answer)
    if (answer.status === 429 && waited) seen.refusedAfterWaiting += 1
    waited = answer.status === 429
    await sleep(waited ? answer.retryAfterS * 1000 : 1000 / (2 * ratePerS))
  }
  return seen
}

const nothing = (): Seen => ({ ok: 0, limited: 0, refusedAfterWaiting: 0, others: [] })

function note(seen: Seen, { status, retryAfterS, text }: Asked): void {
  if (status === 200) seen.ok += 1
  else if (status === 429 && retryAfterS >= 1 && text.includes('"RATE_LIMITED"')) seen.limited += 1
  else seen.others.push(`${status} ${text}`)
}

interface Asked {
  status: number
  retryAfterS: number
  text: string
}

function ask(agent: Agent, key: string): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    const outgoing = request(`${server.url}/api/v1/auth/me`, { agent, headers }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, retryAfterS: Number(res.headers['retry-after'] ?? 0), text }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
