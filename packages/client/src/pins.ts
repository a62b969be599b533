import { type Address, knownAddress, type MarkSource, markSourcesOf, type Pinned, pinnedIn } from '@pit/chain'
import {
  type Answer,
  type ChainProfile,
  CLIENT,
  FEE,
  type FeeClass,
  isCoreSymbol,
  RISK_CODES,
  RISKS,
} from '@pit/protocol'
import { refuse } from './errors.ts'

/**
 * Values that the client takes from its own profile, never from a server.
 * @public
 */
export interface Pins extends Pinned {
  profile: ChainProfile
  cosigner: Address | null
  /** Sources of the client's own prices, by token. */
  marks: ReadonlyMap<Address, MarkSource>
  /** Maximum age of the newest block that anything is signed at. */
  headMaxAgeS: number
}

/**
 * A profile with the two addresses that belong to the service rather than to the chain.
 * @public
 */
export function pinsOf(
  profile: ChainProfile,
  own: { cosigner?: Address; feeRecipient?: Address } = {},
): Pins {
  const whole = { ...profile, fee_recipient: own.feeRecipient ?? profile.fee_recipient }
  return {
    ...pinnedIn(whole, (name) =>
      refuse('CONFIG_MISMATCH', `profile ${profile.name} has no ${name}, so nothing can be signed`),
    ),
    profile,
    cosigner: knownAddress(own.cosigner ?? profile.cosigner),
    marks: new Map(markSourcesOf(profile).map((source) => [source.token, source])),
    headMaxAgeS: Math.min(profile.chain.head_max_age_s ?? CLIENT.headMaxAgeS, CLIENT.headMaxAgeS),
  }
}

/**
 * The token a caller names: a core symbol, exactly as written, or an address.
 * @public
 */
export function tokenNamed(pins: Pins, name: string): Address | null {
  if (/^0x[0-9a-fA-F]{40}$/.test(name)) return name.toLowerCase() as Address
  for (const [address, { core }] of pins.tokens) if (core === name) return address
  return null
}

/**
 * Fields in which a server's config differs from the pins; empty if it matches.
 * @public
 */
export function configDiffs(pins: Pins, config: Answer<'config'>): string[] {
  const diffs: string[] = []
  const same = (field: string, served: unknown, pinned: unknown) => {
    const equal =
      typeof served === 'string' && typeof pinned === 'string'
        ? served.toLowerCase() === pinned.toLowerCase()
        : served === pinned
    if (!equal) diffs.push(field)
  }
  same('chain_id', config.chain_id, pins.profile.chain_id)
  same('universal_router', config.universal_router, pins.router)
  same('permit2', config.permit2, pins.permit2)
  same('multicall3', config.multicall3, pins.multicall3)
  for (const [address, { core, decimals }] of pins.tokens) {
    if (core === null) continue
    same(`tokens.${core}.address`, config.tokens[core]?.address, address)
    same(`tokens.${core}.decimals`, config.tokens[core]?.decimals, decimals)
  }
  for (const symbol of Object.keys(config.tokens)) if (!isCoreSymbol(symbol)) diffs.push(`tokens.${symbol}`)
  same('fee.schedule', config.fee.schedule, FEE.schedule)
  same('fee.recipient', config.fee.recipient, pins.feeRecipient)
  same('fee.other_bps', config.fee.other_bps, FEE.otherBps)
  same('fee.shield_add_bps', config.fee.shield_add_bps, FEE.shieldAddBps)
  same('fee.max_bps', config.fee.max_bps, FEE.maxBps)
  same(
    'fee.major_tiers',
    JSON.stringify(config.fee.major_tiers.map(tier)),
    JSON.stringify(FEE.majorTiers.map(tier)),
  )
  for (const code of RISK_CODES) same(`risks.${code}`, config.risks[code], RISKS[code].severity)
  for (const code of Object.keys(config.risks)) if (!Object.hasOwn(RISKS, code)) diffs.push(`risks.${code}`)
  // Where none is pinned, trades can be verified and sessions cannot.
  if (pins.cosigner !== null) same('session.cosigner', config.session.cosigner, pins.cosigner)
  same('session.delegation_manager', config.session.delegation_manager, pins.addresses.manager)
  same('session.stateless_delegator', config.session.stateless_delegator, pins.addresses.delegator)
  for (const [name, address] of Object.entries(pins.profile.delegation.enforcers))
    if (name in config.session.enforcers)
      same(`session.enforcers.${name}`, config.session.enforcers[name], address)
  return diffs
}

/** Refuses a server that speaks of another chain, other contracts, other risks or another recipient. */
export function checkConfig(pins: Pins, config: Answer<'config'>): void {
  let diffs: string[]
  try {
    diffs = configDiffs(pins, config)
  } catch (cause) {
    refuse('CONFIG_MISMATCH', 'the config lacks required fields', { cause })
  }
  if (diffs.length > 0) refuse('CONFIG_MISMATCH', `${diffs.slice(0, 5).join(', ')} differ`, { diffs })
}

/** The fee class of two tokens. A token by address is major while it runs on the stock beacon. */
export const feeClassOf = (
  pins: Pins,
  [one, other]: readonly [Address, Address],
  standsOnBeacon: (token: Address) => boolean,
): FeeClass => {
  const isMajor = (token: Address): boolean => isCore(pins, token) || standsOnBeacon(token)
  return isMajor(one) && isMajor(other) ? 'major' : 'other'
}

export const isCore = (pins: Pick<Pins, 'tokens'>, token: Address): boolean =>
  (pins.tokens.get(token)?.core ?? null) !== null

const tier = ({ min_30d_volume_usd, bps }: { min_30d_volume_usd: number; bps: number }) => [
  min_30d_volume_usd,
  bps,
]
