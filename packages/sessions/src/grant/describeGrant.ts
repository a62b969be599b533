import {
  describeCaveats,
  NOT_ENFORCED_ON_CHAIN,
  ON_CHAIN_BOUNDS,
  type OnChainBound,
  type RootAsk,
  readRoot,
} from '@pit/chain'
import type { SessionBinding, SessionBindingV3 } from '@pit/protocol'
import { boundRiskTerms } from '@pit/protocol'
import { type PlanStep, stepJson, usdOf } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import type { WalletCode } from '../readWallet.ts'
import type { Session } from '../types.ts'
import { exposureOf } from './exposure.ts'
import type { GrantToken } from './findTokens.ts'
import type { TokenBudget } from './setup.ts'
import type { PendingAnswer } from './startGrant.ts'
import { authorizationJson, delegationJson } from './typedData.ts'

export interface Granted {
  session: Session
  binding: SessionBindingV3
  tokens: readonly GrantToken[]
  eth: RootAsk['eth']
  code: WalletCode
  setup: readonly PlanStep[]
  budgets: readonly TokenBudget[]
  nowS: number
}

export function describeGrant(deps: Pick<SessionDeps, 'crypto' | 'place'>, granted: Granted): PendingAnswer {
  const { session, binding, setup, code, budgets, nowS } = granted
  const { crypto } = deps
  const { delegation: place } = deps.place()
  const { curveRoots, authorization } = session
  const read = readRoot(crypto, place, session.root)
  const windowStartS = (read?.kind === 'router' && read.eth?.startS) || nowS
  return {
    session_id: session.id,
    status: 'pending',
    wallet: session.wallet,
    executor: session.executor,
    cosigner: binding.cosigner,
    expires: binding.expires_at,
    wallet_code: code,
    sign: {
      delegation: { ...delegationJson(crypto, place, session.root), binding },
      authorization: authorization && authorizationJson(crypto, authorization, session.wallet),
      curve_roots: curveRoots && curveJson(deps, curveRoots),
    },
    setup: setup.map(stepJson),
    risk_terms: riskTermsJson(binding),
    caveats: describeCaveats(place, session.root.caveats).map((caveat) => ({ ...caveat })),
    limits: limitsJson(binding),
    exposure: exposureOf({
      binding,
      nowS,
      eth: granted.eth && { ...granted.eth, windowStartS },
      hasCurves: curveRoots !== null,
      budgets,
      tokens: granted.tokens,
    }),
    on_chain_bounds: boundsOf(granted).map((bound) => ON_CHAIN_BOUNDS[bound]),
    not_enforced_on_chain: Object.values(NOT_ENFORCED_ON_CHAIN),
    curve: curveRoots && curvesJson(granted),
    // biome-ignore lint/suspicious/noThenProperty: the contract's name; a string is no thenable
    then: thenOf(granted),
  }
}

export const limitsJson = ({ limits }: SessionBinding) => ({
  max_trade_usd: usdOf(BigInt(limits.max_trade_micro_usd)),
  max_day_usd: usdOf(BigInt(limits.max_day_micro_usd)),
  max_trades: limits.max_trades,
})

export function riskTermsJson(binding: SessionBinding) {
  const { accept_risks, shield, policies } = boundRiskTerms(binding)
  return { accept_risks, shield, policies }
}

/** By hash: what is signed for each, and what it is for. */
function curveJson(
  { crypto, place }: Pick<SessionDeps, 'crypto' | 'place'>,
  { curve, fee }: NonNullable<Session['curveRoots']>,
): Record<string, unknown> {
  const { delegation } = place()
  const entry = (kind: 'curve' | 'fee', root: typeof curve) => {
    const json = delegationJson(crypto, delegation, root)
    return [json.delegation_hash, { kind, ...json, caveats: describeCaveats(delegation, root.caveats) }]
  }
  return Object.fromEntries([entry('curve', curve), entry('fee', fee)])
}

const curvesJson = ({ tokens }: Granted): Record<string, unknown> => ({
  tokens: tokens.flatMap(({ address, symbol, curve }) => (curve ? [{ token: address, symbol, curve }] : [])),
  note: 'Trades on these curves need both roots of `sign.curve_roots` signed. Leave them out to trade through pools only.',
})

const OF_CURVES: readonly OnChainBound[] = ['curve_fee']
const OF_ETH: readonly OnChainBound[] = ['eth_per_day', 'eth_per_trade']

function boundsOf({ session, eth }: Granted): OnChainBound[] {
  return (Object.keys(ON_CHAIN_BOUNDS) as OnChainBound[]).filter(
    (bound) =>
      (session.curveRoots !== null || !OF_CURVES.includes(bound)) &&
      (eth !== null || !OF_ETH.includes(bound)),
  )
}

function thenOf({ setup, session }: Granted): string {
  const parts: string[] = []
  if (setup.length > 0) {
    parts.push('send the steps of `setup` in order from the wallet')
  }
  parts.push('sign `sign.delegation.typed_data` with the wallet’s main key')
  if (session.authorization) {
    const first = setup.length > 0 ? ', and send nothing but the setup before the first trade' : ''
    parts.push(
      `sign \`sign.authorization\` (EIP-7702, nonce ${session.authorization.nonce}): the first trade carries it${first}`,
    )
  }
  if (session.curveRoots) parts.push('sign each of `sign.curve_roots` to trade on curves')
  parts.push(
    'POST live/session/grant with session_id, delegation_signature and the other signatures; `expires` counts from now',
  )
  const text = parts.join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
