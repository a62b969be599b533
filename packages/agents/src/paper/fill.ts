import { applyFill, changesOf } from '@pit/brains'
import { type Address, NATIVE } from '@pit/chain'
import { exchangeUp, fail, feeOf, markPrice, usdOf, worthUp } from '@pit/protocol'
import { judgeQuote, type TradeParams, type TradeQuote } from '@pit/trading'
import type { Cash, PaperDeps } from './deps.ts'
import { insertFill, lockBook, readBalances } from './store.ts'
import type { FilledNow, FillRequest } from './types.ts'

/** Trades a book: priced and checked like a plan, then booked in one transaction. */
export async function fillOrder(deps: PaperDeps, cash: Cash, request: FillRequest): Promise<FilledNow> {
  const quote = await deps.quoteTrade(tradeOf(request))
  const priced = priceFill(deps, cash, request, quote)
  return deps.db.transaction(async (sql) => {
    if (!(await lockBook(sql, request.bookId))) throw new Error(`unknown paper book ${request.bookId}`)
    const tokens = [...changesOf(priced, cash.address).keys()]
    const applied = applyFill(await readBalances(sql, request.bookId, tokens), priced, cash.address)
    if (!applied.ok) return refuseLack(quote, cash, applied)
    const filled: FilledNow = { ...priced, id: await insertFill(sql, priced, applied.after) }
    await request.commit?.(sql, filled)
    return filled
  })
}

const tradeOf = ({ wallet, tokenIn, tokenOut, size, terms, bound }: FillRequest): TradeParams => ({
  wallet,
  tokenIn,
  tokenOut,
  ...('microUsd' in size ? { notionalUsd: usdOf(size.microUsd) } : { amountIn: size.amountIn }),
  orderBounds: bound,
  // Venues that can be built, as in live trading; aggregators are only quoted.
  venues: ['venue_pool', 'venue_curve'],
  shield: terms.shield,
  policies: terms.policies,
  fast: true,
  // No rate limit: a book trades only tokens its owner chose when creating the agent.
  admit: async () => {},
})

/** Gas cost at ETH's price, in micro-dollars and in USDG atoms; both rounded against the trader. */
export function gasCostOf(
  { gas, gasPriceWei, ethPriceE18 }: { gas: number; gasPriceWei: bigint; ethPriceE18: bigint },
  usdgDecimals: number,
): { microUsd: bigint; usdgAtoms: bigint } {
  const wei = BigInt(gas) * gasPriceWei
  const eth = markPrice(ethPriceE18, 18)
  const usdg = markPrice(10n ** 18n, usdgDecimals)
  return { microUsd: worthUp(wei, eth), usdgAtoms: exchangeUp(wei, eth, usdg) }
}

/** Computes the trade's effect on the book. Stock tokens are refused: paper books have no attestation. */
function priceFill(deps: PaperDeps, cash: Cash, { bookId, terms }: FillRequest, quote: TradeQuote) {
  const { route, outcome } = judgeQuote(quote, {
    acceptRisks: terms.acceptRisks,
    attestsNonUs: false,
  })
  const eth =
    deps.market.mark(NATIVE) ??
    fail('NO_MARK', { message: 'ETH has no price, so the gas cost of this trade is unknown.' })
  const gas = gasCostOf(
    { gas: route.gas, gasPriceWei: quote.gasPriceWei, ethPriceE18: eth.priceE18 },
    cash.decimals,
  )
  const { fee, amountIn } = quote
  return {
    bookId,
    tokenIn: quote.tokenIn.address,
    tokenOut: quote.tokenOut.address,
    amountIn,
    amountOut: outcome.expected,
    // The policy has refused unpriced trades.
    microUsd: quote.notionalMicroUsd!,
    fee: {
      bps: fee.bps,
      class: fee.class,
      tier: fee.tier,
      token: fee.token,
      atoms: fee.side === 'input' ? feeOf(amountIn, fee.bps) : outcome.outputFee,
    },
    gasMicroUsd: gas.microUsd,
    gasUsdgAtoms: gas.usdgAtoms,
    routeId: route.id,
    block: quote.block,
    filledAtMs: deps.clock.nowMs(),
    route: route.label,
    risks: [...quote.risks, ...route.risks],
  }
}

/** Fails like the simulation of a live plan whose wallet holds too little. */
function refuseLack(
  { tokenIn, tokenOut }: TradeQuote,
  cash: Cash,
  { token, lacking }: { token: Address; lacking: bigint },
): never {
  const what = [tokenIn, tokenOut].find(({ address }) => address === token)?.symbol ?? 'USDG'
  const why = token === cash.address && tokenIn.address !== token ? ', which pays for gas' : ''
  return fail('SIMULATION_FAILED', {
    message: `Insufficient balance: the book lacks ${lacking} atoms of ${what.slice(0, 32)}${why}.`,
  })
}
