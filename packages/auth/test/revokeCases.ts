import { expect, it } from 'vitest'
import { type AuthCases, codeOf, later, newWallet, openTestAuth, refused } from './authWorld.ts'

export function revokeCases({ db, auth }: AuthCases): void {
  it('rejects sanctioned wallets at both steps, but lets them revoke', async () => {
    const wallet = newWallet()
    const key = await auth().signIn(wallet)
    const { message, nonce } = await auth().challenge({ address: wallet.address })
    const own = await openTestAuth(db, { isSanctioned: (address) => address === wallet.address })
    const expected = { code: 'SANCTIONED', status: 451, extras: { field: 'wallet' } }
    const shouted = `0x${wallet.address.slice(2).toUpperCase()}`
    expect(await refused(own.challenge({ address: shouted }))).toMatchObject(expected)
    const body = { address: shouted, signature: wallet.sign(message), nonce }
    expect(await refused(own.verify(body))).toMatchObject(expected)
    const revoke = await own.challenge({ address: wallet.address, purpose: 'revoke-all' })
    const signature = wallet.sign(revoke.message)
    expect(await own.revokeAll({ address: wallet.address, signature, nonce: revoke.nonce })).toMatchObject({
      revoked: 1,
    })
    expect(await own.authenticateKey(key.api_key)).toBeNull()
    await own.close()
  })

  it('revoke-all ends every key of the wallet and returns how many were live', async () => {
    const [wallet, bystander] = [newWallet(), newWallet()]
    const expired = await auth().signIn(wallet)
    later(2_592_000)
    const live = [await auth().signIn(wallet), await auth().signIn(wallet), await auth().signIn(wallet)]
    const others = await auth().signIn(bystander)
    const first = live[0]
    if (!first) throw new Error('no key')
    const stored = await auth().authenticateKey(first.api_key)
    await auth().revoke(stored!)
    const revoke = async () => {
      const { message, nonce } = await auth().challenge({ address: wallet.address, purpose: 'revoke-all' })
      return { address: wallet.address, signature: wallet.sign(message), nonce }
    }
    const body = await revoke()
    expect(await auth().revokeAll(body)).toMatchObject({ wallet: wallet.address, revoked: 2 })
    for (const { api_key } of [expired, ...live]) expect(await auth().authenticateKey(api_key)).toBeNull()
    expect(await auth().authenticateKey(others.api_key)).not.toBeNull()
    expect(await codeOf(auth().revokeAll(body))).toBe('CHALLENGE_EXPIRED')
    expect(await auth().revokeAll(await revoke())).toMatchObject({ revoked: 0 })
    expect(await auth().authenticateKey((await auth().signIn(wallet)).api_key)).not.toBeNull()
  })
}
