import { createCharge, createMemoryLimiter, ratesOf } from '@pit/http'
import { createMetrics } from '@pit/platform/monitoring'
import { parseSiweMessage, validateSiweMessage } from 'viem/siwe'
import { describe, expect, it } from 'vitest'
import {
  type AuthCases,
  CONFIG,
  caller,
  clock,
  codeOf,
  crypto,
  newWallet,
  openTestAuth,
} from './authWorld.ts'

export function challengeCases({ db, auth }: AuthCases): void {
  describe('a challenge', () => {
    it('is an EIP-4361 message that another implementation accepts', async () => {
      const wallet = newWallet()
      const challenge = await auth().challenge({ address: crypto.toChecksum(wallet.address) })
      const parsed = parseSiweMessage(challenge.message)
      expect(parsed).toMatchObject({
        domain: 'pit.example',
        address: crypto.toChecksum(wallet.address),
        uri: 'https://pit.example',
        version: '1',
        chainId: 4663,
        nonce: challenge.nonce,
        issuedAt: new Date(clock.ms),
        expirationTime: new Date(clock.ms + 300_000),
      })
      expect(parsed.statement).toBe(challenge.statement)
      expect(challenge.statement).toContain('Terms of Use')
      const time = new Date(clock.ms)
      expect(
        validateSiweMessage({ message: parsed, domain: 'pit.example', nonce: challenge.nonce, time }),
      ).toBe(true)
      expect(challenge).toMatchObject({
        address: wallet.address,
        domain: 'pit.example',
        chain_id: 4663,
        version: '1',
        issued_at: clock.ms / 1000,
        expires_at: clock.ms / 1000 + 300,
      })
    })

    it('has a unique nonce', async () => {
      const wallet = newWallet()
      const nonces = await Promise.all(
        Array.from({ length: 20 }, async () => (await auth().challenge({ address: wallet.address })).nonce),
      )
      expect(new Set(nonces).size).toBe(20)
    })

    describe('of a wallet', () => {
      const ask = (address: string, from: string, purpose?: string) =>
        auth().challenge({ address, ...(purpose && { purpose }) }, caller(from))
      const isOpen = async ({ nonce }: { nonce: string }) =>
        (await db.query('select 1 from challenges where nonce = $1', [nonce])).length === 1

      it('counts per requesting address, sign-in and revoke-all together', async () => {
        const { address } = newWallet()
        const own = [await ask(address, '192.0.2.7'), await ask(address, '192.0.2.7', 'revoke-all')]
        for (let i = 0; i < 10; i++) {
          await ask(address, '198.51.100.66', i % 2 === 0 ? 'revoke-all' : undefined)
          await ask(address, `2001:db8:0:66::${i}`)
        }
        expect(await Promise.all(own.map(isOpen))).toEqual([true, true])
        const open = await db.query<{ network: string; count: number }>(
          `select network, count(*)::int as count from challenges where wallet = $1 group by 1 order by 1`,
          [address],
        )
        expect(open).toEqual([
          { network: '192.0.2.7', count: 2 },
          { network: '198.51.100.66', count: 5 },
          { network: '2001:db8:0:66::/64', count: 5 },
        ])
        for (let i = 0; i < 4; i++) await ask(address, '192.0.2.7')
        expect(await Promise.all(own.map(isOpen))).toEqual([false, true])
      })

      it('is not evicted by a /48 full of strangers: 100 in total, and the busiest network loses', async () => {
        const wallet = newWallet()
        const own = await ask(wallet.address, '192.0.2.7')
        for (let i = 0; i < 120; i++) await ask(wallet.address, `2001:db8:66:${i.toString(16)}::1`)
        const open = await db.query('select id from challenges where wallet = $1', [wallet.address])
        expect(open).toHaveLength(100)
        // Without its nonce too: those of the same address are tried first.
        const body = { address: wallet.address, signature: wallet.sign(own.message) }
        expect(await auth().verify(body, caller('192.0.2.7'))).toMatchObject({ wallet: wallet.address })
      })
    })

    describe('of a wallet that strangers request', () => {
      const HOME = caller('192.0.2.7')
      const overallLimited = () => {
        const limiter = createMemoryLimiter({ rates: ratesOf({ scale: 1, overallFactor: 50 }) })
        const metrics = createMetrics({ withProcess: false })
        return createCharge({ limiter, clock, metrics })
      }

      it('stays open for the network that last signed in, however many others request one', async () => {
        const wallet = newWallet()
        await auth().signIn(wallet, HOME)
        const own = await auth().challenge({ address: wallet.address }, HOME)
        for (let i = 0; i < 120; i++)
          await auth().challenge({ address: wallet.address }, caller(`198.51.${100 + (i >> 6)}.${i & 63}`))
        const open = await db.query('select 1 from challenges where wallet = $1 and used_at_s is null', [
          wallet.address,
        ])
        expect(open).toHaveLength(100)
        const body = { address: wallet.address, signature: wallet.sign(own.message), nonce: own.nonce }
        expect(await auth().verify(body, HOME)).toMatchObject({ wallet: wallet.address })
      })

      it('stays open only where the newest signature came from', async () => {
        const wallet = newWallet()
        await auth().signIn(wallet, HOME)
        await auth().signIn(wallet, caller('203.0.113.9'))
        const { nonce } = await auth().challenge({ address: wallet.address }, HOME)
        for (let i = 0; i < 120; i++)
          await auth().challenge({ address: wallet.address }, caller(`198.51.${100 + (i >> 6)}.${i & 63}`))
        expect(await db.query('select 1 from challenges where nonce = $1', [nonce])).toEqual([])
      })

      it('is still issued to and accepted from its owner when strangers used up the overall bucket', async () => {
        const charge = overallLimited()
        // Two processes on one store and one limiter, as with Redis.
        const [one, two] = [await openTestAuth(db, { charge }), await openTestAuth(db, { charge })]
        const [wallet, other] = [newWallet(), newWallet()]
        await one.signIn(wallet, HOME)
        const flood = async () => {
          for (let i = 0; i < 600; i++)
            await two.challenge({ address: other.address }, caller(`203.0.113.${i % 60}`)).catch(() => {})
        }
        await flood()
        const stranger = caller('198.51.100.7')
        for (const address of [other.address, wallet.address])
          expect(await codeOf(two.challenge({ address }, stranger))).toBe('RATE_LIMITED')
        const { message, nonce } = await two.challenge({ address: wallet.address }, HOME)
        const body = { address: wallet.address, signature: wallet.sign(message), nonce }
        expect(await codeOf(two.verify(body, stranger))).toBe('RATE_LIMITED')
        expect(await one.verify(body, HOME)).toMatchObject({ wallet: wallet.address })
        const revoke = await one.challenge({ address: wallet.address, purpose: 'revoke-all' }, HOME)
        const signed = {
          address: wallet.address,
          signature: wallet.sign(revoke.message),
          nonce: revoke.nonce,
        }
        expect(await two.revokeAll(signed, HOME)).toMatchObject({ revoked: 2 })
        expect(await codeOf(two.challenge({ address: other.address }, HOME))).toBe('RATE_LIMITED')
        await Promise.all([one.close(), two.close()])
      })

      it('stores no client address with the account', async () => {
        const wallet = newWallet()
        await auth().signIn(wallet, HOME)
        const rows = await db.query('select * from accounts where wallet = $1', [wallet.address])
        expect(rows).toMatchObject([{ signed_in_from: expect.stringMatching(/^[0-9a-f]{64}$/) }])
        expect(JSON.stringify(rows)).not.toContain('192.0.2')
      })
    })

    it('is refused while no domain is set', async () => {
      const off = await openTestAuth(db, { config: { ...CONFIG, authDomain: null } })
      const { address } = newWallet()
      expect(await codeOf(off.challenge({ address }))).toBe('AUTH_DOMAIN_UNSET')
      expect(await codeOf(off.verify({ address, signature: `0x${'11'.repeat(65)}` }))).toBe(
        'AUTH_DOMAIN_UNSET',
      )
      await off.close()
    })
  })
}
