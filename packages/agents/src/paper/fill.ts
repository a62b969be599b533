import { applyFill, changesOf } from '@pit/brains'
import { type Address, NATIVE } from '@pit/chain'
import { exchangeUp, fail, feeOf, markPrice, usdOf, worthUp } from '@pit/protocol'
import { judgeQuote, type TradeParams, type TradeQuote } from '@pit/trading'
import type { Cash, PaperDeps } from './deps.ts'
import { insertFill, lockBook, readBalances } from './store.ts'
import type { FilledNow, FillRequest } from './types.ts'

/** Trades a book: priced and judged as a plan is, then booked in one transaction. */
export async function fillOrder(deps: PaperDeps, cash: Cash, request: FillRequest): Promise<FilledNow> {
  const quote = await deps.quoteTrade(tradeOf(request))
  const priced = priceFill(deps, cash, request, quote)
  return deps.db.transaction(async (sql) => {
    if (!(await lockBook(sql, request.bookId))) throw new Error(`there is no paper book ${request.bookId}`)
    const moved = [...changesOf(priced, cash.address).keys()]
    const applied = applyFill(await readBalances(sql, request.bookId, moved), priced, cash.address)
    if (!applied.ok) return refuseLack(quote, cash, applied)
    const filled: FilledNow = { ...priced, id: await insertFill(sql, priced, applied.after) }
    await request.commit?.(sql, filled)
    return filled
  })
}

const tradeOf = ({ wallet, tokenIn, tokenOut, size, terms }: FillRequest): TradeParams => ({
  wallet,
  tokenIn,
  tokenOut,
  ...('microUsd' in size ? { notionalUsd: usdOf(size.microUsd) } : { amountIn: size.amountIn }),
  // What can be built, as live trading has it; aggregators are only ever quoted.
  venues: ['venue_pool', 'venue_curve'],
  shield: terms.shield,
  policies: terms.policies,
  fast: true,
  // No stranger asks: a book trades what its owner named when it was made.
  admit: async () => {},
})

/** What gas costs at ETH's price, in micro-dollars and in USDG's atoms; both rounded against the trader. */
export function gasCostOf(
  { gas, gasPriceWei, ethPriceE18 }: { gas: number; gasPriceWei: bigint; ethPriceE18: bigint },
  usdgDecimals: number,
): { microUsd: bigint; usdgAtoms: bigint } {
  const wei = BigInt(gas) * gasPriceWei
  const eth = markPrice(ethPriceE18, 18)
  const usdg = markPrice(10n ** 18n, usdgDecimals)
  return { microUsd: worthUp(wei, eth), usdgAtoms: exchangeUp(wei, eth, usdg) }
}

/** What the trade would do to the book. Stock tokens are refused: no paper book has an attestation. */
function priceFill(deps: PaperDeps, cash: Cash, { bookId, terms }: FillRequest, quote: TradeQuote) {
  const { route, outcome } = judgeQuote(quote, { acceptRisks: terms.acceptRisks, attestsNonUs: false })
  const eth =
    deps.market.mark(NATIVE) ??
    fail('NO_MARK', { message: 'ETH has no price now, so the gas of this trade cannot be paid.' })
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
    // The policy refused what has no price.
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

/** As the simulation of a live plan says of a wallet that holds too little. */
function refuseLack(
  { tokenIn, tokenOut }: TradeQuote,
  cash: Cash,
  { token, lacking }: { token: Address; lacking: bigint },
): never {
  const what = [tokenIn, tokenOut].find(({ address }) => address === token)?.symbol ?? 'USDG'
  const why = token === cash.address && tokenIn.address !== token ? ', which pays for gas' : ''
  return fail('SIMULATION_FAILED', {
    message: `The book holds ${lacking} atoms of ${what.slice(0, 32)} too few${why}.`,
  })
}
