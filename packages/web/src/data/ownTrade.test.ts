import type { TransactionReading } from '@pit/client'
import { expect, it } from 'vitest'
import { ETH, FACTS, USDG } from '../../test/facts.ts'
import { ownTradeOf } from './ownTrade.ts'

const WALLET = `0x${'1'.repeat(40)}` as const
const reading = (change: object = {}, mined: object = {}): TransactionReading => ({
  ...{ hash: '0x01', from: WALLET, to: WALLET, valueWei: 0n, nonce: 1 },
  signed: {
    ...{ kind: 'swap', by: 'router', wallet: WALLET, isSession: false, tokenIn: ETH, tokenOut: USDG },
    ...{ amountIn: 4n * 10n ** 15n, amountOutMin: 9_900_000n, fee: null, deadlineS: null },
    ...change,
  },
  mined: {
    ...{ isReverted: false, block: 1, timeS: 1, feeWei: 1n, events: 1, transfers: [] },
    ...{ isEtherKnown: true, feePaid: null },
    moves: new Map([
      [ETH, -4n * 10n ** 15n],
      [USDG, 9_970_000n],
    ]),
    ...mined,
  },
})

it('is what the receipt moved', () => {
  expect(ownTradeOf(reading(), WALLET, FACTS)).toEqual({
    ...{ isReverted: false, tokenIn: ETH, tokenOut: USDG },
    ...{ pair: 'ETH → USDG', sold: '0.004 ETH', received: '9.97 USDG' },
  })
})

it('reads the tokens of a curve’s call from what moved', () => {
  const trade = ownTradeOf(reading({ by: 'curve', tokenIn: null, tokenOut: null }), WALLET, FACTS)
  expect(trade?.pair).toBe('ETH → USDG')
})

it('shows the signed bound of ETH that the node cannot prove', () => {
  const moves = new Map([[USDG, 9_970_000n]])
  const trade = ownTradeOf(reading({}, { moves, isEtherKnown: false }), WALLET, FACTS)
  expect([trade?.sold, trade?.received]).toEqual(['at most 0.004 ETH', '9.97 USDG'])
})

it('shows nothing moved by a reverted one', () => {
  const trade = ownTradeOf(reading({}, { moves: new Map(), isReverted: true }), WALLET, FACTS)
  expect([trade?.isReverted, trade?.sold, trade?.received]).toEqual([true, '–', '–'])
})

it('is not a trade of another wallet, nor another call', () => {
  expect(ownTradeOf(reading({ wallet: `0x${'2'.repeat(40)}` }), WALLET, FACTS)).toBeNull()
  const call = { ...reading(), signed: { kind: 'other', selector: '0x12345678' } } as const
  expect(ownTradeOf(call, WALLET, FACTS)).toBeNull()
})
