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

/** Who first funded an address, in which block. A null funder links nobody: see below. */
export type Funding = { funder: Address | null; block: number }

/**
 * Finds who first sent addresses ETH. Up to an address's first transaction its balance only grows, and its
 * nonce never shrinks: the first block with either is found by halving, all addresses side by side. Null for
 * an address without ETH, undefined if the node lacks the past or the ETH came inside another transaction.
 */
export async function findFunders(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  addresses: readonly Address[],
): Promise<Map<Address, Funding | null | undefined>> {
  const head = await readOne(rpc, askBlockNumber())
  const found = new Map<Address, Funding | null | undefined>()
  const spans = new Map(addresses.map((address) => [address, { low: 0, high: head }]))
  const settle = (address: Address, funding: Funding | null | undefined) => {
    found.set(address, funding)
    spans.delete(address)
  }
  const look = async (blockOf: (span: { low: number; high: number }) => number) => {
    const asked = [...spans].map(([address, span]) => ({ address, block: blockOf(span) }))
    return usedAt(rpc, asked)
  }
  for (const { address, used } of await look(({ high }) => high)) {
    if (used === undefined) settle(address, undefined)
    // Nobody has funded it yet.
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
  return found
}

/** Whether an address had a balance or had sent anything at a block. */
async function usedAt(rpc: Pick<Rpc, 'batch'>, asked: readonly { address: Address; block: number }[]) {
  const answers = await readAll(
    rpc,
    asked.flatMap(({ address, block }) => [askEther(address, block), askNonce(address, block)]),
  )
  return asked.map((one, i) => {
    const [wei, nonce] = [answers[2 * i], answers[2 * i + 1]]
    return { ...one, used: wei === undefined || nonce === undefined ? undefined : wei > 0 || nonce > 0 }
  })
}

/** A contract that pays out to anyone, as a bridge does, makes no owner of those it pays. */
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

/** A node that refuses cannot tell; one that cannot be reached says nothing, and is asked again. */
function unknownIfRefused(error: unknown): undefined {
  if (!(error instanceof RpcError)) throw error
}

/** A wallet that delegated its code is still a wallet. */
export const isContract = (code: Hex): boolean => code !== '0x' && !code.startsWith('0xef0100')
