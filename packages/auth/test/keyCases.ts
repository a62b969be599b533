import type { Db } from '@pit/platform/db'
import { describe, expect, it } from 'vitest'
import { type AuthCases, later, newWallet, openTestAuth } from './authWorld.ts'

function signal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { give, given }
}

export function keyCases({ db, auth }: AuthCases): void {
  describe('a key', () => {
    it('expires 30 days after sign-in, even if used just before', async () => {
      const key = await auth().signIn(newWallet())
      later(2_592_000 - 1)
      expect(await auth().authenticateKey(key.api_key)).not.toBeNull()
      later(1)
      expect(await auth().authenticateKey(key.api_key)).toBeNull()
    })

    it.each([
      '',
      'pit_w_',
      'nonsense',
      `pit_w_${'A'.repeat(43)}`,
      `pit_w_${'A'.repeat(44)}`,
      `PIT_W_${'A'.repeat(43)}`,
    ])('is not %j', async (text) => expect(await auth().authenticateKey(text)).toBeNull())

    it('stops working at once when revoked; other keys of its wallet keep working', async () => {
      const wallet = newWallet()
      const [key, other] = [await auth().signIn(wallet), await auth().signIn(wallet)]
      const stored = await auth().authenticateKey(key.api_key)
      expect(await auth().revoke(stored!)).toEqual({
        revoked: true,
        key_id: key.key_id,
        wallet: wallet.address,
      })
      expect(await auth().authenticateKey(key.api_key)).toBeNull()
      expect(await auth().authenticateKey(other.api_key)).not.toBeNull()
    })

    it('is not kept alive by a look-up that read it just before it was revoked', async () => {
      const key = await auth().signIn(newWallet())
      const firstKey = await auth().authenticateKey(key.api_key)
      const [gate, read] = [signal(), signal()]
      let lookups = 0
      const slow: Db = {
        ...db,
        async query<Row>(text: string, values?: readonly unknown[]) {
          const rows = await db.query<Row>(text, values)
          if (lookups++ === 0) {
            read.give()
            await gate.given
          }
          return rows
        },
      }
      const own = await openTestAuth(slow)
      const early = own.authenticateKey(key.api_key)
      await read.given
      await own.revoke(firstKey!)
      // After the revocation: it must not share the earlier look-up, nor use its cached result.
      expect(await own.authenticateKey(key.api_key)).toBeNull()
      gate.give()
      expect(await early).not.toBeNull()
      expect(await own.authenticateKey(key.api_key)).toBeNull()
      await own.close()
    })

    it('is read from the store once for many requests', async () => {
      const key = await auth().signIn(newWallet())
      let queries = 0
      const counted: Db = {
        ...db,
        query: (text, values) => {
          queries++
          return db.query(text, values)
        },
      }
      const own = await openTestAuth(counted)
      await Promise.all(Array.from({ length: 50 }, () => own.authenticateKey(key.api_key)))
      for (let i = 0; i < 50; i++) expect(await own.authenticateKey(key.api_key)).not.toBeNull()
      expect(queries).toBe(1)
      await own.close()
    })
  })
}
