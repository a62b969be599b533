import {
  type Address,
  curveRoots,
  type Delegation,
  delegationHash,
  delegationTypedData,
  type Hashing,
  type Hex,
  NATIVE,
  ROOT_AUTHORITY,
  readRoot,
  rootDiffs,
  type SessionRoot,
  sessionRoot,
} from '@pit/chain'
import {
  type Answer,
  type AtomPrice,
  atomsDown,
  type BindingControls,
  type BindingMark,
  type BodyInput,
  bindingHash,
  boundMarks,
  COSIGNER,
  canonicalJson,
  createBinding,
  DEFAULT_SHIELD_POLICIES,
  markPrice,
  microUsdUp,
  readControls,
  SESSION,
  type SessionBindingV3,
  worthUp,
} from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { broken, must } from '../errors.ts'
import type { OwnCurve } from '../own/curves.ts'
import type { OwnMarks } from '../own/marks.ts'
import type { OwnPrices } from '../own/ownPrice.ts'
import { type Pins, tokenNamed } from '../pins.ts'

export type Pending = Extract<Answer<'live.session.grant'>, { status: 'pending' }>
export type GrantParams = Omit<Extract<BodyInput<'live.session.grant'>, { executor: string }>, 'wallet'>

export const hashing: Hashing = {
  keccak256: (data) => keccak256(data as Hex),
  keccakText: (text) => keccak256(stringToHex(text)),
}

/** Clocks of client and service may differ. */
const CLOCK_SLACK_S = 60

/** The requested binding with the service's nonce, end and marks; throws if it differs otherwise. */
export function checkBinding(
  { pins, wallet, request, nowS }: { pins: Pins; wallet: Address; request: GrantParams; nowS: number },
  { sign }: Pending,
): SessionBindingV3 {
  const { binding } = sign.delegation
  const tokens = (request.tokens ?? ['ETH', 'USDG']).map((name) => tokenNamed(pins, name))
  if (pins.cosigner === null) return broken('GRANT_BINDING', 'the profile pins no co-signer')
  must(!tokens.includes(null), 'GRANT_BINDING', 'a token is neither a core symbol nor an address')
  const own = createBinding({
    wallet,
    executor: request.executor.toLowerCase() as Address,
    cosigner: pins.cosigner,
    router: pins.router,
    tokens: tokens as Address[],
    limits: {
      max_trade_micro_usd: Number(microUsdUp(request.max_trade_usd ?? SESSION.maxTradeUsdDefault)),
      max_day_micro_usd: Number(microUsdUp(request.max_day_usd ?? SESSION.maxDayUsdDefault)),
      max_trades: request.max_trades ?? SESSION.maxTradesDefault,
    },
    expires_at: binding.expires_at,
    nonce: binding.nonce,
    feeRecipient: pins.feeRecipient,
    risk: {
      accept_risks: request.accept_risks ?? [],
      shield: request.shield ?? false,
      policies: request.shield ? request.policies || DEFAULT_SHIELD_POLICIES : [],
    },
    marks: marksIn(binding),
    ...(request.controls && { controls: controlsOf(request.controls) }),
  })
  must(
    canonicalJson(own) === canonicalJson(binding),
    'GRANT_BINDING',
    'the binding differs from what was asked',
    {
      asked: own,
      answered: binding,
    },
  )
  const lastsS = request.expires_in_s ?? SESSION.expiresInSDefault
  const { expires_at, nonce } = binding
  const isInTime = Number.isSafeInteger(expires_at) && Math.abs(expires_at - nowS - lastsS) <= CLOCK_SLACK_S
  must(isInTime, 'GRANT_BINDING', 'the session expires at another time than requested', { expires_at })
  must(/^0x[0-9a-f]{64}$/.test(nonce), 'GRANT_BINDING', 'the nonce is malformed')
  return own
}

function controlsOf(request: NonNullable<GrantParams['controls']>): BindingControls {
  const read = readControls(request)
  if ('controls' in read) return read.controls
  return broken('GRANT_BINDING', `${read.fault.field} ${read.fault.message}`)
}

/** Prices that the owner signs because the co-signer has none; each must be close to the client's own. */
export function checkMarks(
  { pins, binding }: { pins: Pins; binding: SessionBindingV3 },
  priceOf: ReadonlyMap<Address, OwnPrices | null>,
): void {
  const unpriced = binding.tokens.filter((token) => !pins.marks.has(token))
  const marks = boundMarks(binding)
  const isOfThem = unpriced.join() === marks.map(({ token }) => token).join()
  must(isOfThem, 'GRANT_BINDING', 'the marks do not match the tokens that need one')
  for (const { token, decimals, price_e18 } of marks) {
    const own = priceOf.get(token)
    if (!own) broken('GRANT_CAPS', 'the client has no own price for a token', { token })
    const mark = markPrice(BigInt(price_e18), decimals)
    // A mark under the best bid lets more of the token be spent; one over the best ask lets too little be bought.
    const isNear =
      worthOfThousandUsd(mark, own.bid) >= THOUSAND_USD * (10_000n - MARK_BAND_BPS) &&
      worthOfThousandUsd(mark, own.ask) <= THOUSAND_USD * (10_000n + MARK_BAND_BPS)
    must(isNear, 'GRANT_CAPS', 'a mark is too far from the client’s own price', { token })
  }
}

/** At the mark, times 10^4, of as many atoms as cost a thousand dollars at the price, so that rounding is nothing. */
const worthOfThousandUsd = (mark: AtomPrice, price: AtomPrice): bigint =>
  worthUp(atomsDown(THOUSAND_USD, price), mark) * 10_000n

const THOUSAND_USD = 1_000_000_000n
/** A pool's price and the one its trades are compared with differ by its fee and a little more. */
const MARK_BAND_BPS = 1_000n

/** The marks of an answer, field by field: what else it says of them is left behind. */
const marksIn = ({ marks = [] }: SessionBindingV3): BindingMark[] =>
  marks.map(({ token, decimals, price_e18 }) => {
    must(/^[1-9][0-9]{0,35}$/.test(price_e18), 'GRANT_BINDING', 'a mark is not a valid price')
    must(
      Number.isInteger(decimals) && decimals >= 0 && decimals <= 36,
      'GRANT_BINDING',
      'a mark has invalid decimals',
    )
    return { token, decimals, price_e18 }
  })

export interface CheckedRoot {
  kind: SessionRoot['kind']
  hash: Hex
  delegation: Delegation
  typedData: ReturnType<typeof delegationTypedData>
}
export interface CheckedRoots {
  /** Everything that is signed, the router's root first: exactly these and no others. */
  roots: readonly CheckedRoot[]
  /** ETH the roots let out, by their own caveats; null if the session does not trade ETH. */
  eth: { dayWei: bigint; tradeWei: bigint } | null
}

/**
 * The roots that these tokens and this binding give, built by the client. Only the ETH caps of the router's root
 * come from the answer, within a band of the client's own price; an answer with anything else is refused.
 */
export function checkRoots(
  {
    pins,
    binding,
    marks,
    lastsS,
    curves,
    nonce = null,
  }: {
    pins: Pins
    binding: SessionBindingV3
    marks: OwnMarks
    lastsS: number
    curves: readonly OwnCurve[]
    /** The wallet's nonce at the NonceEnforcer, by the client's own node; null without controls. */
    nonce?: bigint | null
  },
  { sign }: Pending,
): CheckedRoots {
  const { addresses } = pins
  const shown = delegationIn(sign.delegation.typed_data)
  const main = readRoot(hashing, addresses, shown)
  if (main?.kind !== 'router') return broken('GRANT_CAPS', 'the delegation is not a root for the router')
  const hash = bindingHash(hashing.keccakText, binding)
  const diffs = rootDiffs(main, binding, hash)
  must(!diffs.includes('salt'), 'GRANT_BINDING', 'the root does not contain the binding’s hash')
  must(diffs.length === 0, 'GRANT_CAPS', `the root differs from the binding in ${diffs.join(', ')}`, {
    diffs,
  })
  must(main.nonce === nonce, 'GRANT_CAPS', 'the root has another nonce than the wallet’s', {
    answered: main.nonce?.toString() ?? null,
    own: nonce?.toString() ?? null,
  })
  checkEther(main, binding, marks)
  const eth = main.eth && { dayWei: main.eth.dayWei, tradeWei: main.eth.tradeWei }
  // The session's end and the first window's start are counted from the same second.
  const params = { binding, bindingHash: hash, eth, nonce, nowS: binding.expires_at - lastsS }
  const own: [SessionRoot['kind'], Delegation][] = [['router', sessionRoot(addresses, params)]]
  if (curves.length > 0) {
    const launchpads = curves.map(({ launchpad }) => launchpad)
    const built = curveRoots(addresses, { ...params, curves: curves.map(({ id }) => id), launchpads })
    own.push(['curve', built.curve], ['fee', built.fee])
  }
  const roots = own.map(([kind, delegation]): CheckedRoot => {
    const typedData = delegationTypedData(addresses, delegation)
    return { kind, hash: delegationHash(hashing, delegation), delegation, typedData }
  })
  must(main.hash === roots[0]!.hash, 'GRANT_CAPS', 'the root is not the one the client builds')
  mustBeSameRoots(roots.slice(1), sign.curve_roots)
  return { roots, eth }
}

/** No curve root that the client does not build itself, none left out, each under its own name. */
function mustBeSameRoots(own: readonly CheckedRoot[], answered: Pending['sign']['curve_roots']): void {
  const shown = Object.entries((answered ?? {}) as Record<string, { typed_data: unknown }>)
  const details = { expected: own.map(({ hash }) => hash), answered: shown.map(([name]) => name) }
  must(shown.length === own.length, 'GRANT_BINDING', 'the curve roots do not match the tokens', details)
  for (const [name, { typed_data }] of shown) {
    const hash = delegationHash(hashing, delegationIn(typed_data))
    const isOwn = hash === name.toLowerCase() && own.some((root) => root.hash === hash)
    must(isOwn, 'GRANT_BINDING', 'a curve root is not the one the client builds', { ...details, hash })
  }
}

/** ETH caps are dollars at the price of the grant: near the client's own. */
function checkEther({ eth }: SessionRoot, { limits }: SessionBindingV3, marks: OwnMarks): void {
  if (eth === null) return
  const mark = marks.get(NATIVE)
  if (!mark) broken('GRANT_CAPS', 'the client has no ETH price to check the caps')
  const price = markPrice(mark.priceE18, mark.decimals)
  const isWithin = (wei: bigint, microUsd: number): boolean =>
    worthUp(wei, price) * 10_000n <= BigInt(microUsd) * BigInt(10_000 + COSIGNER.capPriceBandBps)
  must(
    isWithin(eth.dayWei, limits.max_day_micro_usd),
    'GRANT_CAPS',
    'the day’s ETH is worth more than max_day_usd',
  )
  if ('tradeWei' in eth)
    must(
      isWithin(eth.tradeWei, limits.max_trade_micro_usd),
      'GRANT_CAPS',
      'a trade’s ETH is worth more than max_trade_usd',
    )
}

function delegationIn(typedData: unknown): Delegation {
  const { message } = typedData as {
    message: {
      delegate: string
      delegator: string
      authority: string
      caveats: { enforcer: string; terms: string }[]
      salt: string | number | bigint
    }
  }
  must(message.authority === ROOT_AUTHORITY, 'GRANT_CAPS', 'the delegation is not a root')
  return {
    delegate: message.delegate.toLowerCase() as Address,
    delegator: message.delegator.toLowerCase() as Address,
    authority: ROOT_AUTHORITY,
    caveats: message.caveats.map(({ enforcer, terms }) => ({
      enforcer: enforcer.toLowerCase() as Address,
      terms: terms.toLowerCase() as Hex,
      args: '0x',
    })),
    salt: BigInt(message.salt),
    signature: '0x',
  }
}
