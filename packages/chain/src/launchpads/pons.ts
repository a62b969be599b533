import type { Hex } from '../bytes/hex.ts'
import { addressTopic, addressWordOf, type PoolLog, TOPIC, uintWord } from '../pools/logs.ts'
import type { CurvePool } from '../pools/types.ts'
import type { CurveBuy, CurveMove, CurveSell, LaunchpadAdapter } from './types.ts'
import { addressArg, addressOf, bpsOf, firstWords, wordsOf } from './words.ts'

/**
 * The shape of the real chain's leading launchpad (Pons v2): no deadline, no reserves in logs, a snipe tax for
 * each recipient, any pair token, graduation into a v4 pool behind a hook. Reserves follow exactly from the
 * logs: they tell what came in and went out, and what of it stayed outside the reserves as fee or tax.
 */

const SELECTOR = {
  getLaunchedToken: '0x3cf28b5a',
  token: '0xfc0c546a',
  pairToken: '0x3de35b79',
  getReserves: '0x0902f1ac',
  graduated: '0xe7c2b772',
  feeBps: '0x24a9d853',
  creatorTaxBps: '0xc1bb8901',
  phantomQuote: '0xc57eadfc',
  launchSupply: '0x3f7ed6b7',
  reservedTokens: '0x15a55347',
  snipeTaxStartBps: '0x50e25ac2',
  snipeTaxSeconds: '0x6783774b',
  launchedAt: '0xbf56b371',
  sellableTokens: '0x808bcddc',
} as const satisfies Record<string, Hex>

const BPS = 10_000n
/** The snipe tax is halved so often within its window. */
const HALVINGS = 14
/** The minimum share of a buy that reaches the curve, whatever the taxes. */
const MIN_BUYER_SHARE_BPS = 100
/** Words of getLaunchedToken's answer. */
const LAUNCHED = { curve: 1, exists: 14, words: 15 }

export const ponsLaunchpad: LaunchpadAdapter = {
  kind: 'pons',
  launchedTopic: TOPIC.ponsLaunched,
  launchIn: (log) => ({
    token: addressTopic(log, 1),
    curve: addressTopic(log, 2),
    pair: addressWordOf(log, 0),
  }),
  birthCalls: [
    SELECTOR.phantomQuote,
    SELECTOR.launchSupply,
    SELECTOR.reservedTokens,
    SELECTOR.launchedAt,
    SELECTOR.snipeTaxSeconds,
    SELECTOR.feeBps,
    SELECTOR.creatorTaxBps,
    SELECTOR.snipeTaxStartBps,
  ],
  born: bornOf,
  stateTopics: [TOPIC.ponsBuy, TOPIC.ponsSell, TOPIC.ponsBuyback, TOPIC.ponsCompleted],
  apply,
  moveIn,
  snipeTaxBps: snipeTax,
  quoteBuy,
  quoteSell,
  methods: {
    buy: { selector: '0x59a87bc1', signature: 'buy(uint256,uint256,address)' },
    sell: { selector: '0xd04c6983', signature: 'sell(uint256,uint256,address)' },
  },
  hasDeadline: false,
  askCurve: (token) => `${SELECTOR.getLaunchedToken}${addressArg(token)}`,
  curveIn(answer) {
    const words = wordsOf(answer, LAUNCHED.words)
    return words && words[LAUNCHED.exists] === 1n ? addressOf(words[LAUNCHED.curve]!) : null
  },
  endsCalls: [SELECTOR.token, SELECTOR.pairToken],
  endsIn(answers) {
    const words = firstWords(answers, 2)
    return words && { token: addressOf(words[0]!), pair: addressOf(words[1]!) }
  },
  reserveCalls: [SELECTOR.getReserves, SELECTOR.graduated],
  reservesIn([reserves, graduated]) {
    const words = wordsOf(reserves, 2)
    if (!words || wordsOf(graduated, 1)?.[0] !== 0n) return null
    return { x: words[0]!, y: words[1]! }
  },
  quoteCalls: () => [
    SELECTOR.getReserves,
    SELECTOR.graduated,
    SELECTOR.sellableTokens,
    SELECTOR.feeBps,
    SELECTOR.creatorTaxBps,
  ],
  quoteIn([reserves, graduated, ...rest], side, amount) {
    const at = ponsLaunchpad.reservesIn([reserves ?? '0x', graduated ?? '0x'])
    const words = firstWords(rest, 3)
    const [feeBps, taxBps] = words ? [bpsOf(words[1]!), bpsOf(words[2]!)] : []
    if (!at || !words || feeBps === undefined || taxBps === undefined) return 0n
    const terms = { curveFeeBps: feeBps, creatorTaxBps: taxBps }
    if (side === 'sell') return sellFrom(at, terms, amount).pairOut
    return buyFrom(at, terms, { left: words[0]!, snipeBps: 0n, amountIn: amount }).tokensOut
  },
}

function bornOf(log: PoolLog, answers: readonly Hex[]): CurvePool | undefined {
  const words = firstWords(answers, ponsLaunchpad.birthCalls.length)
  if (!words) return undefined
  const [x, y, yFloor, launchedAt, seconds] = words as [bigint, bigint, bigint, bigint, bigint]
  const [curveFeeBps, creatorTaxBps, snipeStartBps] = words.slice(5).map(bpsOf)
  const whole = x > 0n && y > yFloor && launchedAt < 1n << 48n && seconds < 1n << 32n
  if (!whole || curveFeeBps === undefined || creatorTaxBps === undefined || snipeStartBps === undefined)
    return undefined
  const { curve: id, token, pair } = ponsLaunchpad.launchIn(log)
  return {
    version: 'curve',
    launchpad: 'pons',
    id,
    token,
    pair,
    x,
    y,
    yFloor,
    saleSupply: y - yFloor,
    curveFeeBps,
    creatorTaxBps,
    snipeStartBps,
    snipeSeconds: Number(seconds),
    launchedAtS: Number(launchedAt),
    graduated: false,
  }
}

function apply(curve: CurvePool, log: PoolLog): boolean {
  switch (log.topics[0]) {
    case TOPIC.ponsBuy:
      // Its fee includes the snipe tax.
      curve.x += uintWord(log, 0) - uintWord(log, 2) - uintWord(log, 3)
      curve.y -= uintWord(log, 1)
      return true
    case TOPIC.ponsSell:
      curve.x -= uintWord(log, 1) + uintWord(log, 2) + uintWord(log, 3)
      curve.y += uintWord(log, 0)
      return true
    case TOPIC.ponsBuyback:
      // Fees that waited outside the reserves buy tokens from the curve itself.
      curve.x += uintWord(log, 0)
      curve.y -= uintWord(log, 1)
      return true
    case TOPIC.ponsCompleted:
      curve.graduated = true
      return true
    default:
      return false
  }
}

function moveIn(log: PoolLog): CurveMove | undefined {
  switch (log.topics[0]) {
    case TOPIC.ponsBuy:
      return { side: 'buy', pairAmount: uintWord(log, 0), tokenAmount: uintWord(log, 1) }
    case TOPIC.ponsSell:
      return { side: 'sell', pairAmount: uintWord(log, 1), tokenAmount: uintWord(log, 0) }
    default:
      return undefined
  }
}

function snipeTax(curve: CurvePool, atS: number): number {
  const elapsed = Math.max(0, Math.floor(atS) - curve.launchedAtS)
  if (elapsed >= curve.snipeSeconds) return 0
  const bps = curve.snipeStartBps >> Math.floor((elapsed * HALVINGS) / curve.snipeSeconds)
  return Math.min(bps, 10_000 - MIN_BUYER_SHARE_BPS - curve.curveFeeBps - curve.creatorTaxBps)
}

type Reserves = { x: bigint; y: bigint }
type Rates = Pick<CurvePool, 'curveFeeBps' | 'creatorTaxBps'>

const isClosed = ({ graduated, y, yFloor }: CurvePool) => graduated || y <= yFloor

function quoteBuy(curve: CurvePool, amountIn: bigint, atS: number): CurveBuy | undefined {
  if (isClosed(curve) || amountIn <= 0n) return undefined
  const snipeBps = BigInt(snipeTax(curve, atS))
  return buyFrom(curve, curve, { left: curve.y - curve.yFloor, snipeBps, amountIn })
}

function quoteSell(curve: CurvePool, tokensIn: bigint): CurveSell | undefined {
  return isClosed(curve) || tokensIn <= 0n ? undefined : sellFrom(curve, curve, tokensIn)
}

/** As the contract: each leg rounded down by itself; the last buy spends what its tokens cost, rounded up. */
function buyFrom(
  { x, y }: Reserves,
  rates: Rates,
  { left, snipeBps, amountIn }: { left: bigint; snipeBps: bigint; amountIn: bigint },
): CurveBuy {
  const [feeBps, taxBps] = [BigInt(rates.curveFeeBps), BigInt(rates.creatorTaxBps)]
  const legs = (spent: bigint) => ({
    curveFee: (spent * feeBps) / BPS,
    creatorTax: (spent * taxBps) / BPS,
    snipeTax: (spent * snipeBps) / BPS,
  })
  const whole = legs(amountIn)
  const net = amountIn - whole.curveFee - whole.creatorTax - whole.snipeTax
  const tokensOut = (y * net) / (x + net)
  if (tokensOut <= left) return { tokensOut, spent: amountIn, ...whole, graduates: tokensOut === left }
  const after = y - left
  const needed = (x * left + after - 1n) / after
  const netBps = BPS - feeBps - taxBps - snipeBps
  const gross = (needed * BPS + netBps - 1n) / netBps
  const spent = gross < amountIn ? gross : amountIn
  return { tokensOut: left, spent, ...legs(spent), graduates: true }
}

function sellFrom({ x, y }: Reserves, rates: Rates, tokensIn: bigint): CurveSell {
  const gross = (x * tokensIn) / (y + tokensIn)
  const curveFee = (gross * BigInt(rates.curveFeeBps)) / BPS
  const creatorTax = (gross * BigInt(rates.creatorTaxBps)) / BPS
  return { pairOut: gross - curveFee - creatorTax, curveFee, creatorTax }
}
