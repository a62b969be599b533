import { isPitError, type RouteId, routeById } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { createValidator, readQuery, type Validator } from './validate.ts'

const of = (id: RouteId, devFields = false): Validator => createValidator(routeById(id), { devFields })
function refusal(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (!isPitError(error)) throw error
    return [error.code, error.extras['field']]
  }
}
const WALLET = `0x${'1'.repeat(40)}`
const TRADE = { wallet: WALLET, token_in: 'ETH', token_out: 'USDG', notional_usd: 5 }

describe('queries', () => {
  it('converts text to numbers if the schema requires, and fills in defaults', () => {
    expect(of('me.trades').query('')).toMatchObject({ limit: 50 })
    expect(of('me.trades').query('limit=7&before=12')).toMatchObject({ limit: 7, before: 12 })
    expect(of('tokens.search').query('q=1')).toMatchObject({ q: '1', limit: 20 })
  })
  it.each<[RouteId, string, string]>([
    ['me.trades', 'limit=0', 'limit'],
    ['me.trades', 'limit=101', 'limit'],
    ['me.trades', 'limit=0x10', 'limit'],
    ['me.trades', 'limit=1e1', 'limit'],
    ['me.trades', 'limit=%205', 'limit'],
    ['me.trades', 'limit=', 'limit'],
    ['me.trades', 'limit=5&limit=6', 'limit'],
    ['me.trades', 'limit=%zz', 'limit'],
    ['tokens.search', `q=${'x'.repeat(65)}`, 'q'],
    ['tokens.search', 'q=%00', 'q'],
    ['tokens.get', 'shield=0', 'shield'],
    ['tokens.get', 'x=1', 'x'],
    ['tokens.get', '__proto__=1', '__proto__'],
    ['live.fast.terms', 'sheild=1', 'sheild'],
    ['me.trades', '%=1', 'query'],
  ])('%s rejects %s and names %s', (id, search, field) => {
    expect(refusal(() => of(id).query(search))).toEqual(['BAD_REQUEST', field])
  })
  it('reads no prototype', () => {
    expect(Object.getPrototypeOf(readQuery('a=b'))).toBeNull()
  })
})

describe('bodies', () => {
  it('fills in defaults without changing the input', () => {
    const sent = { ...TRADE }
    expect(of('live.prepare').body(sent)).toMatchObject({
      approval_mode: 'budget',
      fund: 'auto',
      shield: false,
    })
    expect(sent).toEqual(TRADE)
  })
  it.each<[RouteId, object, [string, string]]>([
    ['live.prepare', { ...TRADE, notional_usd: '5' }, ['BAD_REQUEST', 'notional_usd']],
    ['live.prepare', { ...TRADE, shield: 'true' }, ['BAD_REQUEST', 'shield']],
    ['live.prepare', { ...TRADE, fee_bps: 5 }, ['FEE_FIXED', 'fee_bps']],
    ['live.quote', { ...TRADE, fee_bps: null }, ['FEE_FIXED', 'fee_bps']],
    ['live.prepare', { ...TRADE, fee_recipient: WALLET }, ['DEV_DISABLED', 'fee_recipient']],
    ['live.simulate', { ...TRADE, assume_state: {} }, ['DEV_DISABLED', 'assume_state']],
    ['live.prepare', { ...TRADE, slippage: 5 }, ['BAD_REQUEST', 'slippage']],
    ['live.prepare', { wallet: WALLET, action: 'revoke', tokenz: [] }, ['BAD_REQUEST', 'tokenz']],
    ['live.submit', { raw_tx: '0x02', simulate: false }, ['BAD_REQUEST', 'simulate']],
    ['live.session.grant', { wallet: WALLET, executor: WALLET, limits: {} }, ['BAD_REQUEST', 'limits']],
    ['live.session.grant', { session_id: 's', wallet: WALLET }, ['BAD_REQUEST', 'wallet']],
    ['live.session.trade', { ...TRADE, session_id: 's' }, ['BAD_REQUEST', 'wallet']],
    ['live.session.revoke', { session_id: 's', resetCode: true }, ['BAD_REQUEST', 'resetCode']],
    ['live.revoke', { wallet: WALLET, token: 'USDG' }, ['BAD_REQUEST', 'token']],
    ['live.fast', { permit: { sigDeadline: 1 } }, ['BAD_REQUEST', 'permit.sigDeadline']],
    ['hosted.update', { nmae: 'x' }, ['UNKNOWN_FIELD', 'nmae']],
    ['hosted.pause', { x: 1 }, ['UNKNOWN_FIELD', 'x']],
  ])('%s rejects %j', (id, body, answer) => {
    expect(refusal(() => of(id).body(body as never))).toEqual(answer)
  })
  it('ignores unknown fields elsewhere, and allows development fields if they are on', () => {
    expect(of('auth.challenge').body({ address: WALLET, stranger: 1 })).toMatchObject({ stranger: 1 })
    expect(refusal(() => of('live.prepare', true).body({ ...TRADE, assume_stat: {} }))).toEqual([
      'BAD_REQUEST',
      'assume_stat',
    ])
    expect(of('live.prepare', true).body({ ...TRADE, assume_state: {} })).toMatchObject({ assume_state: {} })
    expect(refusal(() => of('live.prepare', true).body({ ...TRADE, fee_bps: 1 }))).toEqual([
      'FEE_FIXED',
      'fee_bps',
    ])
  })
  it('determines which bodies may be empty', () => {
    expect([of('hosted.pause'), of('auth.verify')].map(({ takesEmptyBody }) => takesEmptyBody)).toEqual([
      true,
      false,
    ])
  })
})
