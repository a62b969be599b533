import { addressTopic, addressWordOf, numberWord, type PoolLog, TOPIC, uintWord } from '../pools/logs.ts'
import type { CurvePool } from '../pools/types.ts'
import type { LaunchpadAdapter } from './types.ts'
import { addressArg, addressOf, uintArg, wordsOf } from './words.ts'

const SELECTOR = {
  curveOf: '0x05adc47e',
  terms: '0xd5025625',
  state: '0xc19d93fb',
  quoteBuy: '0x4beb394c',
  quoteSell: '0xa64190c4',
} as const

const BPS = 10_000n

/**
 * The devnet's first launchpad: a deadline in every call, reserves in every log, one snipe tax for all,
 * graduation into v2 or v3. The math is its contract's, rounding for rounding: constant product over reserves
 * with a virtual part, all taxes of a trade in one floor.
 */
export const pitLaunchpad: LaunchpadAdapter = {
  kind: 'pit',
  launchedTopic: TOPIC.curveLaunched,
  launchIn: (log) => ({
    curve: addressTopic(log, 1),
    token: addressTopic(log, 2),
    pair: addressTopic(log, 3),
  }),
  birthCalls: [],
  born: bornIn,
  stateTopics: [TOPIC.curveTrade, TOPIC.curveGraduated],
  apply(curve, log) {
    switch (log.topics[0]) {
      case TOPIC.curveTrade:
        curve.x = uintWord(log, 5)
        curve.y = uintWord(log, 6)
        return true
      case TOPIC.curveGraduated:
        curve.graduated = true
        return true
      default:
        return false
    }
  },
  moveIn(log) {
    if (log.topics[0] !== TOPIC.curveTrade) return undefined
    const side = BigInt(log.topics[2] ?? '0x0') === 0n ? 'sell' : 'buy'
    return { side, pairAmount: uintWord(log, 0), tokenAmount: uintWord(log, 1) }
  },
  snipeTaxBps: snipeTax,
  quoteBuy,
  quoteSell,
  methods: {
    buy: { selector: '0x8945257c', signature: 'buy(uint256,uint256,address,uint256)' },
    sell: { selector: '0x8a038a54', signature: 'sell(uint256,uint256,address,uint256)' },
  },
  hasDeadline: true,
  askCurve: (token) => `${SELECTOR.curveOf}${addressArg(token)}`,
  curveIn(answer) {
    const [word] = wordsOf(answer, 1) ?? []
    return word === undefined || word === 0n ? null : addressOf(word)
  },
  endsCalls: [SELECTOR.terms],
  endsIn([terms]) {
    const words = wordsOf(terms, 13)
    return words && { token: addressOf(words[0]!), pair: addressOf(words[1]!) }
  },
  reserveCalls: [SELECTOR.state],
  reservesIn([state]) {
    const words = wordsOf(state, 5)
    return words && words[4] === 0n ? { x: words[0]!, y: words[1]! } : null
  },
  quoteCalls: (side, amount) => [
    `${side === 'buy' ? SELECTOR.quoteBuy : SELECTOR.quoteSell}${uintArg(amount)}`,
  ],
  quoteIn: ([quote], side) => wordsOf(quote, side === 'buy' ? 6 : 3)?.[0] ?? 0n,
}

/** Words 0 to 12 are the curve's terms, in the contract's order. */
function bornIn(log: PoolLog): CurvePool {
  const y = uintWord(log, 4)
  const saleSupply = uintWord(log, 5)
  return {
    version: 'curve',
    launchpad: 'pit',
    id: addressTopic(log, 1),
    token: addressWordOf(log, 0),
    pair: addressWordOf(log, 1),
    x: uintWord(log, 3),
    y,
    yFloor: y - saleSupply,
    saleSupply,
    curveFeeBps: numberWord(log, 7),
    creatorTaxBps: numberWord(log, 8),
    snipeStartBps: numberWord(log, 9),
    snipeSeconds: numberWord(log, 10),
    launchedAtS: numberWord(log, 11),
    graduated: false,
  }
}

/** Falls in whole seconds from its start to nothing. */
function snipeTax(curve: CurvePool, atS: number): number {
  const elapsed = Math.max(0, Math.floor(atS) - curve.launchedAtS)
  const { snipeSeconds, snipeStartBps } = curve
  return elapsed >= snipeSeconds ? 0 : Math.floor((snipeStartBps * (snipeSeconds - elapsed)) / snipeSeconds)
}

function quoteBuy(curve: CurvePool, amountIn: bigint, atS: number) {
  if (curve.graduated || amountIn <= 0n) return undefined
  const { x, y } = curve
  const snipeBps = BigInt(snipeTax(curve, atS))
  const creatorBps = BigInt(curve.creatorTaxBps)
  const taxBps = BigInt(curve.curveFeeBps) + creatorBps + snipeBps
  const left = y - curve.yFloor
  let spent = amountIn
  let net = amountIn - (amountIn * taxBps) / BPS
  let tokensOut = (y * net) / (x + net)
  const graduates = tokensOut >= left
  if (graduates) {
    tokensOut = left
    const after = y - left
    net = (x * left + after - 1n) / after
    spent = net === 0n ? 0n : ((net - 1n) * BPS) / (BPS - taxBps) + 1n
  }
  const creatorTax = (spent * creatorBps) / BPS
  const snipeTaxed = (spent * snipeBps) / BPS
  const curveFee = spent - net - creatorTax - snipeTaxed
  return { tokensOut, spent, curveFee, creatorTax, snipeTax: snipeTaxed, graduates }
}

function quoteSell(curve: CurvePool, tokensIn: bigint) {
  if (curve.graduated || tokensIn <= 0n) return undefined
  const gross = (curve.x * tokensIn) / (curve.y + tokensIn)
  const tax = (gross * BigInt(curve.curveFeeBps + curve.creatorTaxBps)) / BPS
  const creatorTax = (gross * BigInt(curve.creatorTaxBps)) / BPS
  return { pairOut: gross - tax, curveFee: tax - creatorTax, creatorTax }
}
