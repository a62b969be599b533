import { describe, expect, it } from 'vitest'
import {
  type AuthCases,
  CAPS,
  CONFIG,
  caller,
  clock,
  codeOf,
  later,
  newWallet,
  openTestAuth,
  refused,
} from './authWorld.ts'

export function capCases({ db }: AuthCases): void {
  describe('caps', () => {
    const capped = (caps: Partial<typeof CAPS>) =>
      openTestAuth(db, { config: { ...CONFIG, caps: { ...CAPS, ...caps } } })

    it('count new accounts per address and day, exactly, under concurrency too', async () => {
      later(86_400)
      const own = await capped({ signupsPerAddressDay: 7 })
      const by = caller('198.51.100.7')
      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => own.signIn(newWallet(), by)))
      const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
      expect(answers.length - refusals.length).toBe(7)
      const untilMidnightS = 86_400 - ((clock.ms / 1000) % 86_400)
      for (const error of refusals) {
        expect(error).toMatchObject({ code: 'SIGNUP_CAPPED', status: 429, retryAfterS: untilMidnightS })
      }
      await own.signIn(newWallet(), caller('198.51.100.8'))
      later(untilMidnightS)
      await own.signIn(newWallet(), by)
      await own.close()
    })

    it('let a wallet with an account sign in past the cap on accounts, with the same challenge', async () => {
      const own = await capped({ signupsPerAddressDay: 1 })
      const by = caller('198.51.100.9')
      const wallet = newWallet()
      await own.signIn(wallet, by)
      await own.signIn(wallet, by)
      const stranger = newWallet()
      const { message, nonce } = await own.challenge({ address: stranger.address })
      const body = { address: stranger.address, signature: stranger.sign(message), nonce }
      expect(await codeOf(own.verify(body, by))).toBe('SIGNUP_CAPPED')
      await own.verify(body, caller('198.51.100.10'))
      await own.close()
    })

    it('count keys per address and day, a whole IPv6 /64 as one', async () => {
      const own = await capped({ keysPerAddressDay: 3 })
      const wallet = newWallet()
      for (const tail of ['1', 'abcd', 'ffff:1']) await own.signIn(wallet, caller(`2001:db8:0:1::${tail}`))
      const error = await refused(own.signIn(wallet, caller('2001:db8:0:1:9::9')))
      expect(error).toMatchObject({ code: 'KEYS_CAPPED', status: 429 })
      expect(error.retryAfterS).toBe(86_400 - ((clock.ms / 1000) % 86_400))
      await own.signIn(wallet, caller('2001:db8:0:2::1'))
      await own.close()
    })

    it('count a whole IPv6 /48 as eight /64', async () => {
      const own = await capped({ keysPerAddressDay: 1 })
      const wallet = newWallet()
      const from = (i: number) => caller(`2001:db8:48:${i}::1`)
      for (let i = 0; i < 8; i++) await own.signIn(wallet, from(i))
      expect(await codeOf(own.signIn(wallet, from(8)))).toBe('KEYS_CAPPED')
      await own.signIn(wallet, caller('2001:db8:49::1'))
      await own.close()
    })

    it('count keys of the whole service by the hour', async () => {
      later(3_600)
      const own = await capped({ keysPerHour: 5 })
      const answers = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) => own.signIn(newWallet(), caller(`203.0.113.${i}`))),
      )
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
      const error = await refused(own.signIn(newWallet(), caller('203.0.113.99')))
      const untilTheHourS = 3_600 - ((clock.ms / 1000) % 3_600)
      expect(error).toMatchObject({ code: 'KEYS_CAPPED', retryAfterS: untilTheHourS })
      later(untilTheHourS)
      await own.signIn(newWallet())
      await own.close()
    })
  })
}
