import { DAY_S, LAUNCHPAD_KINDS, type LaunchpadKind, lower } from '@pit/protocol'
import type { Address, Hex } from '../bytes/hex.ts'
import type { Hashing } from '../crypto/createCrypto.ts'
import { launchpadOf } from '../launchpads/index.ts'
import { EXECUTE_WITH_DEADLINE_SELECTOR } from '../router/constants.ts'
import { type CaveatTerms, decodeCaveat, encodeCaveat } from './caveats.ts'
import { encodeDelegations } from './encode.ts'
import { delegationHash, ROOT_AUTHORITY } from './hash.ts'
import type { Delegation, DelegationAddresses } from './types.ts'

export const EXECUTE_SELECTOR: Hex = `0x${EXECUTE_WITH_DEADLINE_SELECTOR}`

/** ETH that may leave the wallet as a call's value: in any one call, and in each fixed window of a day. */
export type EthCaps = { dayWei: bigint; tradeWei: bigint; startS: number }

/**
 * The delegations a wallet signs once for a session: a root for router calls and, for launchpad curves, one for
 * their calls and one that can only pay the fee. All delegate to the co-signer and carry the binding's hash.
 */
export type RootTerms = {
  wallet: Address
  cosigner: Address
  /** Hash of the session's binding. */
  salt: Hex
  expiresS: number
  maxTrades: number
  /** The wallet's nonce at the NonceEnforcer in a session with controls: raising it ends them all. */
  nonce: bigint | null
} & (
  | { kind: 'router'; executor: Address; router: Address; eth: EthCaps | null }
  | {
      kind: 'curve'
      executor: Address
      curves: readonly Address[]
      /** Whose `buy` and `sell` may be called, in the order of LAUNCHPAD_KINDS. */
      launchpads: readonly LaunchpadKind[]
      eth: EthCaps
    }
  | { kind: 'fee'; recipient: Address; eth: { dayWei: bigint; startS: number } }
)
export type SessionRoot = RootTerms & { hash: Hex }

/**
 * The unsigned delegation. The same terms always give the same bytes. Throws on what would escape its own
 * caveats.
 */
export function buildRoot(addresses: DelegationAddresses, terms: RootTerms): Delegation {
  checkRoles(addresses, terms)
  return {
    delegate: lower(terms.cosigner),
    delegator: lower(terms.wallet),
    authority: ROOT_AUTHORITY,
    caveats: rootCaveats(addresses, terms).map((caveat) => encodeCaveat(addresses, caveat)),
    salt: BigInt(terms.salt),
    signature: '0x',
  }
}

/** Strict inverse of `buildRoot`, its signature aside; undefined for any other delegation. */
export function readRoot(
  crypto: Hashing,
  addresses: DelegationAddresses,
  delegation: Delegation,
): SessionRoot | undefined {
  try {
    const terms = termsOf(addresses, delegation)
    const same = terms && bytesOf(buildRoot(addresses, terms)) === bytesOf(delegation)
    return same ? { ...terms, hash: delegationHash(crypto, delegation) } : undefined
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

function rootCaveats(addresses: DelegationAddresses, terms: RootTerms): CaveatTerms[] {
  // Without a named redeemer the co-signer alone could redeem a root.
  const redeemer = terms.kind === 'fee' ? addresses.enforcers.NativeTokenPayment : terms.executor
  const lasting: CaveatTerms[] = [
    { enforcer: 'Timestamp', afterS: 0, beforeS: terms.expiresS },
    { enforcer: 'LimitedCalls', limit: terms.maxTrades },
  ]
  return [
    { enforcer: 'Redeemer', redeemers: [redeemer] },
    ...reach(terms),
    ...lasting,
    ...ethCaveats(terms.eth),
    ...(terms.nonce === null ? [] : [{ enforcer: 'Nonce', nonce: terms.nonce } as const]),
  ]
}

/** Callable targets and methods. */
function reach(terms: RootTerms): CaveatTerms[] {
  switch (terms.kind) {
    case 'router':
      return [
        { enforcer: 'AllowedTargets', targets: [terms.router] },
        { enforcer: 'AllowedMethods', selectors: [EXECUTE_SELECTOR] },
      ]
    case 'curve':
      return [
        { enforcer: 'AllowedTargets', targets: terms.curves },
        { enforcer: 'AllowedMethods', selectors: curveSelectors(terms.launchpads) },
      ]
    case 'fee':
      return [
        { enforcer: 'AllowedTargets', targets: [terms.recipient] },
        { enforcer: 'ExactCalldata', data: '0x' },
      ]
  }
}

const curveSelectors = (kinds: readonly LaunchpadKind[]): Hex[] =>
  kinds.map(launchpadOf).flatMap(({ methods }) => [methods.buy.selector, methods.sell.selector])

/** Each kind once and in one order, so that the same curves always give the same root. */
export const sortedLaunchpads = (kinds: Iterable<LaunchpadKind>): LaunchpadKind[] => {
  const presentKinds = new Set(kinds)
  return LAUNCHPAD_KINDS.filter((kind) => presentKinds.has(kind))
}

function ethCaveats(eth: RootTerms['eth']): CaveatTerms[] {
  // A window of nothing is refused by its enforcer, whatever the value.
  if (eth === null) return [{ enforcer: 'ValueLte', valueWei: 0n }]
  if (eth.dayWei <= 0n) throw new RangeError('a day cap of nothing')
  const window: CaveatTerms = {
    enforcer: 'NativeTokenPeriodTransfer',
    amountWei: eth.dayWei,
    periodS: DAY_S,
    startS: eth.startS,
  }
  return 'tradeWei' in eth ? [window, { enforcer: 'ValueLte', valueWei: eth.tradeWei }] : [window]
}

/** Each of these would let a key out of its bounds; proved on the contracts in e2e/sessionChain.test.ts. */
function checkRoles(addresses: DelegationAddresses, terms: RootTerms): void {
  const wallet = lower(terms.wallet)
  const targets =
    terms.kind === 'router' ? [terms.router] : terms.kind === 'curve' ? terms.curves : [terms.recipient]
  for (const target of targets.map(lower)) {
    if (target === wallet) throw new TypeError('a root that may call its own wallet escapes its caps')
    if (target === addresses.manager) throw new TypeError('a root that may call the manager escapes its caps')
  }
  if (terms.kind === 'fee') return
  const executor = lower(terms.executor)
  if (executor === wallet || executor === lower(terms.cosigner)) {
    throw new TypeError('the executor may be neither the wallet nor the co-signer')
  }
}

function termsOf(addresses: DelegationAddresses, delegation: Delegation): RootTerms | undefined {
  const caveats = delegation.caveats.map((caveat) => decodeCaveat(addresses, caveat))
  const find = <Name extends CaveatTerms['enforcer']>(name: Name) =>
    caveats.find((terms) => terms?.enforcer === name) as Extract<CaveatTerms, { enforcer: Name }> | undefined
  const [redeemer, targets, expiry, limited] = [
    find('Redeemer')?.redeemers[0],
    find('AllowedTargets')?.targets,
    find('Timestamp'),
    find('LimitedCalls'),
  ]
  const first = targets?.[0]
  if (!redeemer || !targets || !first || !expiry || !limited) return undefined
  const shared = {
    wallet: lower(delegation.delegator),
    cosigner: lower(delegation.delegate),
    salt: `0x${delegation.salt.toString(16).padStart(64, '0')}` as Hex,
    expiresS: expiry.beforeS,
    maxTrades: limited.limit,
    nonce: find('Nonce')?.nonce ?? null,
  }
  const [window, perCall] = [find('NativeTokenPeriodTransfer'), find('ValueLte')]
  const day = window && { dayWei: window.amountWei, startS: window.startS }
  const eth = day && perCall ? { ...day, tradeWei: perCall.valueWei } : null
  if (find('ExactCalldata')) return day && { ...shared, kind: 'fee', recipient: first, eth: day }
  const selectors = find('AllowedMethods')?.selectors ?? []
  if (selectors[0] === EXECUTE_SELECTOR)
    return { ...shared, kind: 'router', executor: redeemer, router: first, eth }
  const launchpads = LAUNCHPAD_KINDS.filter((kind) =>
    selectors.includes(launchpadOf(kind).methods.buy.selector),
  )
  return eth ? { ...shared, kind: 'curve', executor: redeemer, curves: targets, launchpads, eth } : undefined
}

/** Everything but the signature, args included. */
export function bytesOf(delegation: Delegation): Hex {
  return encodeDelegations([{ ...delegation, signature: '0x' }])
}
