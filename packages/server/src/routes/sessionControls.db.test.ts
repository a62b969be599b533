import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, expect, it } from 'vitest'
import { emptySessions, openSessionWorld, refused, type SessionWorld } from '../../test/sessionWorld.ts'

const CONTROLS = {
  signature_above_usd: 10.5,
  breakers: [{ max_fall_usd: 20, window_s: 86_400, cool_down_s: 3_600 }],
}

withDb('controls of a session', (db) => {
  let world: SessionWorld
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
    world.settleWallet()
  })

  it('are shown when it is granted, activated and listed', async () => {
    const pending = await world.start({ controls: CONTROLS })
    expect(pending.controls).toEqual(CONTROLS)
    expect(pending.caveats.at(-1)).toMatchObject({ enforcer: 'Nonce' })
    expect(pending.exposure.in_words.join(' ')).toContain('Trades that exceed 10.5 USD in any hour')
    const active = await world.post(
      'live.session.grant',
      'owner',
      await world.signatures(pending.session_id, 'owner'),
    )
    expect(active).toMatchObject({ status: 'active', controls: CONTROLS })
    const { sessions } = await world.post('me.sessions', 'owner')
    expect(sessions).toMatchObject([{ controls: CONTROLS }])
  })

  it('are null without any, and the answer is as before', async () => {
    const pending = await world.start()
    expect(pending.controls).toBeNull()
    expect(pending.sign.delegation.binding).not.toHaveProperty('controls')
    expect(pending.exposure.in_words).toHaveLength(3)
  })

  it('are refused out of range, with their field', async () => {
    const controls = { breakers: [{ max_fall_usd: 20, window_s: 5, cool_down_s: 3_600 }] }
    expect(await refused(world.start({ controls }))).toMatchObject({
      code: 'SESSION_LIMIT',
      extras: { field: 'controls.breakers.0.window_s' },
    })
  })

  it('let a trade be rehearsed, and a revocation return a receipt', async () => {
    const session = await world.grant({ controls: CONTROLS })
    const checked = await world.trade(session, { check_only: true })
    expect(checked).toMatchObject({ check_only: true, ok: true, tx: null, leaf: null, signer_checks: [] })
    expect(await db.query('select id from session_trades')).toEqual([])
    const challenge = `0x${'ab'.repeat(32)}`
    const revoked = await world.post('live.session.revoke', 'owner', {
      session_id: session.id,
      reset_code: false,
      challenge: challenge.toUpperCase().replace('0X', '0x'),
    })
    expect(revoked.receipt).toMatchObject({ what: 'revoked', session: session.rootHash, challenge })
  })

  it('let the owner alone cancel signed orders, with a receipt for each', async () => {
    const session = await world.grant({ controls: CONTROLS })
    const [ids, challenge] = [[`0x${'cd'.repeat(32)}`], `0x${'ab'.repeat(32)}`]
    const cancel = (role: 'owner' | 'executor' | 'stranger', session_id = session.id) =>
      world.post('live.session.orders.cancel', role, { session_id, ids, challenge })
    expect(await cancel('owner')).toMatchObject({
      session_id: session.id,
      receipts: [{ what: 'cancelled', session: session.rootHash, id: ids[0], challenge }],
    })
    expect(await refused(cancel('executor'))).toMatchObject({ code: 'WALLET_MISMATCH' })
    expect(await refused(cancel('stranger'))).toMatchObject({ code: 'NO_SESSION', status: 404 })
    world.signer.reachable = false
    expect(await refused(cancel('owner'))).toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
    world.signer.reachable = true
    const plain = await world.grant()
    expect(await refused(cancel('owner', plain.id))).toMatchObject({
      code: 'BAD_REQUEST',
      extras: { field: 'session_id' },
    })
  })
})
