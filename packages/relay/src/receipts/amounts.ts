import {
  type Address,
  type CurvePool,
  ERC20_TRANSFER_TOPIC,
  type Hex,
  hookEffectOf,
  launchpadOf,
  TOPIC,
} from '@pit/chain'
import { addressIn, wordIn } from '@pit/platform/reads'
import { beforeBps, feeOf, lower, NATIVE_TOKEN } from '@pit/protocol'
import type { RelayDeps } from '../deps.ts'
import type { BookedFee, FollowedRow, ReceiptLog } from './types.ts'

const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

/** Contracts whose logs count. */
export interface Addresses {
  router: Address | null
  weth: Address | null
  poolManager: Address | null
  /** Whether a v4 pool pays ETH as logged; undefined if unknown, or if a hook may deduct from it. */
  isEtherPool(id: Hex): boolean | undefined
  /** The curve that buys a token for ETH. */
  curveOf(token: Address): Pick<CurvePool, 'id' | 'launchpad'> | undefined
}

/** The profile's contracts, and the pools and curves known to the market. */
export function addressesOf({ profile, market }: Pick<RelayDeps, 'profile' | 'market'>): Addresses {
  const { universal_router, weth, v4_pool_manager } = profile.contracts
  const orNull = (address: string | null) => (address === null ? null : lower(address))
  return {
    router: orNull(universal_router),
    weth: orNull(weth),
    poolManager: orNull(v4_pool_manager),
    isEtherPool(id) {
      const pool = market.pool?.(id)
      if (pool?.version !== 'v4') return undefined
      if (pool.token0 !== NATIVE_TOKEN) return false
      return hookEffectOf(pool.key) === 'amounts' ? undefined : true
    },
    curveOf: (token) => {
      const curve = market.curveOf?.(token)
      return curve?.version === 'curve' ? curve : undefined
    },
  }
}

export interface Transfer {
  from: Address
  to: Address
  atoms: bigint
}

/** Transfers of one token, from its own logs. */
export function transfersOf(logs: readonly ReceiptLog[], token: Address): Transfer[] {
  const transfers: Transfer[] = []
  for (const { address, topics, data } of logs) {
    if (address !== token || topics[0] !== ERC20_TRANSFER_TOPIC) continue
    const [from, to, atoms] = [addressIn(topics[1]), addressIn(topics[2]), wordIn(data)]
    if (from && to && atoms !== null) transfers.push({ from, to, atoms })
  }
  return transfers
}

/** Change of a holder's balance, from the token's logs. */
export function netReceived(logs: readonly ReceiptLog[], token: Address, holder: Address): bigint {
  let net = 0n
  for (const { from, to, atoms } of transfersOf(logs, token)) {
    if (to === holder) net += atoms
    if (from === holder) net -= atoms
  }
  return net
}

/**
 * ETH produced by a swap before any fee, from logs: ether unwrapped by the router, payments of ETH pools and of
 * the curve. Null without such a log, or if one could not be attributed.
 */
export function etherMade(
  logs: readonly ReceiptLog[],
  row: FollowedRow,
  addresses: Addresses,
): bigint | null {
  let etherOut: bigint | null = null
  const add = (wei: bigint | null) => {
    if (wei !== null) etherOut = (etherOut ?? 0n) + wei
  }
  const curve = row.token_in === null ? undefined : addresses.curveOf(row.token_in)
  for (const { address, topics, data } of logs) {
    const [topic, first] = topics
    if (address === addresses.weth && topic === WITHDRAWAL && addressIn(first) === addresses.router) {
      add(wordIn(data))
    } else if (address === addresses.poolManager && topic === TOPIC.v4Swap && first) {
      if (addressIn(topics[2]) !== addresses.router) continue
      const gained = BigInt.asIntN(128, wordIn(data) ?? 0n)
      if (gained <= 0n) continue
      const ofEther = addresses.isEtherPool(first)
      if (ofEther === undefined) return null
      if (ofEther) add(gained)
    } else if (curve && address === curve.id) {
      const move = launchpadOf(curve.launchpad).moveIn({ address, topics, data })
      if (move?.side === 'sell') add(move.pairAmount)
    }
  }
  return etherOut
}

/** The part of that ETH that reaches the wallet: less a portion or a fixed fee. */
export function etherDelivered(row: FollowedRow, made: bigint): bigint {
  if (row.fee_side !== 'output' || row.fee_apart) return made
  return made - (row.fee_amount === null ? feeOf(made, row.fee_bps ?? 0) : BigInt(row.fee_amount))
}

/** The smallest amount of produced ETH for this delivery, so that no fee is overstated. */
export function etherMadeFor(row: FollowedRow, delivered: bigint): bigint {
  if (row.fee_side !== 'output' || row.fee_apart) return delivered
  if (row.fee_amount !== null) return delivered + BigInt(row.fee_amount)
  return beforeBps(delivered, row.fee_bps ?? 0)
}

/** The wallet's output, less an output-side fee paid separately, as in the plan's minimum. */
export function amountOutOf(row: FollowedRow, delivered: bigint): bigint {
  const apart = row.fee_apart && row.fee_side === 'output' ? BigInt(row.fee_amount ?? 0) : 0n
  return delivered > apart ? delivered - apart : 0n
}

/** Whether a mined row books a fee. A swap whose fee is a separate transaction does not. */
export function booksFee(row: FollowedRow): boolean {
  if (row.fee_token === null || row.fee_recipient === null || !row.fee_bps) return false
  return row.kind === 'fee_transfer' || (row.kind === 'swap' && !row.fee_apart)
}

/**
 * Tokens that reached the fee recipient, from logs: from the wallet for a fixed fee, from the router for a
 * portion. Null without such a log.
 */
export function tokenFeeByLogs(
  logs: readonly ReceiptLog[],
  row: FollowedRow,
  addresses: Addresses,
): bigint | null {
  if (row.fee_token === null || row.fee_token === NATIVE_TOKEN) return null
  const payer = row.fee_amount === null ? addresses.router : row.wallet
  const paid = transfersOf(logs, row.fee_token).filter(
    ({ from, to }) => to === row.fee_recipient && from === payer,
  )
  return paid.length === 0 ? null : paid.reduce((sum, { atoms }) => sum + atoms, 0n)
}

export function bookedFee(row: FollowedRow, atoms: bigint): BookedFee | null {
  const { fee_token, fee_recipient, fee_bps, fee_class, fee_side } = row
  if (!fee_token || !fee_recipient || !fee_bps || !fee_class || !fee_side || atoms <= 0n) return null
  return { token: fee_token, atoms, side: fee_side, bps: fee_bps, class: fee_class, recipient: fee_recipient }
}
