import { withDb } from '@pit/platform/test/withStore'
import type { SessionBinding } from '@pit/protocol'
import { MEME, NOW_S, RECIPIENT, ROUTER, USDG } from '@pit/trading/test/tradeFixtures'
import { beforeEach, expect, it } from 'vitest'
import {
  codeOf,
  emptySessions,
  openSessionWorld,
  refused,
  type SessionWorld,
  WHO,
} from '../../test/sessionWorld.ts'

// Bindings as older versions wrote them. Sessions under them trade by their own terms until they end.

const common = {
  chain_id: 4663 as const,
  wallet: WHO.owner,
  executor: WHO.executor,
  cosigner: WHO.cosigner,
  router: ROUTER,
  tokens: [`0x${'0'.repeat(40)}` as const, USDG.address, MEME.address],
  limits: { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 50 },
  expires_at: NOW_S + 86_400,
  fee: { schedule: 1 as const, recipient: RECIPIENT, fee_bps: 30 },
}
const FIRST: SessionBinding = { version: 1, ...common, nonce: `0x${'11'.repeat(32)}` }
const SECOND: SessionBinding = {
  version: 2,
  ...common,
  risk: { accept_risks: ['SELL_TAX'], shield: false },
  unverified_tokens: [],
  nonce: `0x${'22'.repeat(32)}`,
}
const LISTING: SessionBinding = {
  ...SECOND,
  unverified_tokens: [MEME.address],
  nonce: `0x${'33'.repeat(32)}`,
}

withDb('sessions of older bindings', (db) => {
  let world: SessionWorld
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
    world.settleWallet()
    world.state.onCurve = false
  })

  it.each([
    ['1', FIRST],
    ['2', SECOND],
  ] as const)('version %s pay the single rate they were granted with', async (_, binding) => {
    const session = await world.adopt(binding)
    world.state.tierBps = 10
    world.audit.verdict = 'verified'
    expect(await world.trade(session)).toMatchObject({ fee_bps: 30, fee_class: 'major', ready: true })
    expect(await world.trade(session, { token_out: MEME.address })).toMatchObject({
      fee_bps: 30,
      fee_class: 'other',
    })
    expect((await world.post('me.sessions', 'owner')).sessions).toMatchObject([
      { session_id: session.id, limits: { max_trade_usd: 25 }, used: { trades: 2 } },
    ])
  })

  it.each([
    ['1', FIRST],
    ['2', SECOND],
  ] as const)('version %s trade only tokens the audit has verified', async (_, binding) => {
    const session = await world.adopt(binding)
    for (const verdict of ['unverified', 'flagged']) {
      world.audit.verdict = verdict
      const error = await refused(world.trade(session, { token_out: MEME.address }))
      expect(error).toMatchObject({ code: 'TOKEN_UNVERIFIED', status: 422 })
      expect(error.extras['checks']).toContainEqual(
        expect.objectContaining({ code: 'TOKEN_UNVERIFIED', ok: false, value: [MEME.address] }),
      )
    }
    expect(await world.trade(session), 'core assets need no verdict').toMatchObject({ ready: true })
  })

  it('version 2 trades one that it lists', async () => {
    const session = await world.adopt(LISTING)
    expect(await world.trade(session, { token_out: MEME.address })).toMatchObject({ ready: true })
  })

  it('version 3 requires no audit verdict', async () => {
    const session = await world.grant({ tokens: ['ETH', 'USDG', MEME.address] })
    expect(await world.trade(session, { token_out: MEME.address })).toMatchObject({
      ready: true,
      fee_bps: 50,
    })
  })

  it('trade under their own risk terms', async () => {
    const session = await world.adopt(SECOND)
    const risk_terms = { accept_risks: ['SELL_TAX'], shield: false }
    expect(await world.trade(session)).toMatchObject({ risk_terms })
    expect(await codeOf(world.trade(session, { accept_risks: [] }))).toBe('SESSION_TERMS')
  })
})
