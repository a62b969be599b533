import { setTimeout as sleep } from 'node:timers/promises'
import { withDb } from '@pit/platform/test/withStore'
import { beforeAll, expect, it } from 'vitest'
import { later, newWallet, openTestAuth, type TestAuth } from '../test/authWorld.ts'
import { capCases } from '../test/capCases.ts'
import { challengeCases } from '../test/challengeCases.ts'
import { forgedCases } from '../test/forgedCases.ts'
import { keyCases } from '../test/keyCases.ts'
import { registryCases } from '../test/registryCases.ts'
import { revokeCases } from '../test/revokeCases.ts'
import { verifyCases } from '../test/verifyCases.ts'

// The cases are in ../test and share one store of each kind.
withDb('sign-in', (db, store) => {
  let auth: TestAuth
  beforeAll(async () => {
    auth = await openTestAuth(db)
  })
  const cases = { db, auth: () => auth }

  challengeCases(cases)
  verifyCases(cases)
  forgedCases(cases)
  capCases(cases)
  registryCases(cases)
  revokeCases(cases)
  keyCases(cases)

  it('sweeps expired challenges and counts, and keeps the rest', async () => {
    later(5 * 86_400)
    const wallet = newWallet()
    const { message, nonce } = await auth.challenge({ address: wallet.address })
    expect(await auth.sweep()).toBeGreaterThan(10)
    expect(await db.query('select nonce from challenges')).toEqual([{ nonce }])
    expect(await db.query('select scope from issue_counts')).toEqual([])
    await auth.verify({ address: wallet.address, signature: wallet.sign(message), nonce })
    expect(await auth.sweep()).toBe(0)
  })

  it('keeps expired keys and unused accounts for 90 days', async () => {
    const own = await openTestAuth(db, {
      accountsInUse: async (_sql, accounts) =>
        new Set(accounts.flatMap((account) => (account.wallet === entered.address ? [account.id] : []))),
    })
    const [gone, entered] = [newWallet(), newWallet()]
    const left = async () => ({
      keys: (await db.query('select 1 from api_keys where wallet = $1', [gone.address])).length,
      accounts: (
        await db.query<{ wallet: string }>('select wallet from accounts where wallet = any($1::text[])', [
          [gone.address, entered.address],
        ])
      ).map(({ wallet }) => wallet),
    })
    await own.signIn(gone)
    await own.signIn(entered)
    const LIFE_S = 30 * 86_400
    later(LIFE_S + 89 * 86_400)
    await own.sweep()
    expect(await left()).toEqual({ keys: 1, accounts: [gone.address, entered.address] })
    later(2 * 86_400)
    await own.sweep()
    expect(await left()).toEqual({ keys: 0, accounts: [entered.address] })
    // An account with a key stays, however old.
    await own.signIn(entered)
    await own.sweep()
    expect((await left()).accounts).toEqual([entered.address])
    await own.close()
  })

  it('reach another process on the same store at once', async ({ skip }) => {
    const { openSecond } = store()
    if (!openSecond) return skip('the embedded store has one process')
    const here = await openTestAuth(db)
    const there = await openTestAuth(await openSecond())
    const revokeHere = async (text: string) => here.revoke((await here.authenticateKey(text))!)

    const key = await here.signIn(newWallet())
    expect(await there.authenticateKey(key.api_key)).not.toBeNull()
    await revokeHere(key.api_key)
    // The clock stands still: only the notification can inform the other process.
    await expect.poll(() => there.authenticateKey(key.api_key), { interval: 5 }).toBeNull()

    // With the listener's connection cut nothing is cached, so nothing can be stale.
    const second = await here.signIn(newWallet())
    expect(await there.authenticateKey(second.api_key)).not.toBeNull()
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where query ilike 'listen%' and datname = current_database()`,
    )
    await sleep(30)
    await revokeHere(second.api_key)
    expect(await there.authenticateKey(second.api_key)).toBeNull()

    // Without any message, a key is checked again after a second.
    const third = await here.signIn(newWallet())
    await expect.poll(async () => (await there.authenticateKey(third.api_key)) !== null).toBe(true)
    await db.query('update api_keys set revoked_at_s = 1 where id = $1', [third.key_id])
    later(1)
    expect(await there.authenticateKey(third.api_key)).toBeNull()
    await here.close()
    await there.close()
  })
})
