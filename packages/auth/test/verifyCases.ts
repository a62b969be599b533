import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '@pit/platform/db'
import { type Answer, AUTH } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { type AuthCases, clock, codeOf, later, newWallet, openTestAuth } from './authWorld.ts'

export function verifyCases({ db, auth }: AuthCases): void {
  describe('verify', () => {
    it('exchanges a signature for a working key, and stores only its hash', async () => {
      const wallet = newWallet()
      const key = await auth().signIn(wallet)
      expect(key.api_key).toMatch(/^pit_w_[A-Za-z0-9_-]{43}$/)
      expect(key).toMatchObject({
        wallet: wallet.address,
        expires_at: clock.ms / 1000 + 2_592_000,
        partner_agent: null,
        account: { name: `${wallet.address.slice(0, 6)}...${wallet.address.slice(-4)}` },
      })
      expect(await auth().authenticateKey(key.api_key)).toEqual({
        keyId: key.key_id,
        accountId: key.account.id,
        wallet: wallet.address,
        expiresAtS: key.expires_at,
      })
      const dump = JSON.stringify(await db.query('select k::text from api_keys k'))
      expect(dump).not.toContain(key.api_key.slice(6))
    })

    it('keeps one account per wallet over many sign-ins, with older keys live', async () => {
      const wallet = newWallet()
      const first = await auth().signIn(wallet)
      const second = await auth().signIn(wallet)
      expect(second.account).toEqual(first.account)
      expect(second.key_id).not.toBe(first.key_id)
      expect(await auth().authenticateKey(first.api_key)).not.toBeNull()
    })

    it('takes the address in any case', async () => {
      const wallet = newWallet()
      const { message, nonce } = await auth().challenge({ address: wallet.address })
      const address = `0x${wallet.address.slice(2).toUpperCase()}`
      expect((await auth().verify({ address, signature: wallet.sign(message), nonce })).wallet).toBe(
        wallet.address,
      )
    })

    it('works once', async () => {
      const wallet = newWallet()
      const { message, nonce } = await auth().challenge({ address: wallet.address })
      const body = { address: wallet.address, signature: wallet.sign(message), nonce }
      await auth().verify(body)
      expect(await codeOf(auth().verify(body))).toBe('CHALLENGE_EXPIRED')
    })

    it('creates exactly one key for 64 concurrent verifies', async () => {
      const wallet = newWallet()
      const { message, nonce } = await auth().challenge({ address: wallet.address })
      const body = { address: wallet.address, signature: wallet.sign(message), nonce }
      const answers = await Promise.allSettled(
        Array.from({ length: 64 }, (_, i) => auth().verify(i % 2 ? body : { ...body, nonce: undefined })),
      )
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const answer of answers) {
        if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'CHALLENGE_EXPIRED' })
      }
      expect(await db.query('select id from api_keys where wallet = $1', [wallet.address])).toHaveLength(1)
      expect(await db.query('select id from accounts where wallet = $1', [wallet.address])).toHaveLength(1)
    })

    it('creates one account for concurrent first sign-ins', async () => {
      const wallet = newWallet()
      const challenges = await Promise.all(
        Array.from({ length: 5 }, () => auth().challenge({ address: wallet.address })),
      )
      const keys = await Promise.all(
        challenges.map(({ message, nonce }) =>
          auth().verify({ address: wallet.address, signature: wallet.sign(message), nonce }),
        ),
      )
      expect(new Set(keys.map(({ key_id }) => key_id)).size).toBe(5)
      expect(new Set(keys.map(({ account }) => account.id)).size).toBe(1)
    })

    it('expires after 300 s, to the second', async () => {
      const wallet = newWallet()
      const sign = async () => {
        const { message, nonce } = await auth().challenge({ address: wallet.address })
        return { address: wallet.address, signature: wallet.sign(message), nonce }
      }
      const early = await sign()
      later(299)
      await auth().verify(early)
      const late = await sign()
      later(300)
      expect(await codeOf(auth().verify(late))).toBe('CHALLENGE_EXPIRED')
    })

    it('accepts any open challenge without a nonce', async () => {
      const wallet = newWallet()
      const challenges = []
      for (let i = 0; i < 5; i++) challenges.push(await auth().challenge({ address: wallet.address }))
      for (const { message } of [challenges[0], challenges[4], challenges[2]].filter(
        (c) => c !== undefined,
      )) {
        await auth().verify({ address: wallet.address, signature: wallet.sign(message) })
      }
      const left = await db.query<{ nonce: string }>(
        'select nonce from challenges where wallet = $1 and used_at_s is null order by id',
        [wallet.address],
      )
      expect(left.map(({ nonce }) => nonce)).toEqual([challenges[1]?.nonce, challenges[3]?.nonce])
    })

    it('drops the oldest of six open challenges', async () => {
      const wallet = newWallet()
      const first = await auth().challenge({ address: wallet.address })
      const rest = []
      for (let i = 0; i < 5; i++) rest.push(await auth().challenge({ address: wallet.address }))
      const verify = ({ message, nonce }: Answer<'auth.challenge'>) =>
        auth().verify({ address: wallet.address, signature: wallet.sign(message), nonce })
      expect(await codeOf(verify(first))).toBe('CHALLENGE_EXPIRED')
      for (const challenge of rest) await verify(challenge)
    })

    it('stays within five open challenges under concurrency', async () => {
      const { address } = newWallet()
      // Each waits between adding its own and dropping the oldest, so that all add before any drops.
      const slow: Db = {
        ...db,
        transaction: (run, options) =>
          db.transaction(
            (sql) =>
              run({
                async query<Row>(text: string, values?: readonly unknown[]) {
                  const rows = await sql.query<Row>(text, values)
                  if (text.startsWith('insert into challenges')) await sleep(50)
                  return rows
                },
              }),
            options,
          ),
      }
      const own = await openTestAuth(slow)
      await Promise.all(Array.from({ length: 9 }, () => own.challenge({ address })))
      const open = await db.query('select id from challenges where wallet = $1 and used_at_s is null', [
        address,
      ])
      expect(open).toHaveLength(AUTH.maxOpenChallengesPerWallet)
      await own.close()
    })
  })
}
