import type { Address, Hex } from '@pit/chain'
import {
  askBlockNumber,
  askCode,
  askEther,
  askNonce,
  askTransactions,
  readAll,
  readOne,
} from '@pit/platform/reads'
import { type Rpc, RpcError } from '@pit/platform/rpc'

/** Halvings of any chain's length. */
const MAX_STEPS = 64

/** The first funder of an address and the block. A null funder makes no link: see `senderIn`. */
export type Funding = { funder: Address | null; block: number }

/**
 * Finds who first sent addresses ETH. Up to an address's first transaction its balance only grows, and its
 * nonce never shrinks, so a binary search finds the first block with either, for all addresses at once. Null
 * for an address without ETH, undefined if the node lacks the past or the ETH came inside another
 * transaction.
 */
export async function findFunders(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  addresses: readonly Address[],
): Promise<Map<Address, Funding | null | undefined>> {
  const head = await readOne(rpc, askBlockNumber())
  const fundings = new Map<Address, Funding | null | undefined>()
  const spans = new Map(addresses.map((address) => [address, { low: 0, high: head }]))
  const settle = (address: Address, funding: Funding | null | undefined) => {
    fundings.set(address, funding)
    spans.delete(address)
  }
  const look = async (blockOf: (span: { low: number; high: number }) => number) => {
    const lookups = [...spans].map(([address, span]) => ({ address, block: blockOf(span) }))
    return usedAt(rpc, lookups)
  }
  for (const { address, used } of await look(({ high }) => high)) {
    if (used === undefined) settle(address, undefined)
    // Not funded yet.
    else if (!used) settle(address, null)
  }
  for (const { address, used } of await look(({ low }) => low)) {
    if (used === undefined) settle(address, undefined)
    else if (used) settle(address, { funder: null, block: 0 })
  }
  for (let step = 0; step < MAX_STEPS && spans.size > 0; step++) {
    const middle = ({ low, high }: { low: number; high: number }) => Math.floor((low + high) / 2)
    for (const { address, block, used } of await look(middle)) {
      const span = spans.get(address)!
      if (used === undefined) settle(address, undefined)
      else if (used) span.high = block
      else span.low = block
    }
    for (const [address, { low, high }] of [...spans]) {
      if (high - low > 1) continue
      settle(address, await senderIn(rpc, address, high).catch(unknownIfRefused))
    }
  }
  return fundings
}

/** Whether an address had a balance or had sent anything at a block. */
async function usedAt(rpc: Pick<Rpc, 'batch'>, lookups: readonly { address: Address; block: number }[]) {
  const answers = await readAll(
    rpc,
    lookups.flatMap(({ address, block }) => [askEther(address, block), askNonce(address, block)]),
  )
  return lookups.map((one, i) => {
    const [wei, nonce] = [answers[2 * i], answers[2 * i + 1]]
    return { ...one, used: wei === undefined || nonce === undefined ? undefined : wei > 0 || nonce > 0 }
  })
}

/** A funder that is a contract, such as a bridge, is not evidence of a common owner: it is null. */
async function senderIn(
  rpc: Pick<Rpc, 'request'>,
  address: Address,
  block: number,
): Promise<Funding | null | undefined> {
  const sent = (await readOne(rpc, askTransactions(block)))?.find(
    ({ to, valueWei }) => to === address && valueWei > 0n,
  )
  // Delegating a wallet's code raises its nonce, and another account may pay for that.
  if (!sent) return (await readOne(rpc, askEther(address, block))) === 0n ? null : undefined
  const code = await readOne(rpc, askCode(sent.from, block))
  return { funder: isContract(code) ? null : sent.from, block }
}

/** An RPC error means unknown; if the node cannot be reached the error is rethrown and the run repeated. */
function unknownIfRefused(error: unknown): undefined {
  if (!(error instanceof RpcError)) throw error
}

/** A wallet that delegated its code is still a wallet. */
export const isContract = (code: Hex): boolean => code !== '0x' && !code.startsWith('0xef0100')
