import { parseSiweMessage, validateSiweMessage } from 'viem/siwe'
import { describe, expect, it } from 'vitest'
import { type AuthCases, CONFIG, clock, codeOf, crypto, newWallet, openTestAuth } from './authWorld.ts'

export function challengeCases({ db, auth }: AuthCases): void {
  describe('a challenge', () => {
    it('is an EIP-4361 message that another implementation reads and accepts', async () => {
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

    it('has a nonce of its own', async () => {
      const wallet = newWallet()
      const nonces = await Promise.all(
        Array.from({ length: 20 }, async () => (await auth().challenge({ address: wallet.address })).nonce),
      )
      expect(new Set(nonces).size).toBe(20)
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
