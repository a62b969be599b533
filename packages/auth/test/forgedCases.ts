import type { Answer } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { type AuthCases, CONFIG, codeOf, newWallet, openTestAuth, refused, type Wallet } from './authWorld.ts'

/** Signatures and challenges that are not for this sign-in. */
export function forgedCases({ db, auth }: AuthCases): void {
  describe('verify, forged', () => {
    it.each([
      ['another wallet’s', (message: string) => newWallet().sign(message)],
      ['one of another text', (message: string, wallet: Wallet) => wallet.sign(`${message} `)],
      ['zeros', () => `0x${'00'.repeat(65)}`],
      ['ones', () => `0x${'ff'.repeat(65)}`],
    ])('rejects a signature that is %s, and leaves the challenge open', async (_, forge) => {
      const wallet = newWallet()
      const { message, nonce } = await auth().challenge({ address: wallet.address })
      const forged = forge(message, wallet)
      const error = await refused(auth().verify({ address: wallet.address, signature: forged, nonce }))
      expect(error).toMatchObject({ code: 'BAD_SIGNATURE', status: 401 })
      await auth().verify({ address: wallet.address, signature: wallet.sign(message), nonce })
    })

    it('rejects a contract wallet’s signature with an explanation, and malformed text as such', async () => {
      const wallet = newWallet()
      await auth().challenge({ address: wallet.address })
      for (const signature of [`0x${'ab'.repeat(64)}`, `0x${'ab'.repeat(200)}`]) {
        const error = await refused(auth().verify({ address: wallet.address, signature }))
        expect(error).toMatchObject({ code: 'BAD_SIGNATURE', status: 401 })
        expect(error.message).toContain('EIP-1271')
      }
      const error = await refused(auth().verify({ address: wallet.address, signature: 'hello' }))
      expect(error).toMatchObject({ code: 'BAD_REQUEST', extras: { field: 'signature' } })
    })

    it('rejects a challenge made for another domain', async () => {
      const wallet = newWallet()
      const elsewhere = await openTestAuth(db, { config: { ...CONFIG, authDomain: 'evil.example' } })
      const { message, nonce } = await elsewhere.challenge({ address: wallet.address })
      const body = { address: wallet.address, signature: wallet.sign(message), nonce }
      expect(await codeOf(auth().verify(body))).toBe('BAD_SIGNATURE')
      await elsewhere.close()
    })

    it('rejects another wallet’s nonce', async () => {
      const [mine, theirs] = [newWallet(), newWallet()]
      const { message, nonce } = await auth().challenge({ address: theirs.address })
      const body = { address: mine.address, signature: mine.sign(message), nonce }
      expect(await codeOf(auth().verify(body))).toBe('CHALLENGE_EXPIRED')
    })

    it('never mixes purposes', async () => {
      const wallet = newWallet()
      const forRevoking = await auth().challenge({ address: wallet.address, purpose: 'revoke-all' })
      const forSigningIn = await auth().challenge({ address: wallet.address, purpose: 'sign-in' })
      expect(forRevoking.statement).toMatch(/revoke/i)
      const signed = ({ message, nonce }: Answer<'auth.challenge'>) => ({
        address: wallet.address,
        signature: wallet.sign(message),
        nonce,
      })
      expect(await codeOf(auth().verify(signed(forRevoking)))).toBe('CHALLENGE_EXPIRED')
      expect(await codeOf(auth().verify({ ...signed(forRevoking), nonce: undefined }))).toBe('BAD_SIGNATURE')
      expect(await codeOf(auth().revokeAll(signed(forSigningIn)))).toBe('CHALLENGE_EXPIRED')
      await auth().verify(signed(forSigningIn))
      expect((await auth().revokeAll(signed(forRevoking))).revoked).toBe(1)
    })
  })
}
