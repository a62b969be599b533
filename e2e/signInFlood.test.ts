import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, type RedisProcess, startRedis } from './redisProcess.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'

// 60 addresses use up the sign-ins of all callers; the owner of a wallet can still sign in.
const OWNER = '10.0.0.1'
const STRANGERS = 60
const EACH = 10

interface Said {
  message: string
  nonce: string
  error?: { bucket?: string }
}

describe.each([
  { limits: 'in memory', isShared: false },
  { limits: 'in Redis', isShared: true },
])('sign-in with limits $limits', ({ isShared }) => {
  describe.skipIf(isShared && !hasRedis)(
    isShared && !hasRedis ? 'redis-server is missing: skipped' : '',
    () => {
      let redis: RedisProcess | undefined
      let server: ServerProcess
      beforeAll(async () => {
        redis = isShared ? await startRedis() : undefined
        server = await startServerProcess({
          ...(redis && { REDIS_URL: redis.url }),
          LOG_LEVEL: 'error',
          // A busy machine must not cause refusals.
          MAX_LOOP_DELAY_MS: '60000',
        })
      })
      afterAll(async () => {
        await server?.stop()
        redis?.stop()
      })

      const post = async (path: string, body: object, address: string) => {
        const answer = await fetch(`${server.url}/api/v1/auth/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
          body: JSON.stringify(body),
        })
        return { status: answer.status, body: (await answer.json()) as Said }
      }

      it('admits the owner from the network of the last sign-in, and no stranger who names the wallet', async () => {
        const wallet = privateKeyToAccount(generatePrivateKey())
        const signIn = async (address: string) => {
          const { status, body } = await post('challenge', { address: wallet.address }, address)
          if (status !== 200) return status
          const signature = await wallet.signMessage({ message: body.message })
          return (await post('verify', { address: wallet.address, signature, nonce: body.nonce }, address))
            .status
        }
        expect(await signIn(OWNER)).toBe(200)
        const statuses: number[] = []
        // The bucket refills while a slow machine works.
        for (let i = 0; i < EACH || (i < 20 * EACH && !statuses.includes(429)); i++) {
          const round = Array.from({ length: STRANGERS }, (_, j) =>
            post('challenge', { address: wallet.address }, `10.66.0.${j}`),
          )
          statuses.push(...(await Promise.all(round)).map(({ status }) => status))
        }
        expect(new Set(statuses)).toEqual(new Set([200, 429]))
        // For the same reason the probe is sent with a burst.
        const probe = async (round: number) => {
          const burst = Array.from({ length: STRANGERS }, (_, j) =>
            post('challenge', { address: wallet.address }, `10.67.${round}.${j}`),
          )
          const answer = await post('challenge', { address: wallet.address }, `10.77.${round}.1`)
          await Promise.all(burst)
          return answer
        }
        let refused = await probe(0)
        for (let round = 1; round < 20 && refused.status === 200; round++) refused = await probe(round)
        expect(refused).toMatchObject({ status: 429, body: { error: { bucket: 'auth.overall' } } })
        expect(await signIn(OWNER)).toBe(200)
      })
    },
  )
})
