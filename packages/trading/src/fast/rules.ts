import type { Rule } from '@pit/platform/rules'
import { CHAIN_ID, FAST, type FastRule, isWithinBps, microUsdDown, usdOf, usdText } from '@pit/protocol'
import { attestationRule } from '../attestation.ts'
import {
  checkBlocked,
  checkFee,
  checkFunds,
  checkGas,
  checkMid,
  checkPaused,
  hasStock,
  passes,
  type Verdict,
} from './checks.ts'
import type { Facts } from './facts.ts'
import { permitFault } from './permit.ts'
import { bpsUnder, isFresh, minOutFloor, poolFloor } from './prices.ts'

export type JudgedCode = Exclude<
  FastRule,
  'FAST_DISABLED' | 'NONCE' | 'SUBMIT_REJECTED' | 'SEQUENCER_UNREACHABLE' | 'IN_FLIGHT'
>

const MIN_MICRO_USD = microUsdDown(FAST.minNotionalUsd)
const MAX_MICRO_USD = microUsdDown(FAST.maxNotionalUsd)

/**
 * Rules between a parsed request and the relay, in the contract's order. Every rule that can be evaluated is;
 * the first failure is returned. FAST_DISABLED, body validation and the relay are checked elsewhere.
 */
export const RULES: readonly Rule<Facts, Verdict, JudgedCode>[] = [
  {
    code: 'BAD_REQUEST',
    check: ({ tx }) => ({
      ok: tx.type !== null,
      rule: 'raw_tx must be a signed transaction.',
      ...(tx.type === null ? { message: 'raw_tx is not a signed transaction.' } : {}),
    }),
  },
  {
    code: 'TX_ENCODING',
    check: ({ tx }) => {
      if (tx.type === null || (tx.tx === null && tx.fault === null)) return null
      const rule = 'The transaction must be canonical RLP with a low-s signature and an empty access list.'
      return { ok: tx.fault === null, rule, ...(tx.fault === null ? {} : { value: tx.fault }) }
    },
  },
  {
    code: 'FAST_PAIR',
    check: ({ route, request }) => {
      const value = `${request.tokenIn}/${request.tokenOut}`
      return { ok: route !== null, rule: 'The pair must have a pinned route in this direction.', value }
    },
  },
  {
    code: 'MARKET_CLOSED',
    check: ({ route, stocksOpen }) => {
      const closes = route && [route.tokenIn, route.tokenOut].some((end) => end.hasHours)
      if (!closes) return null
      return { ok: stocksOpen, rule: 'Stock tokens trade Sunday 20:00 to Friday 20:00, New York time.' }
    },
  },
  {
    code: 'PRICE_STALE',
    check: ({ route, marks, nowMs }) => {
      if (!route || !marks) return null
      const ends = [
        { symbol: route.tokenIn.symbol, mark: marks.in },
        { symbol: route.tokenOut.symbol, mark: marks.out },
      ]
      const stale = ends.filter(({ mark }) => !isFresh(mark, nowMs))
      const limit = FAST.markMaxAgeS
      if (stale.length === 0) return { ...passes('Both oracle marks are fresh.'), limit }
      const agoS = (atS: number | undefined) => (atS === undefined ? null : Math.floor(nowMs / 1000) - atS)
      const value = stale.map(({ symbol, mark }) => ({
        symbol,
        age_s: agoS(mark?.readAtS),
        round_age_s: agoS(mark?.updatedAtS),
      }))
      const names = stale.map(({ symbol }) => symbol).join(' and ')
      return { ok: false, message: `The oracle mark of ${names} is missing or stale.`, value, limit }
    },
  },
  {
    code: 'TX_TYPE',
    check: ({ tx }) =>
      tx.type === null
        ? null
        : {
            ok: tx.type === FAST.txType,
            rule: 'The transaction must be EIP-1559 (type 2).',
            value: tx.type,
            limit: FAST.txType,
          },
  },
  {
    code: 'CHAIN_ID',
    check: ({ tx: { tx } }) =>
      tx && {
        ok: tx.chainId === CHAIN_ID,
        rule: `The transaction must be for chain ${CHAIN_ID}.`,
        value: tx.chainId ?? null,
        limit: CHAIN_ID,
      },
  },
  {
    code: 'ROUTER',
    check: ({ tx: { tx }, addresses }) =>
      tx && {
        ok: tx.to === addresses.router,
        rule: 'The transaction must call the pinned router.',
        value: tx.to,
        limit: addresses.router,
      },
  },
  {
    code: 'VALUE',
    check: ({ tx: { tx }, route, request }) => {
      if (!tx || !route) return null
      const due = route.row.value === '0' ? 0n : request.amountIn
      const rule = due === 0n ? 'A token input must send no ETH.' : 'The ETH sent must equal amount_in.'
      return { ok: tx.value === due, rule, value: String(tx.value), limit: String(due) }
    },
  },
  {
    code: 'WALLET_MISMATCH',
    check: ({ tx: { sender }, wallet }) =>
      sender && {
        ok: sender === wallet,
        rule: "The key's wallet must sign the transaction.",
        value: sender,
        limit: wallet,
      },
  },
  {
    code: 'NOTIONAL',
    check: ({ priced }) => {
      if (!priced) return null
      const { notionalMicroUsd: micro } = priced
      const tooSmall = micro < MIN_MICRO_USD
      return {
        ok: !tooSmall && micro <= MAX_MICRO_USD,
        rule: `A fast trade must be ${FAST.minNotionalUsd} to ${usdText(FAST.maxNotionalUsd)}.`,
        value: usdOf(micro),
        limit: tooSmall ? FAST.minNotionalUsd : FAST.maxNotionalUsd,
      }
    },
  },
  {
    code: 'ROUTE_CAP',
    check: ({ priced, route }) => {
      if (!priced || !route) return null
      const { max_usd } = route.row
      return {
        ok: priced.notionalMicroUsd <= microUsdDown(max_usd),
        rule: `A trade on this route must be at most ${usdText(max_usd)}.`,
        value: usdOf(priced.notionalMicroUsd),
        limit: max_usd,
      }
    },
  },
  {
    code: 'DEADLINE',
    check: ({ request: { deadlineS }, nowMs }) => {
      const latest = Math.floor(nowMs / 1000) + FAST.deadlineMaxS
      return {
        ok: deadlineS * 1000 >= nowMs && deadlineS <= latest,
        rule: `The deadline must be in the future, by at most ${FAST.deadlineMaxS} s.`,
        value: deadlineS,
        limit: latest,
      }
    },
  },
  { code: 'GAS', check: checkGas },
  { code: 'FEE_BPS', check: checkFee },
  {
    code: 'MIN_OUT',
    check: (facts) => {
      const floor = minOutFloor(facts)
      if (floor === null) return null
      const { minOut } = facts.request
      return {
        ok: minOut >= floor,
        rule: `min_out must be at least ${floor}.`,
        value: String(minOut),
        limit: String(floor),
      }
    },
  },
  {
    code: 'AMOUNT_USD',
    check: ({ priced, request }) => {
      if (!priced || request.amountUsd === undefined) return null
      const toleranceBps = FAST.amountUsdTolerancePct * 100
      return {
        ok: isWithinBps(priced.notionalMicroUsd, microUsdDown(request.amountUsd), toleranceBps),
        rule: `The value of amount_in must be within ${FAST.amountUsdTolerancePct}% of amount_usd.`,
        value: usdOf(priced.notionalMicroUsd),
        limit: request.amountUsd,
      }
    },
  },
  {
    code: 'CLIENT_CAP',
    check: ({ priced, request }) => {
      if (!priced || request.maxNotionalUsd === undefined) return null
      return {
        ok: priced.notionalMicroUsd <= microUsdDown(request.maxNotionalUsd),
        rule: 'The value of amount_in must not exceed max_notional_usd.',
        value: usdOf(priced.notionalMicroUsd),
        limit: request.maxNotionalUsd,
      }
    },
  },
  {
    code: 'PERMIT',
    check: (facts) => {
      if (facts.request.permit === null || !facts.route) return null
      const fault = permitFault(facts)
      return fault === null ? passes('The permit matches this trade.') : { ok: false, ...fault }
    },
  },
  {
    code: 'NOT_AS_BUILT',
    check: ({ rebuilt }) =>
      rebuilt && {
        ok: rebuilt.matches,
        message: rebuilt.matches
          ? 'The calldata equals what the service builds.'
          : `The calldata differs from what the service builds: ${rebuilt.diffs.join(', ')}.`,
        ...(rebuilt.matches ? {} : { value: rebuilt.diffs }),
      },
  },
  {
    code: 'GEOFENCE',
    check: ({ route, request }) =>
      hasStock(route)
        ? { ok: request.attestsNonUs === true, rule: attestationRule(request.attestsNonUs) }
        : null,
  },
  { code: 'STOCK_PAUSED', check: checkPaused },
  { code: 'WALLET_BLOCKED', check: checkBlocked },
  {
    code: 'SIMULATION_FAILED',
    check: ({ simulation }) =>
      simulation && {
        ok: simulation.ok,
        message: simulation.error ?? 'The exact transaction succeeds and delivers.',
        ...(simulation.amountOut === null ? {} : { value: String(simulation.amountOut) }),
      },
  },
  {
    code: 'POOL_FAR',
    check: (facts) => {
      const floor = poolFloor(facts)
      if (floor === null || facts.poolOut === null) return null
      const { row } = facts.route!
      return {
        ok: facts.poolOut >= floor,
        rule: "The pinned pool's price must be within its fee and the pair's band of the oracle marks.",
        value: bpsUnder(facts.poolOut, facts.priced!.fairOut),
        limit: row.pool_fee_bps + row.band_bps,
      }
    },
  },
  { code: 'ROUTE_VS_MID', check: checkMid },
  {
    code: 'NO_REFERENCE_MID',
    check: ({ route, mid }) =>
      route?.midDue ? { ok: mid !== null, rule: 'The reference mid must be available.' } : null,
  },
  { code: 'FAST_FUNDS', check: checkFunds },
]
