import type { Address } from '@pit/chain'
import type { Difference, SeasonRecord } from '@pit/league/rules'
import { askTransactions, createLogSpan, needAll, scanTransfers } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { orRefuse, refuseBlock } from './readChain.ts'

/** Fewer per request: whole blocks are large. */
const BOUND = { perRequest: 20, timeoutMs: 30_000 }

type Funder = SeasonRecord['funders'][number]

/**
 * Checks on chain that each recorded first funder sent ETH or the recorded core token in the recorded block.
 * A link without a recorded block is a difference too.
 */
export async function fundersDifference(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  { entries, funders }: SeasonRecord,
): Promise<Difference | null> {
  const byAddress = new Map(funders.map((one) => [one.address, one]))
  const linking: Funder[] = []
  for (const { id, facts } of entries) {
    const { own, named, funders: ownFunders, namedFunders } = facts.party
    const proofs = [...own, ...named].flatMap((address) => byAddress.get(address) ?? [])
    const linked = new Set([...ownFunders, ...namedFunders])
    const unproved = [...linked].find((funder) => !proofs.some((one) => one.funder === funder))
    if (unproved !== undefined) return { path: `funders.${id}`, recorded: unproved, rebuilt: null }
    linking.push(...proofs.filter(({ funder }) => linked.has(funder)))
  }
  const senders = await readSenders(rpc, [...new Set(linking)])
  for (const { address, funder } of linking) {
    const shown = senders.get(address) ?? null
    if (shown !== funder) return { path: `funders.${address}`, recorded: funder, rebuilt: shown }
  }
  return null
}

async function readSenders(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  funders: readonly Funder[],
): Promise<Map<string, string>> {
  const senders = new Map<string, string>()
  const byEther = funders.filter(({ token }) => token === null)
  const blocks = [...new Set(byEther.map(({ block }) => block))]
  const questions = blocks.map((block) => askTransactions(block))
  const sent = await orRefuse(needAll(rpc, questions, BOUND))
  const inBlock = new Map(blocks.map((block, i) => [block, sent[i] ?? refuseBlock(block)]))
  for (const { address, block } of byEther) {
    const first = inBlock.get(block)!.find(({ to, valueWei }) => to === address && valueWei > 0n)
    if (first) senders.set(address, first.from)
  }
  for (const { address, block, token } of funders) {
    if (token === null) continue
    const filter = { tokens: [token as Address], receivers: [address as Address] }
    const range = { from: block, to: block }
    const { transfers } = await orRefuse(scanTransfers(rpc, createLogSpan({ max: 1 }), filter, range))
    const first = transfers.sort((a, b) => a.logIndex - b.logIndex).find(({ atoms }) => (atoms ?? 0n) > 0n)
    if (first) senders.set(address, first.from)
  }
  return senders
}
