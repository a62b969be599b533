import { addressOf } from '@pit/accounts/test/openTestAccount'
import type { Address } from '@pit/chain'
import { checkWith, NATIVE_TOKEN, schemas } from '@pit/protocol'
import type { StoredTrade } from '@pit/relay/internal/walletTrades'
import { expect, it } from 'vitest'
import type { Caller } from '../http/types.ts'
import { accountRoutes, describeTrade } from './account.ts'

const STRANGE = addressOf(7)
const row = (more: Partial<StoredTrade>): StoredTrade => ({
  id: 5,
  path: 'agent',
  status: 'mined',
  code: null,
  token_in: NATIVE_TOKEN,
  token_out: STRANGE,
  amount_in: '1000',
  amount_out: '950',
  amount_out_kind: 'actual',
  amount_out_min: '900',
  tx_hash: `0x${'a'.repeat(64)}`,
  block: 42,
  session_id: null,
  created_at_ms: 1_800_000_000_999,
  ...more,
})
const describeRow = (more: Partial<StoredTrade>) => {
  const trade = row(more)
  const textOf = (address: Address) => ({
    token: address === NATIVE_TOKEN ? 'ETH' : address,
    address,
    symbol: null,
    name: null,
    decimals: null,
    kind: 'token' as const,
  })
  const shown = describeTrade({
    ...trade,
    tokenIn: textOf(trade.token_in),
    tokenOut: textOf(trade.token_out),
  })
  expect(checkWith(schemas.TradeRow, shown)).toMatchObject({ ok: true })
  return shown
}
const amountOut = (more: Partial<StoredTrade>) => {
  const { amount_out, amount_out_kind } = describeRow(more)
  return [amount_out, amount_out_kind]
}

it('shows the output once mined, and the minimum before that or if it is unknown', () => {
  expect(amountOut({ status: 'mined' })).toEqual(['950', 'actual'])
  expect(amountOut({ status: 'mined', amount_out: '900', amount_out_kind: 'minimum' })).toEqual([
    '900',
    'minimum',
  ])
  for (const status of ['relaying', 'pending'] as const) {
    expect(amountOut({ status, amount_out: null, amount_out_kind: null })).toEqual(['900', 'minimum'])
  }
})

it('shows nothing if there was no output', () => {
  expect(amountOut({ status: 'mined', amount_out: null, amount_out_kind: null })).toEqual([null, null])
  for (const status of ['reverted', 'dropped', 'refused'] as const) {
    expect(amountOut({ status })).toEqual([null, null])
    expect(describeRow({ status }).amount_out_min).toBe('900')
  }
  expect(amountOut({ status: 'pending', amount_out: null, amount_out_min: null })).toEqual([null, null])
})

it('shows a trade in flight as pending', () => {
  expect(describeRow({ status: 'relaying' }).status).toBe('pending')
})

it('has a code only for a refusal, and a session only for an agent’s trade', () => {
  expect(describeRow({ status: 'refused', code: 'MAX_NOTIONAL' }).code).toBe('MAX_NOTIONAL')
  expect(describeRow({ status: 'reverted', code: 'X' })).not.toHaveProperty('code')
  expect(describeRow({ path: 'session', session_id: 'ses_1' }).session_id).toBe('ses_1')
  expect(describeRow({ path: 'fast' })).not.toHaveProperty('session_id')
})

it('does not show a fee', () => {
  expect(JSON.stringify(describeRow({}))).not.toMatch(/fee/)
})

it('rejects a portfolio request by a key without a wallet', async () => {
  const never = () => Promise.reject(new Error('nothing is read'))
  const routes = accountRoutes({ listTrades: never, readPortfolio: never, valueHistory: never })
  const read = routes['me.portfolio'] as (call: { caller: Caller; query: object }) => Promise<unknown>
  const key = { keyId: 1, accountId: 1, wallet: null, expiresAtS: 2_000_000_000 }
  const caller = { requestId: 'r', address: '192.0.2.1', key }
  await expect(read({ caller, query: { range: 'day' } })).rejects.toMatchObject({ code: 'WALLET_NOT_BOUND' })
})
