import { type Address, type Hex, NATIVE } from '@pit/chain'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { refuse } from '../errors.ts'
import { RpcFailure } from '../own/rpc.ts'
import { isMined, movedTo, type RawReceipt, type Receipt, relay, waitMined } from './sendSigned.ts'

interface Bound {
  /** Whose balance grows: the account's, or that of the wallet behind its session. */
  receiver: Address
  tokenOut: Address
  leastOut: bigint
  /** How long it is waited for. */
  deadlineS: number
  /** The call itself has no deadline: past it the bytes can still be mined, until their nonce is used. */
  undated?: true
}
/** A trade's signed bytes and what they must bring. Who keeps it can finish the trade after a crash. */
export interface SignedTrade extends Bound {
  raws: readonly Hex[]
  hashes: readonly Hex[]
}
export interface Followed {
  receipt: Receipt
  /** What the receiver got; null where the receipt cannot show it. */
  amountOut: bigint | null
}

/** Waits until sent bytes are mined, and holds what arrived against the minimum. */
export async function follow(
  deps: ClientDeps,
  bound: Bound,
  hashes: readonly Hex[],
  { signal }: VerbOptions,
): Promise<Followed> {
  const { deadlineS, undated } = bound
  const receipt = await waitMined(deps, hashes.at(-1)!, { deadlineS, undated, signal })
  const amountOut = await received(deps, bound, receipt, hashes)
  if (amountOut !== null && amountOut < bound.leastOut)
    refuse('MINED_MISMATCH', `${amountOut} arrived where ${bound.leastOut} was the minimum`, {
      tx_hash: receipt.hash,
    })
  return { receipt, amountOut }
}

/** Finishes a trade that was signed before: looks for it, and sends the same bytes again if it must. */
export async function resume(
  deps: ClientDeps,
  signed: SignedTrade,
  { signal }: VerbOptions = {},
): Promise<Followed> {
  const { hashes } = signed
  if (!(await isMined(deps, hashes.at(-1)!)))
    await relay(deps, signed.raws, hashes, { deadlineS: signed.deadlineS, signal })
  return follow(deps, signed, hashes, { signal })
}

/** Tokens by the receipt's logs; ETH by the balance around its block, the gas of the trade added again. */
async function received(
  deps: ClientDeps,
  { tokenOut, receiver: wallet }: Bound,
  receipt: Receipt,
  hashes: readonly Hex[],
): Promise<bigint | null> {
  if (tokenOut !== NATIVE) return movedTo(receipt, tokenOut, wallet)
  // A session's executor pays the gas: another wallet's balance is not told apart by it.
  if (wallet !== deps.account.address) return null
  const { block } = receipt
  const at = (method: string, number: number) => ({ method, params: [wallet, `0x${number.toString(16)}`] })
  const answers = await deps.rpc
    .all([
      at('eth_getBalance', block - 1),
      at('eth_getBalance', block),
      at('eth_getTransactionCount', block - 1),
      at('eth_getTransactionCount', block),
      ...hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    ])
    .catch(() => [new RpcFailure('unreachable')])
  if (answers.some((answer) => answer instanceof RpcFailure || !answer)) return null
  const [before, after, first, next] = answers.slice(0, 4).map((answer) => BigInt(answer as Hex))
  const own = (answers.slice(4) as RawReceipt[]).filter(({ blockNumber }) => Number(blockNumber) === block)
  // Another transaction of the wallet in the same block moved ether too.
  if (next! - first! !== BigInt(own.length)) return null
  const gasWei = own.reduce((sum, one) => sum + BigInt(one.gasUsed) * BigInt(one.effectiveGasPrice), 0n)
  return after! - before! + gasWei
}
