import { type Crypto, createCrypto, serializeSignature } from '@pit/chain'
import type { Db, Listener } from '@pit/platform/db'
import { withDb } from '@pit/platform/test/withStore'
import { AUTH } from '@pit/protocol'
import { beforeAll, expect, it } from 'vitest'
import { openAuth } from './openAuth.ts'

const caps = { signupsPerAddressDay: 1e6, signupsPerHour: 1e6, keysPerAddressDay: 1e6, keysPerHour: 1e6 }
const config = {
  authDomain: 'pit.example',
  publicUrl: 'https://pit.example',
  requirePartnerAgent: false,
  caps,
}
const clock = { nowMs: () => 1_800_000_000_000 }
type Purpose = 'sign-in' | 'revoke-all'

let crypto: Crypto
let wallets = 0
beforeAll(async () => {
  crypto = await createCrypto()
})

withDb('sign-in and a store that fails', (db) => {
  async function open(store: Db) {
    const auth = await openAuth({
      db: store,
      clock,
      crypto,
      isSanctioned: () => false,
      config,
    })
    const clientOf = (network: string) =>
      ({ networks: [{ id: network, cost: 1 }], admit: async () => {} }) as const
    const client = clientOf('192.0.2.1')
    const privateKey = `0x${(0xf000 + ++wallets).toString(16).padStart(64, '0')}` as const
    const address = crypto.addressOf(privateKey)
    const signed = async (purpose: Purpose) => {
      const { message, nonce } = await auth.challenge({ address, purpose }, client)
      return {
        address,
        nonce,
        signature: serializeSignature(crypto.sign(crypto.hashMessage(message), privateKey)),
      }
    }
    const signIn = async () => (await auth.verify(await signed('sign-in'), client)).api_key
    return { ...auth, client, clientOf, signed, signIn, address }
  }

  it('forgets a revoked key even if the commit’s response was lost', async () => {
    let losing = false
    const auth = await open({
      ...db,
      async transaction(run, options) {
        const result = await db.transaction(run, options)
        if (losing) throw new Error('the connection ended before the answer')
        return result
      },
    })
    const [one, other] = [await auth.signIn(), await auth.signIn()]
    const key = await auth.authenticateKey(one)
    expect([key, await auth.authenticateKey(other)]).not.toContain(null)
    const revokeAll = await auth.signed('revoke-all')
    losing = true
    await expect(auth.revoke(key!)).rejects.toThrow('before the answer')
    expect(await auth.authenticateKey(one)).toBeNull()
    await expect(auth.revokeAll(revokeAll, auth.client)).rejects.toThrow('before the answer')
    expect(await auth.authenticateKey(other)).toBeNull()
    await auth.close()
  })

  it('trusts no cached key once the store has been away', async () => {
    const listeners: Listener[] = []
    const auth = await open({
      ...db,
      listen(channel, listener) {
        listeners.push(listener)
        return db.listen(channel, listener)
      },
    })
    const text = await auth.signIn()
    expect(await auth.authenticateKey(text)).not.toBeNull()
    await db.query('update api_keys set revoked_at_s = 1 where wallet = $1', [auth.address])
    for (const listener of listeners) {
      listener.lost()
      listener.back()
    }
    expect(await auth.authenticateKey(text)).toBeNull()
    await auth.close()
  })

  it('keeps a wallet’s revoke-all open, however many sign-ins a stranger starts for it', async () => {
    const auth = await open(db)
    await auth.signIn()
    const revokeAll = await auth.signed('revoke-all')
    for (let i = 0; i < 3 * AUTH.maxOpenChallengesPerWallet; i++)
      await auth.challenge({ address: auth.address }, auth.clientOf('203.0.113.66'))
    expect(await auth.revokeAll(revokeAll, auth.client)).toMatchObject({ revoked: 1 })
    const open5 = await db.query('select id from challenges where wallet = $1 and used_at_s is null', [
      auth.address,
    ])
    expect(open5).toHaveLength(AUTH.maxOpenChallengesPerWallet)
    await auth.close()
  })

  it('does not query the store for unknown keys in known-only mode', async () => {
    let queries = 0
    const auth = await open({
      ...db,
      query: (text, values) => {
        queries++
        return db.query(text, values)
      },
    })
    const text = await auth.signIn()
    queries = 0
    expect(await auth.authenticateKey(text, 'known')).toBeNull()
    expect(queries).toBe(0)
    expect(await auth.authenticateKey(text)).not.toBeNull()
    expect(await auth.authenticateKey(text, 'known')).not.toBeNull()
    await auth.close()
  })
})
