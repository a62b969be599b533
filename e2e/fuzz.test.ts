import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judge } from './fuzz/judge.ts'
import { makeRequest } from './fuzz/makeRequest.ts'
import { createRandom } from './fuzz/random.ts'
import { sendRaw } from './rawHttp.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'

// A million by hand: FUZZ_REQUESTS=1000000 npx vitest run e2e/fuzz.test.ts; FUZZ_SEED changes the seed.
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 20_000)
const SEED = Number(process.env['FUZZ_SEED'] ?? 4663)
const AT_ONCE = 32
const SLOW = 16

let server: ServerProcess
beforeAll(async () => {
  // Wide rate limits, so that requests reach the code behind them.
  server = await startServerProcess({
    RATE_LIMIT_SCALE: '1000000',
    KEYS_PER_ADDRESS_DAY: '1000000000',
    SIGNUPS_PER_ADDRESS_DAY: '1000000000',
    KEYS_PER_HOUR: '1000000000',
    SIGNUPS_PER_HOUR: '1000000000',
  })
})
afterAll(() => server.stop())

describe(`${REQUESTS} requests from seed ${SEED}`, () => {
  it(
    'are answered as documented, in the envelope, by a server that stays up',
    async () => {
      console.log(`FUZZ_SEED=${SEED} FUZZ_REQUESTS=${REQUESTS}`)
      const random = createRandom(SEED)
      const problems: string[] = []
      const statuses = new Map<number, number>()
      let key = await server.signIn()
      let sent = 0
      const slow = Array.from({ length: SLOW }, (_, i) => sendSlowly(i))

      async function worker(): Promise<void> {
        while (sent < REQUESTS && problems.length < 10) {
          const index = sent++
          const used = key
          const request = makeRequest(random, used)
          const from = `127.0.${random.below(250)}.${1 + random.below(250)}`
          const answer = await sendRaw(server.port, request.bytes, { halfClose: request.halfClose, from })
          const problem = judge(request, answer, used)
          if (problem !== null) {
            const seen = answer === null ? '' : `\n<- ${answer.status} ${answer.body.slice(0, 300)}`
            problems.push(
              `#${index} ${problem}\n-> ` +
                `${JSON.stringify(request.bytes.toString('latin1').slice(0, 600))}${seen}`,
            )
          }
          statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1)
          // Fuzzing also calls auth/revoke: continue with another key.
          if (request.route.id === 'auth.revoke' && answer?.status === 200 && key === used)
            key = await server.signIn()
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      expect(problems.join('\n\n')).toBe('')
      for (const answer of await Promise.all(slow)) {
        expect([answer?.status, JSON.parse(answer?.body ?? '{}')]).toMatchObject([
          400,
          { error: { code: 'BAD_REQUEST' } },
        ])
      }
      console.log(
        [...statuses]
          .sort(([a], [b]) => a - b)
          .map(([status, count]) => `${status}: ${count}`)
          .join(', '),
      )
      for (const status of [200, 400, 401, 403, 404, 405, 411, 413, 421, 451, 503]) {
        expect(
          statuses.get(status),
          `no ${status} among the answers: the fuzz no longer covers it`,
        ).toBeGreaterThan(0)
      }
      expect(server.isAlive()).toBe(true)
      const health = await fetch(`${server.url}/api/v1/health`)
      expect(health.status).toBe(200)
      expect(server.output()).not.toMatch(/unexpected exception|undocumented refusal|pit_w_[A-Za-z0-9_-]{20}/)
    },
    120_000 + REQUESTS * 20,
  )
})

/** A body or head sent byte by byte that never ends. */
function sendSlowly(i: number) {
  const whole =
    i % 2 === 0
      ? 'POST /api/v1/auth/challenge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n'
      : 'GET /api/v1/config HTTP/1.1\r\nHost: localhost\r\n'
  const drip = Array.from({ length: 200 }, () => Buffer.from(i % 2 === 0 ? ' ' : 'x'))
  return sendRaw(server.port, [Buffer.from(whole), ...drip], { pauseMs: 200, timeoutMs: 60_000 })
}
