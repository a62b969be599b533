import { type Address, type Delegation, decodeCaveat, NATIVE } from '@pit/chain'
import {
  type BindingFault,
  boundMarks,
  COSIGNER,
  FEE,
  isWithinBps,
  markPrice,
  type ReadBinding,
  rescaleDown,
  SESSION,
  type SessionBinding,
  type SessionBindingV3,
  worthDown,
} from '@pit/protocol'
import { type Failure, type Rules, unreadMessage } from '../checks.ts'
import type { Pins } from '../pins.ts'
import type { OwnPrice } from '../prices/followPrices.ts'
import type { LaunchedCurve } from './readCurves.ts'
import type { MarkedToken } from './readMarked.ts'
import { type RootsReading, unpinned } from './readRoots.ts'

/** Facts that a root is judged by; none is accepted from the server unchecked. */
export interface RootFacts {
  nowS: number
  pins: Pins
  binding: ReadBinding
  /** Null while the binding cannot be read. */
  roots: RootsReading | null
  /** Set if this signer holds the executor's key; otherwise null. */
  hosted: { owner: Address; closed: boolean } | null
  delegations: readonly Delegation[]
  /** Undefined: one of them is not a launchpad's curve. Null: the chain was not read or did not answer. */
  launched: Readonly<Record<Address, LaunchedCurve>> | undefined | null
  /** Chain data of the tokens with an owner's mark; null if it did not answer. */
  marked: ReadonlyMap<Address, MarkedToken> | null
  /** The wallet's at the NonceEnforcer, of a session with controls; null if the chain did not answer. */
  walletNonce?: bigint | null
  isChainRead: boolean
  /** The reason it cannot be read, if known. */
  whyUnread?: string | null
  ownPrice(token: Address): OwnPrice
  isSanctioned(address: Address): boolean
}

/** The co-signer's clock and the server's may differ a little. */
const LEEWAY_S = COSIGNER.callWindowS

type Check = (facts: RootFacts & { bound: SessionBinding; reading: RootsReading }) => Failure | null

/** For rules that need a readable binding. */
const withBinding =
  (check: Check) =>
  (facts: RootFacts): Failure | null =>
    facts.binding.ok && facts.roots
      ? check({ ...facts, bound: facts.binding.binding, reading: facts.roots })
      : null

/** In order: the first rule that fails is the error code. */
export const rootRules: Rules<RootFacts> = [
  {
    code: 'SANCTIONED',
    check: withBinding(({ bound, isSanctioned }) => {
      if (isSanctioned(bound.wallet))
        return { message: 'The session’s wallet is sanctioned.', value: 'session_wallet' }
      return isSanctioned(bound.executor)
        ? { message: 'The session’s executor is sanctioned.', value: 'executor' }
        : null
    }),
  },
  {
    code: 'EXECUTOR_CLOSED',
    check: ({ hosted }) =>
      hosted?.closed ? { message: 'The executor is closed: its gas was refunded.' } : null,
  },
  {
    code: 'EXECUTOR_OWNER',
    check: withBinding(({ bound: { wallet: value }, hosted }) =>
      hosted === null || hosted.owner === value
        ? null
        : { message: 'The executor belongs to a hosted agent of another wallet.', value },
    ),
  },
  {
    code: 'BINDING_NONCE',
    check: ({ binding }) => bindingFailure(binding, ({ field }) => field === 'nonce'),
  },
  {
    code: 'BINDING_TERMS',
    check: ({ binding, ...facts }) =>
      binding.ok
        ? (termsFailure(binding.binding, facts) ?? decimalsFailure(binding.binding, facts.marked))
        : bindingFailure(binding, ({ field }) => field !== 'nonce'),
  },
  {
    code: 'SESSION_EXPIRED',
    check: withBinding(({ bound: { expires_at: value }, nowS: limit }) =>
      value > limit ? null : { message: 'The session has expired.', value, limit },
    ),
  },
  {
    code: 'NO_FEED_SESSION',
    check: withBinding(({ bound, nowS, pins }) => {
      const feedless = bound.tokens.find((token) => !pins.feedBacked.has(token))
      const value = bound.expires_at - nowS
      const limit = SESSION.expiresInSMaxFeedless
      if (feedless === undefined || value <= limit + LEEWAY_S) return null
      return {
        message: `${feedless} has no oracle feed, so the session may last at most a day.`,
        value,
        limit,
      }
    }),
  },
  {
    code: 'ROOT_DAY_CAP',
    check: withBinding(({ bound, delegations, pins: { addresses } }) => {
      if (!bound.tokens.includes(NATIVE)) return null
      const capped = delegations.every(({ caveats }) =>
        caveats.some((caveat) => decodeCaveat(addresses, caveat)?.enforcer === 'NativeTokenPeriodTransfer'),
      )
      return capped ? null : { message: 'A root allows ETH without an on-chain daily cap.' }
    }),
  },
  { code: 'ROOT_BINDS_LIMITS', check: withBinding(bindsLimits) },
  {
    code: 'CHAIN_UNAVAILABLE',
    check: withBinding(({ isChainRead, whyUnread, reading, launched, marked, walletNonce }) =>
      isChainRead && !(reading.curve && launched === null) && marked !== null && walletNonce !== null
        ? null
        : { message: unreadMessage(whyUnread) },
    ),
  },
  {
    code: 'PRICE_UNAVAILABLE',
    check: withBinding(({ isChainRead, reading, ownPrice }) => {
      if (!isChainRead || !reading.root?.eth) return null
      const price = ownPrice(NATIVE)
      return price.kind === 'fresh' ? null : { message: 'The co-signer has no fresh price for ETH.' }
    }),
  },
  { code: 'CAP_PRICE', check: withBinding((facts) => capPrice(facts) ?? curvePrice(facts)) },
  {
    code: 'BAD_SIGNATURE',
    check: withBinding(({ reading: { signed } }) =>
      signed ? null : { message: 'A root is not signed by the session’s wallet.' },
    ),
  },
]

function bindingFailure(binding: ReadBinding, isMine: (fault: BindingFault) => boolean): Failure | null {
  if (binding.ok || !isMine(binding)) return null
  return { message: `The binding’s ${binding.field || 'shape'}: ${binding.message}.` }
}

/** The signed terms must equal this co-signer's terms. */
function termsFailure(
  binding: SessionBinding,
  { pins, nowS, ownPrice }: Pick<RootFacts, 'pins' | 'nowS' | 'ownPrice'>,
): Failure | null {
  if (binding.version !== SESSION.bindingVersion) {
    const { version: value } = binding
    const limit = SESSION.bindingVersion
    return { message: 'New sessions need the current binding version.', value, limit }
  }
  const other = unpinned(binding, pins) ?? otherFee(binding)
  if (other) {
    const { name, value, limit } = other
    return { message: `The binding’s ${name} differs from the co-signer’s.`, value, limit }
  }
  const lastsS = binding.expires_at - nowS
  if (lastsS > SESSION.expiresInSMax + LEEWAY_S)
    return { message: 'The session lasts too long.', value: lastsS, limit: SESSION.expiresInSMax }
  return markFailure(binding, ownPrice)
}

/** Only the current rates are accepted. */
function otherFee({ fee }: SessionBindingV3): ReturnType<typeof unpinned> {
  const rates: [string, number, number][] = [
    ['fee.major_min_bps', fee.major_min_bps, FEE.majorMinBps],
    ['fee.major_max_bps', fee.major_max_bps, FEE.majorMaxBps],
    ['fee.other_bps', fee.other_bps, FEE.otherBps],
    ['fee.shield_add_bps', fee.shield_add_bps, FEE.shieldAddBps],
  ]
  const other = rates.find(([, value, limit]) => value !== limit)
  return other ? { name: other[0], value: other[1], limit: other[2] } : null
}

/** Owners' marks are for exactly the tokens the co-signer cannot price. */
function markFailure(binding: SessionBindingV3, ownPrice: RootFacts['ownPrice']): Failure | null {
  const marked = new Set<string>(boundMarks(binding).map(({ token }) => token))
  for (const token of binding.tokens) {
    const feedless = ownPrice(token).kind === 'feedless'
    if (feedless && !marked.has(token))
      return { message: `${token} has no feed, so the binding must contain the owner’s mark.` }
    if (!feedless && marked.has(token))
      return {
        message: `${token} is priced by the co-signer, so the binding must not contain a mark for it.`,
      }
  }
  return null
}

function bindsLimits(facts: Parameters<Check>[0]): Failure | null {
  const { reading, bound, launched, nowS } = facts
  if (reading.fault !== null) return { message: reading.fault }
  const other = nonceFailure(facts)
  if (other) return other
  if (reading.root?.eth && reading.root.eth.startS > nowS + LEEWAY_S)
    return {
      message: 'The root’s first window is in the future.',
      value: reading.root.eth.startS,
      limit: nowS,
    }
  if (!reading.curve || launched === null) return null
  const { root } = reading.curve
  const curves = root.curves.map((curve) => launched?.[curve])
  const strange = curves.some((curve) => curve === undefined || !bound.tokens.includes(curve.token))
  if (strange) return { message: 'The curve root allows more than the curves of the session’s tokens.' }
  const spoken = new Set(curves.map((curve) => curve?.launchpad))
  return root.launchpads.every((kind) => spoken.has(kind))
    ? null
    : { message: 'The curve root allows methods that its curves do not have.' }
}

/** Of another nonce the roots would not work, or would work again once the wallet's reaches it. */
function nonceFailure({ reading: { root }, walletNonce }: Parameters<Check>[0]): Failure | null {
  if (root?.nonce == null || walletNonce == null || root.nonce === walletNonce) return null
  return {
    message: 'The root’s nonce is not the wallet’s nonce at the NonceEnforcer: grant again.',
    value: root.nonce.toString(),
    limit: walletNonce.toString(),
  }
}

/** The on-chain ETH caps must be about the dollar limits the owner reads. */
function capPrice({ reading, bound, ownPrice, isChainRead }: Parameters<Check>[0]): Failure | null {
  const price = ownPrice(NATIVE)
  if (!isChainRead || !reading.root?.eth || price.kind !== 'fresh') return null
  const { max_trade_micro_usd, max_day_micro_usd } = bound.limits
  const caps: [string, bigint, number][] = [
    ['trade', reading.root.eth.tradeWei, max_trade_micro_usd],
    ['day', reading.root.eth.dayWei, max_day_micro_usd],
  ]
  for (const [name, wei, limit] of caps) {
    const microUsd = worthDown(wei, markPrice(price.priceE18, 18))
    if (isWithinBps(microUsd, BigInt(limit), COSIGNER.capPriceBandBps)) continue
    return {
      message: `The root’s ETH cap for a ${name} is far from its dollars at this price.`,
      value: microUsd.toString(),
      limit,
    }
  }
  return null
}

/** With wrong decimals a mark would mean another value. */
function decimalsFailure(binding: SessionBinding, marked: RootFacts['marked']): Failure | null {
  if (marked === null) return null
  for (const { token, decimals: value } of boundMarks(binding)) {
    const limit = marked.get(token)?.decimals
    if (limit === undefined) return { message: `${token} does not return valid decimals.` }
    if (value !== limit)
      return { message: `${token} has other decimals than the mark its owner signs.`, value, limit }
  }
  return null
}

/** The mark of a token on a curve of the session must be close to the curve's current price. */
function curvePrice({ bound, marked, ownPrice }: Parameters<Check>[0]): Failure | null {
  const ether = ownPrice(NATIVE)
  if (marked === null || ether.kind !== 'fresh') return null
  for (const { token, price_e18 } of boundMarks(bound)) {
    const weiPerToken = marked.get(token)?.weiPerToken
    if (weiPerToken == null) continue
    const [value, limit] = [BigInt(price_e18), rescaleDown(weiPerToken * ether.priceE18, 36, 18)]
    if (isWithinBps(value, limit, COSIGNER.signedMarkBandBps)) continue
    return {
      message: `The mark of ${token} is far from the price of its curve, in dollars times 10^18.`,
      value: value.toString(),
      limit: limit.toString(),
    }
  }
  return null
}
