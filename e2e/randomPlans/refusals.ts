import { setTimeout as sleep } from 'node:timers/promises'
import { curveAbi } from '@pit/chain'
import { feeOf, isRiskCode, isSevere, ROUTES, SHIELD_POLICIES, type ShieldPolicy, TRADE } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { Answered } from '../trading/trader.ts'
import { type Coin, codeOf, type RandomMarket, type Wallet } from './market.ts'
import type { Ask } from './request.ts'

interface Refused {
  request: Ask
  wallet: Wallet
  answer: Answered<object>
}
type Judge = (refused: Refused, market: RandomMarket) => boolean | Promise<boolean>

/** Null if the refusal is one of the route's and true for this request, otherwise its fault. */
export async function judgeRefusal(market: RandomMarket, refused: Refused): Promise<string | null> {
  const { answer, request } = refused
  const code = codeOf(answer)
  const documented: readonly string[] =
    ROUTES[request.path === 'live/build' ? 'live.build' : 'live.prepare'].errors
  const refusalText = `${answer.status} ${code}: ${answer.body.error?.message}`
  if (!documented.includes(code)) return `${refusalText} is not documented`
  const judge = JUDGES[code]
  if (!judge) return `${refusalText} was not expected`
  return (await judge(refused, market)) ? null : `${refusalText} is not true`
}

const fieldOf = ({ request }: Refused, field: string): unknown => request.body[field]
const listed = (value: unknown): string[] => (Array.isArray(value) ? value : [])
const ends = ({ request }: Refused): Coin[] => [request.tokenIn, request.tokenOut]
/** The service has seen the last trade by then. */
const FOLLOWED_MS = 1_000
/** Tolerance for guessed sizes. */
const near = (usd: number, bound: number): boolean => usd > bound * 0.5 && usd < bound * 1.5

const JUDGES: Record<string, Judge> = {
  RISK_NOT_ACCEPTED(refused) {
    const unaccepted = listed(refused.answer.body.error?.['unaccepted'])
    const accepted = listed(fieldOf(refused, 'accept_risks'))
    return (
      unaccepted.length > 0 &&
      unaccepted.every((code) => isRiskCode(code) && isSevere(code) && !accepted.includes(code))
    )
  },
  async RISK_BLOCKED(refused, market) {
    const blocked = listed(refused.answer.body.error?.['blocked'])
    const names = (fieldOf(refused, 'policies') ?? ['block_flagged']) as ShieldPolicy[]
    if (!fieldOf(refused, 'shield') || blocked.length === 0) return false
    if (!blocked.every((code) => names.some((name) => SHIELD_POLICIES[name].includes(code as never))))
      return false
    if (!blocked.some((code) => code.startsWith('AUDIT_'))) return true
    const verdicts = await Promise.all(ends(refused).map((coin) => verdictOf(market, coin)))
    return blocked.includes('AUDIT_FLAGGED')
      ? verdicts.includes('flagged')
      : verdicts.some((one) => one !== 'verified')
  },
  GEOFENCE: (refused) =>
    ends(refused).some(({ stock }) => stock) && fieldOf(refused, 'owner_attests_non_us') !== true,
  LIMIT_NOT_REACHABLE: wantsTooMuch,
  SIMULATION_FAILED: async (refused, market) =>
    (await wantsTooMuch(refused, market)) || mendsByAsking(refused),
  QUOTE_SIM_MISMATCH: mendsByAsking,
  FEE_BPS: (refused) => Number(fieldOf(refused, 'max_fee_bps')) < 10,
  FEE_MODE: (refused) => fieldOf(refused, 'curve_fee_mode') === 'batch' && !refused.wallet.delegated,
  CURVE_PAIR(refused) {
    const pairs = ends(refused).flatMap(({ curve }) => (curve ? [curve.pair] : []))
    const names = [fieldOf(refused, 'token_in'), fieldOf(refused, 'token_out')]
    return pairs.length > 0 && !pairs.some((pair) => names.includes(pair))
  },
  async CURVE_GRADUATED({ request }, market) {
    const { curve } = request.tokenOut
    if (!curve) return false
    const atoms = request.body['amount_in'] ?? atomsOf(request)
    // The fee reduces the swapped amount; a small price error does not matter here.
    const amountIn = BigInt(atoms as string)
    return graduates(market, curve.address, amountIn - feeOf(amountIn, 60))
  },
  MAX_SLIPPAGE: (refused) =>
    Number(fieldOf(refused, 'slippage_bps')) > Math.max(...TRADE.slippageToleranceBySize.map(capOf)) ||
    near(refused.request.usd, 100) ||
    near(refused.request.usd, 1_000),
  UNLIMITED_APPROVAL: (refused) =>
    fieldOf(refused, 'approval_mode') === 'unlimited' &&
    fieldOf(refused, 'allow_unlimited_approval') !== true,
  APPROVAL_BUDGET(refused) {
    const budget = Number(fieldOf(refused, 'approval_budget_usd'))
    return fieldOf(refused, 'approval_mode') === 'budget' && (budget <= 0 || budget > 10_000)
  },
  ROUTE_VS_REF: (refused) => farBy(refused, 'ROUTE_VS_REF', 1),
  ROUTE_VS_MID: (refused) => farBy(refused, 'ROUTE_VS_MID', -1),
  // A busy machine: a dependency of the service did not answer in time.
  RPC_UNAVAILABLE: mendsByAsking,
  SCREEN_UNAVAILABLE: mendsByAsking,
  AUDIT_UNAVAILABLE: mendsByAsking,
  async NO_ROUTE(refused) {
    const isTied = ends(refused).some(({ directOnly }) => directOnly)
    if (isTied && ends(refused).every(({ symbol }) => symbol !== 'ETH')) return true
    return fieldOf(refused, 'route_id') !== undefined && mendsByAsking(refused)
  },
  MIN_NOTIONAL: async (refused) => (await sizeNow(refused)) < TRADE.minNotionalUsd * MOVED,
  MAX_NOTIONAL: async (refused) => (await sizeNow(refused)) > TRADE.maxNotionalUsd / MOVED,
}

/** Tolerated price move between a refusal and the quote it is compared with. */
const MOVED = 1.25

/** Dollars as requested; atoms by a current quote, since prices have moved since the start. */
async function sizeNow({ request, wallet }: Refused): Promise<number> {
  const { token_in, token_out, notional_usd, amount_in } = request.body
  if (notional_usd !== undefined) return Number(notional_usd)
  const { status, body } = await wallet.post<{ notional_usd: number | null }>('live/quote', {
    token_in,
    token_out,
    amount_in,
  })
  return (status === 200 ? body.notional_usd : null) ?? request.usd
}

/**
 * The failed check reports the distance; the limits are the documented ones, and a refusal needs a large
 * distance.
 */
function farBy({ answer }: Refused, code: string, sign: 1 | -1): boolean {
  const { checks } = answer.body.error!['policy'] as {
    checks: { code: string; value: number; limit: number }[]
  }
  const { value, limit } = checks.find((check) => check.code === code) ?? { value: 0, limit: 0 }
  return value * sign > limit * sign && limit * sign >= 300
}

/** The request's own minimum is above what arrives now, whatever the first answer expected. */
async function wantsTooMuch({ request, wallet }: Refused, { crowd }: RandomMarket): Promise<boolean> {
  const { min_amount_out: wanted, ...rest } = request.body
  if (wanted === undefined || crowd) return wanted !== undefined
  await sleep(FOLLOWED_MS)
  const { status, body } = await wallet.post<{ amount_out_expected: string }>(request.path, rest)
  return status === 200 && BigInt(body.amount_out_expected) < BigInt(wanted as string)
}

/**
 * The service follows the chain, so its pools may be one block behind another trade: such a refusal is
 * planned again a moment later, with a fresh quote if a route was named.
 */
async function mendsByAsking({ request, wallet }: Refused): Promise<boolean> {
  const { route_id, token_in, token_out, notional_usd, amount_in } = request.body
  for (let tries = 0; tries < 3; tries++) {
    await sleep(FOLLOWED_MS)
    if (route_id !== undefined) {
      const size = amount_in === undefined ? { notional_usd } : { amount_in }
      const quoted = await wallet.post<{ routes: { id: string; ok: boolean }[] }>('live/quote', {
        token_in,
        token_out,
        ...size,
      })
      if (!quoted.body.routes.some(({ id, ok }) => ok && id === route_id)) return true
    }
    if ((await wallet.plan(request.body, request.path)).status === 200) return true
  }
  return false
}

const capOf = ({ other }: (typeof TRADE.slippageToleranceBySize)[number]): number => other.cap_bps

const atomsOf = ({ tokenIn, usd }: Ask): string =>
  ((BigInt(Math.round((usd / tokenIn.usd!) * 1e9)) * 10n ** BigInt(tokenIn.decimals)) / 10n ** 9n).toString()

async function graduates({ world }: RandomMarket, curve: Hex, amountIn: bigint): Promise<boolean> {
  const call = { abi: curveAbi, functionName: 'quoteBuy' as const, args: [amountIn] as const }
  const data = encodeFunctionData(call)
  const result = await world.devnet.rpc<Hex>('eth_call', [{ to: curve, data }, 'latest']).catch(() => null)
  // A curve that has graduated does not answer.
  return result === null || decodeFunctionResult({ ...call, data: result }).graduates
}

async function verdictOf({ auditUrl }: RandomMarket, { address }: Coin): Promise<string> {
  const answer = await fetch(`${auditUrl}/${address}`)
  return ((await answer.json()) as { verdict?: string }).verdict ?? 'unknown'
}
