import { feeOf } from '@pit/chain'
import { CHAIN_ID, FAST, type FastRule, TRADE } from '@pit/protocol'
import type { Facts } from './facts.ts'
import { permitFault } from './permit.ts'
import { bpsUnder, dollars, isFresh, microUsdOf, minOutFloor, poolFloor } from './prices.ts'

/** How a rule saw the facts. `value` and `limit` are JSON. */
export interface Verdict {
  ok: boolean
  message: string
  value?: unknown
  limit?: unknown
}
export interface Rule {
  code: Exclude<
    FastRule,
    'FAST_DISABLED' | 'NONCE' | 'SUBMIT_REJECTED' | 'SEQUENCER_UNREACHABLE' | 'IN_FLIGHT'
  >
  /** Null: there is nothing to judge, or not enough to judge it by. */
  check(facts: Facts): Verdict | null
}

const passes = (message: string): Verdict => ({ ok: true, message })

/**
 * The rules between a readable request and the relay, in the contract's order. Every one that can be judged is; the
 * first that fails is the answer. What comes before (FAST_DISABLED, the body's shape) and after has its own place.
 */
export const RULES: readonly Rule[] = [
  {
    code: 'BAD_REQUEST',
    check: ({ tx }) => ({ ok: tx.type !== null, message: 'raw_tx is a signed transaction.' }),
  },
  {
    code: 'TX_ENCODING',
    check: ({ tx }) => {
      if (tx.type === null || (tx.tx === null && tx.fault === null)) return null
      const message = 'The transaction is canonical RLP with a low-s signature and an empty access list.'
      return tx.fault === null
        ? passes(message)
        : { ok: false, message: `Not so: ${message}`, value: tx.fault }
    },
  },
  {
    code: 'FAST_PAIR',
    check: ({ route, body }) => {
      const value = `${body.token_in}/${body.token_out}`
      if (route) return { ...passes('A pinned route.'), value }
      return { ok: false, message: 'No pinned fast route for this pair in this direction.', value }
    },
  },
  {
    code: 'MARKET_CLOSED',
    check: ({ route, stocksOpen }) => {
      const closes = route && [route.tokenIn, route.tokenOut].some((end) => end.closes)
      if (!closes) return null
      return { ok: stocksOpen, message: 'Stock tokens trade Sunday 20:00 to Friday 20:00, New York time.' }
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
      const value = stale.map(({ symbol, mark }) => ({
        symbol,
        age_s: mark ? Math.floor(nowMs / 1000) - mark.updatedAtS : null,
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
            message: 'The transaction is EIP-1559.',
            value: tx.type,
            limit: FAST.txType,
          },
  },
  {
    code: 'CHAIN_ID',
    check: ({ tx: { tx } }) =>
      tx && {
        ok: tx.chainId === CHAIN_ID,
        message: `The transaction is for chain ${CHAIN_ID}.`,
        value: tx.chainId ?? null,
        limit: CHAIN_ID,
      },
  },
  {
    code: 'ROUTER',
    check: ({ tx: { tx }, place }) =>
      tx && {
        ok: tx.to === place.router,
        message: 'The transaction is to the pinned router.',
        value: tx.to,
        limit: place.router,
      },
  },
  {
    code: 'VALUE',
    check: ({ tx: { tx }, route, ask }) => {
      if (!tx || !route) return null
      const due = route.row.value === '0' ? 0n : ask.amountIn
      const message = due === 0n ? 'No ETH is sent with a token input.' : 'The ETH sent is amount_in.'
      return { ok: tx.value === due, message, value: String(tx.value), limit: String(due) }
    },
  },
  {
    code: 'WALLET_MISMATCH',
    check: ({ tx: { sender }, wallet }) =>
      sender && {
        ok: sender === wallet,
        message: "The key's wallet signed it.",
        value: sender,
        limit: wallet,
      },
  },
  {
    code: 'NOTIONAL',
    check: ({ priced }) => {
      if (!priced) return null
      const { notionalMicroUsd: micro } = priced
      const tooSmall = micro < microUsdOf(FAST.minNotionalUsd)
      return {
        ok: !tooSmall && micro <= microUsdOf(FAST.maxNotionalUsd),
        message: `One fast trade is ${FAST.minNotionalUsd} to ${FAST.maxNotionalUsd} dollars.`,
        value: dollars(micro),
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
        ok: priced.notionalMicroUsd <= microUsdOf(max_usd),
        message: `One trade on this route is at most ${max_usd} dollars.`,
        value: dollars(priced.notionalMicroUsd),
        limit: max_usd,
      }
    },
  },
  {
    code: 'DEADLINE',
    check: ({ ask: { deadlineS }, nowMs }) => {
      const latest = Math.floor(nowMs / 1000) + FAST.deadlineMaxS
      return {
        ok: deadlineS * 1000 >= nowMs && deadlineS <= latest,
        message: `The deadline is ahead, by at most ${FAST.deadlineMaxS} s.`,
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
      const { minOut } = facts.ask
      return {
        ok: minOut >= floor,
        message: `min_out is at least ${floor}.`,
        value: String(minOut),
        limit: String(floor),
      }
    },
  },
  {
    code: 'AMOUNT_USD',
    check: ({ priced, body }) => {
      if (!priced || body.amount_usd === undefined) return null
      const sized = microUsdOf(body.amount_usd)
      const off =
        priced.notionalMicroUsd > sized ? priced.notionalMicroUsd - sized : sized - priced.notionalMicroUsd
      return {
        ok: off * 100n <= sized * BigInt(FAST.amountUsdTolerancePct),
        message: `amount_in is worth amount_usd within ${FAST.amountUsdTolerancePct}%.`,
        value: dollars(priced.notionalMicroUsd),
        limit: body.amount_usd,
      }
    },
  },
  {
    code: 'CLIENT_CAP',
    check: ({ priced, body }) => {
      if (!priced || body.max_notional_usd === undefined) return null
      return {
        ok: priced.notionalMicroUsd <= microUsdOf(body.max_notional_usd),
        message: 'amount_in is worth no more than max_notional_usd.',
        value: dollars(priced.notionalMicroUsd),
        limit: body.max_notional_usd,
      }
    },
  },
  {
    code: 'PERMIT',
    check: (facts) => {
      if (facts.ask.permit === null || !facts.route) return null
      const fault = permitFault(facts)
      return fault === null ? passes('The permit is for exactly this trade.') : { ok: false, ...fault }
    },
  },
  {
    code: 'NOT_AS_BUILT',
    check: ({ rebuilt }) =>
      rebuilt && {
        ok: rebuilt.matches,
        message: rebuilt.matches
          ? 'The calldata is byte for byte what the service builds.'
          : `The calldata differs from what the service builds: ${rebuilt.diffs.join(', ')}.`,
        ...(rebuilt.matches ? {} : { value: rebuilt.diffs }),
      },
  },
  {
    code: 'GEOFENCE',
    check: ({ route, body }) =>
      hasStock(route)
        ? { ok: body.owner_attests_non_us, message: 'Stock tokens need owner_attests_non_us true.' }
        : null,
  },
  {
    code: 'STOCK_PAUSED',
    check: (facts) =>
      stockVerdict(facts, 'paused', 'No stock token of this trade is paused.', 'Its issuer has paused'),
  },
  {
    code: 'WALLET_BLOCKED',
    check: (facts) =>
      stockVerdict(
        facts,
        'blocked',
        'No stock registry blocks this wallet.',
        'This wallet is blocked by the registry of',
      ),
  },
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
        message: "The pinned pool delivers within its fee and the pair's band of the oracle marks.",
        value: bpsUnder(facts.poolOut, facts.priced!.fairOut),
        limit: row.pool_fee_bps + row.band_bps,
      }
    },
  },
  { code: 'ROUTE_VS_MID', check: checkMid },
  {
    code: 'NO_REFERENCE_MID',
    check: ({ route, mid }) =>
      route?.midDue ? { ok: mid !== null, message: "The reference pools' mid can be read." } : null,
  },
  { code: 'FAST_FUNDS', check: checkFunds },
]

const hasStock = (route: Facts['route']): boolean =>
  route !== null && (route.tokenIn.stock || route.tokenOut.stock)

function stockVerdict(
  { route, funds }: Facts,
  what: 'paused' | 'blocked',
  fine: string,
  wrong: string,
): Verdict | null {
  if (!route || !hasStock(route) || !funds) return null
  const ends = [route.tokenIn, route.tokenOut].filter((end) => funds.tokens.get(end.address)?.[what])
  const names = ends.map(({ symbol }) => symbol)
  return names.length === 0
    ? passes(fine)
    : { ok: false, message: `${wrong} ${names.join(' and ')}.`, value: names }
}

function checkGas({ tx: { tx }, route, baseFeeWei, ask }: Facts): Verdict | null {
  if (!tx || !route || !('maxFeePerGas' in tx)) return null
  const { gas, maxFeePerGas, maxPriorityFeePerGas } = tx
  const floor = route.row.gas_floor + (ask.permit ? (route.row.permit?.gas_add ?? 0) : 0)
  const highest = baseFeeWei * BigInt(FAST.maxFeePerGasBaseFeeMultiple)
  const cost = gas * maxFeePerGas
  const bounds: [boolean, string, bigint, bigint][] = [
    [gas < BigInt(floor), `The gas limit on this route is at least ${floor}.`, gas, BigInt(floor)],
    [
      gas > BigInt(FAST.gasLimitMax),
      `The gas limit is at most ${FAST.gasLimitMax}.`,
      gas,
      BigInt(FAST.gasLimitMax),
    ],
    [maxFeePerGas < baseFeeWei, 'maxFeePerGas is under the base fee.', maxFeePerGas, baseFeeWei],
    [maxFeePerGas > highest, 'maxFeePerGas is over 10 times the base fee.', maxFeePerGas, highest],
    [maxPriorityFeePerGas > maxFeePerGas, 'The tip is over the fee cap.', maxPriorityFeePerGas, maxFeePerGas],
    [cost > BigInt(FAST.maxCostWei), 'The maximum cost is over 0.0002 ETH.', cost, BigInt(FAST.maxCostWei)],
  ]
  const broken = bounds.find(([out]) => out)
  if (!broken) return passes('Gas limit, fee cap, tip and maximum cost are within bounds.')
  const [, message, value, limit] = broken
  return { ok: false, message, value: String(value), limit: String(limit) }
}

/** The rate that was declared, and what the calldata really pays. */
function checkFee({ body, fee, rebuilt, ask }: Facts): Verdict {
  const limit = fee.bps
  if (body.fee_bps !== fee.bps) {
    return { ok: false, message: `This wallet's fee is ${fee.bps} bps.`, value: body.fee_bps, limit }
  }
  // A call that cannot be read is NOT_AS_BUILT; one that is ours pays what it should.
  if (!rebuilt || rebuilt.matches || rebuilt.fees === null)
    return { ...passes(`The fee is ${fee.bps} bps.`), limit }
  const paid = rebuilt.fees
  const right = ({ side, amount }: (typeof paid)[number]) =>
    amount === (side === 'input' ? feeOf(ask.amountIn, fee.bps) : BigInt(fee.bps))
  if (paid.length > 0 && paid.every(right)) return { ...passes(`The fee is ${fee.bps} bps.`), limit }
  const value = paid.map(({ side, amount }) => (side === 'input' ? `${amount} atoms` : `${amount} bps`))
  return { ok: false, message: `The calldata does not pay exactly ${fee.bps} bps.`, value, limit }
}

/** What is delivered (the minimum, where nothing was simulated) against the reference pools, before our own fee. */
function checkMid({ route, mid, priced, simulation, ask, fee }: Facts): Verdict | null {
  if (!route?.midDue || mid === null || !priced) return null
  const net = simulation?.ok && simulation.amountOut !== null ? simulation.amountOut : ask.minOut
  const delivered = Number(net) / (route.row.fee.side === 'output' ? 1 - fee.bps / 10_000 : 1)
  const [unitIn, unitOut] = [10 ** route.tokenIn.decimals, 10 ** route.tokenOut.decimals]
  const atMid = (Number(priced.swapIn) / unitIn) * mid
  const under = Math.round((1 - delivered / unitOut / atMid) * 1e6) / 100
  return {
    ok: under <= TRADE.maxVsMidBps,
    message: `At most ${TRADE.maxVsMidBps} bps under the reference pools' mid.`,
    value: under,
    limit: TRADE.maxVsMidBps,
  }
}

/** Without a simulation: what the transaction spends must be there, and be allowed. */
function checkFunds({ body, tx: { tx }, route, funds, ask, nowMs }: Facts): Verdict | null {
  if (body.simulate || !tx || !route || !funds || !('maxFeePerGas' in tx)) return null
  const lacks: { what: string; has: bigint; needs: bigint }[] = []
  const need = (what: string, has: bigint, needs: bigint) => {
    if (has < needs) lacks.push({ what, has, needs })
  }
  need('ETH for value and gas', funds.balanceWei, tx.value + tx.gas * tx.maxFeePerGas)
  const token = funds.tokens.get(route.tokenIn.address)
  if (token) {
    need(route.tokenIn.symbol, token.balance, ask.amountIn)
    need(`allowance of ${route.tokenIn.symbol} to Permit2`, token.allowance, ask.amountIn)
    const live = token.permit.expirationS * 1000 >= nowMs ? token.permit.amount : 0n
    if (!ask.permit) need(`Permit2 allowance of ${route.tokenIn.symbol} to the router`, live, ask.amountIn)
  }
  if (lacks.length === 0) return passes('The wallet has what the transaction spends.')
  const value = lacks.map(({ what, has, needs }) => ({ what, has: String(has), needs: String(needs) }))
  return { ok: false, message: `The wallet lacks ${lacks.map(({ what }) => what).join(', ')}.`, value }
}
