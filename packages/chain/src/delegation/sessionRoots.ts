import { type LaunchpadKind, lower } from '@pit/protocol'
import type { Address, Hex } from '../bytes/hex.ts'
import { sameAddress, sortsBefore } from '../crypto/address.ts'
import { NATIVE } from '../router/constants.ts'
import { buildRoot, type EthCaps, type RootTerms, sortedLaunchpads } from './root.ts'
import type { Delegation, DelegationAddresses } from './types.ts'

/** Fields of a session's binding that its roots repeat; the others are only in their hash. */
export type RootBinding = {
  chain_id: number
  wallet: Address
  executor: Address
  cosigner: Address
  router: Address
  tokens: readonly Address[]
  limits: { max_trades: number }
  expires_at: number
  fee: { recipient: Address }
  /** Present in a session with controls. */
  controls?: object
}

export type RootRequest = {
  binding: RootBinding
  /** keccak256 of the binding's canonical JSON. */
  bindingHash: Hex
  /** The dollar caps at the price of the grant; null when the session does not trade ETH. */
  eth: { dayWei: bigint; tradeWei: bigint } | null
  /** The wallet's nonce at the NonceEnforcer, with controls only. */
  nonce?: bigint | null
  nowS: number
}

/**
 * The first window starts a little before the grant: a root whose window lies ahead of a block's time
 * reverts.
 */
const START_BEFORE_S = 60
/** No fee is more than a hundredth of a trade (FEE.maxBps), so all fees of a day are not more of its cap. */
const FEE_SHARE_OF_DAY = 100n

export function sessionRoot(addresses: DelegationAddresses, request: RootRequest): Delegation {
  const { executor, router } = request.binding
  return buildRoot(addresses, {
    ...shared(addresses, request),
    kind: 'router',
    executor,
    router,
    eth: capsOf(request),
  })
}

/**
 * For a session that also trades on ETH curves: one root for all of their calls, one that pays their fees.
 */
export function curveRoots(
  addresses: DelegationAddresses,
  request: RootRequest & { curves: readonly Address[]; launchpads: readonly LaunchpadKind[] },
): { curve: Delegation; fee: Delegation } {
  const eth = capsOf(request)
  if (eth === null) throw new TypeError('curves are traded for ETH, which this session does not bind')
  const common = shared(addresses, request)
  const curves = request.curves.map(lower).sort((a, b) => (sortsBefore(a, b) ? -1 : 1))
  const { executor, fee } = request.binding
  const dayWei = (eth.dayWei + FEE_SHARE_OF_DAY - 1n) / FEE_SHARE_OF_DAY
  return {
    curve: buildRoot(addresses, {
      ...common,
      kind: 'curve',
      executor,
      curves,
      launchpads: sortedLaunchpads(request.launchpads),
      eth,
    }),
    fee: buildRoot(addresses, {
      ...common,
      kind: 'fee',
      recipient: fee.recipient,
      eth: { dayWei, startS: eth.startS },
    }),
  }
}

/** Differences between a decoded root and its binding. The caller checks the ETH caps. */
export function rootDiffs(root: RootTerms, binding: RootBinding, bindingHash: Hex): string[] {
  const diffs: string[] = []
  const addresses: [string, Address, Address][] = [
    ['wallet', root.wallet, binding.wallet],
    ['cosigner', root.cosigner, binding.cosigner],
  ]
  if (root.kind !== 'fee') addresses.push(['executor', root.executor, binding.executor])
  if (root.kind === 'router') addresses.push(['router', root.router, binding.router])
  if (root.kind === 'fee') addresses.push(['fee_recipient', root.recipient, binding.fee.recipient])
  for (const [name, said, bound] of addresses) if (!sameAddress(said, bound)) diffs.push(name)
  if (root.salt !== bindingHash.toLowerCase()) diffs.push('salt')
  if (root.expiresS !== binding.expires_at) diffs.push('expires_at')
  if (root.maxTrades !== binding.limits.max_trades) diffs.push('max_trades')
  if ((root.eth !== null) !== bindsEth(binding)) diffs.push('eth')
  if ((root.nonce !== null) !== hasControls(binding)) diffs.push('nonce')
  return diffs
}

function shared(addresses: DelegationAddresses, { binding, bindingHash, nonce = null }: RootRequest) {
  if (binding.chain_id !== addresses.chainId) throw new TypeError('the binding is for another chain')
  if ((nonce !== null) !== hasControls(binding)) throw new TypeError('a nonce goes with controls')
  return {
    wallet: binding.wallet,
    cosigner: binding.cosigner,
    salt: bindingHash,
    expiresS: binding.expires_at,
    maxTrades: binding.limits.max_trades,
    nonce,
  }
}

function capsOf({ binding, eth, nowS }: RootRequest): EthCaps | null {
  if ((eth !== null) !== bindsEth(binding)) throw new TypeError('ETH caps go with ETH among the tokens')
  return eth && { ...eth, startS: nowS - START_BEFORE_S }
}

const hasControls = ({ controls }: RootBinding): boolean => controls !== undefined
const bindsEth = ({ tokens }: RootBinding): boolean => tokens.includes(NATIVE)
