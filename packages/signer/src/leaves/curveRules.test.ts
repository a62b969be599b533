import type { Execution } from '@pit/chain'
import { encodeCurveTrade } from '@pit/plans'
import { feeOf } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import {
  CAPS,
  CURVE,
  E18,
  grant,
  JUNK,
  JUNK_MARK,
  makeBinding,
  NOW_S,
  STRANGER,
  sessionOf,
  WHO,
} from '../../test/kit.ts'
import { ALL, factsOf, failed, otherClass, session } from '../../test/leafKit.ts'
import { spentMicroUsd } from './rules.ts'

const curveSession = sessionOf(grant(makeBinding({ tokens: ALL, marks: [JUNK_MARK] }), { curves: [CURVE] }), {
  [CURVE]: JUNK,
})

describe('an honest trade passes', () => {
  it('on a curve, with its fee paid separately', () => {
    const total = CAPS.tradeWei
    const feeWei = feeOf(total, 50)
    const trade = { amountIn: total - feeWei, amountOutMin: 20_000n * E18, recipient: WHO.wallet }
    const buy = encodeCurveTrade({ launchpad: 'pit', side: 'buy', ...trade, deadlineS: BigInt(NOW_S + 120) })
    const call = { target: CURVE, valueWei: trade.amountIn, data: buy }
    const change = { ...otherClass, session: curveSession, request: { curveFeeWei: feeWei } }
    expect(failed(call, change)).toEqual([])
    expect(spentMicroUsd(factsOf(call, change))).toBe(25_000_000n)

    // Expected proceeds: a hundredth of an ether less two percent of slippage; the fee is a part of those.
    const expected = E18 / 110n
    const sell = encodeCurveTrade({
      launchpad: 'pit',
      side: 'sell',
      amountIn: 24_000n * E18,
      amountOutMin: (expected * 98n) / 100n,
      recipient: WHO.wallet,
      deadlineS: BigInt(NOW_S + 120),
    })
    const sale = { target: CURVE, valueWei: 0n, data: sell }
    const selling = { ...change, request: { curveFeeWei: feeOf(expected, 50) } }
    expect(failed(sale, selling)).toEqual([])
    expect(failed(sale, { ...change, request: { curveFeeWei: feeOf(expected, 60) } })).toEqual([
      'FEE_REQUIRED',
    ])
    expect(failed(sale, { ...change, request: { curveFeeWei: feeOf(expected, 45) } })).toEqual([
      'FEE_REQUIRED',
    ])
  })
})

describe('each rule refuses', () => {
  it('a curve trade that leaves its bounds', () => {
    const trade = { amountIn: E18 / 110n, amountOutMin: 20_000n * E18, recipient: WHO.wallet }
    const deadlineS = BigInt(NOW_S + 120)
    const feeWei = (trade.amountIn * 50n) / 9_950n
    const buy = (change: Partial<typeof trade> = {}, target = CURVE): Execution => {
      const data = encodeCurveTrade({ launchpad: 'pit', side: 'buy', ...trade, ...change, deadlineS })
      return { target, valueWei: trade.amountIn, data }
    }
    const at = { ...otherClass, session: curveSession }
    const paying = (curveFeeWei: bigint | null) => ({ ...at, request: { curveFeeWei } })
    expect(failed(buy(), paying(feeWei))).toEqual([])
    expect(failed(buy({ recipient: STRANGER }), paying(feeWei))).toEqual(['SESSION_RECIPIENTS'])
    expect(failed(buy({ recipient: WHO.executor }), paying(feeWei))).toEqual(['SESSION_RECIPIENTS'])
    expect(failed(buy({}, STRANGER), paying(feeWei))).toEqual(['SESSION_TARGET'])
    expect(failed(buy(), { ...paying(feeWei), session })).toEqual(['SESSION_TARGET'])
    expect(failed(buy(), paying(null))).toEqual(['SESSION_CURVE_STEPS'])
    expect(failed(buy(), paying(0n))).toEqual(['FEE_REQUIRED'])
    expect(failed(buy(), paying(feeWei - 1n))).toEqual(['FEE_REQUIRED'])
    expect(failed(buy(), paying(2n * feeWei))).toEqual(['FEE_REQUIRED'])
    expect(failed(buy({ amountOutMin: 1n }), paying(feeWei))).toEqual(['SIGNED_MARK_PRICE'])
    expect(failed(buy({ amountIn: trade.amountIn + 1n }), paying(feeWei))).toEqual(['SESSION_EXECUTION'])
    const dirty = buy().data.replace(
      `${'0'.repeat(24)}${WHO.wallet.slice(2)}`,
      `${'1'.repeat(24)}${WHO.wallet.slice(2)}`,
    )
    expect(failed({ ...buy(), data: dirty as `0x${string}` }, paying(feeWei))).toEqual(['SESSION_EXECUTION'])
    expect(failed({ ...buy(), data: `${buy().data}00` }, paying(feeWei))).toEqual(['SESSION_EXECUTION'])
    expect(failed({ ...buy(), data: '0x12345678' }, paying(feeWei))).toEqual(['SESSION_EXECUTION'])
  })

  it('a trade on a curve without a deadline that leaves its bounds, and no other', () => {
    const trade = { amountIn: E18 / 110n, amountOutMin: 20_000n * E18, recipient: WHO.wallet }
    const feeWei = (trade.amountIn * 50n) / 9_950n
    const buy = (change: Partial<typeof trade> = {}, launchpad: 'pit' | 'pons' = 'pons'): Execution => {
      const deadlineS = BigInt(NOW_S + 120)
      const data = encodeCurveTrade({ launchpad, side: 'buy', ...trade, ...change, deadlineS })
      return { target: CURVE, valueWei: trade.amountIn, data }
    }
    const granted = grant(makeBinding({ tokens: ALL, marks: [JUNK_MARK] }), {
      curves: [CURVE],
      launchpads: ['pons'],
    })
    const at = {
      ...otherClass,
      session: sessionOf(granted, { [CURVE]: JUNK }),
      request: { curveFeeWei: feeWei },
    }
    expect(failed(buy(), at)).toEqual([])
    expect(failed(buy({ recipient: STRANGER }), at)).toEqual(['SESSION_RECIPIENTS'])
    expect(failed(buy({ amountOutMin: 1n }), at)).toEqual(['SIGNED_MARK_PRICE'])
    expect(failed(buy({ amountOutMin: 0n }), at)).toEqual(['SLIPPAGE', 'SIGNED_MARK_PRICE'])
    expect(failed(buy({ amountIn: trade.amountIn + 1n }), at)).toEqual(['SESSION_EXECUTION'])
    expect(failed({ ...buy(), data: `${buy().data}${'0'.repeat(64)}` }, at)).toEqual(['SESSION_EXECUTION'])
    // The root allows one launchpad's methods; calls of the other's are refused.
    expect(failed(buy({}, 'pit'), at)).toEqual(['SESSION_EXECUTION'])
    expect(failed(buy(), { ...at, session: curveSession })).toEqual(['SESSION_EXECUTION'])
  })
})
