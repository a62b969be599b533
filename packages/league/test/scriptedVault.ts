import type { AgentVault, VaultAgent } from '@pit/market'
import { RpcUnreachable } from '@pit/platform/rpc'

/** A registry whose platform stake earns so many atoms a second. */
export function createScriptedVault({ timeOf }: { timeOf(block: number): number }, genesisS: number) {
  const vault = {
    agents: new Map<string, VaultAgent>(),
    perSecond: 0n,
    withdrawals: [] as { block: number; amount: bigint }[],
    answering: true,
  }
  const answering = () => {
    if (!vault.answering) throw new RpcUnreachable('eth_call')
  }
  const face: AgentVault = {
    async agent(id) {
      answering()
      return vault.agents.get(id) ?? null
    },
    async agents(ids) {
      answering()
      return ids.map((id) => vault.agents.get(id) ?? null)
    },
    async stake(_id, block) {
      answering()
      const atS = timeOf(block === 'latest' ? Number.MAX_SAFE_INTEGER : block)
      const taken = vault.withdrawals
        .filter((one) => block === 'latest' || one.block <= block)
        .reduce((sum, { amount }) => sum + amount, 0n)
      return { principal: 10n ** 24n, gain: BigInt(atS - genesisS) * vault.perSecond - taken }
    },
    async gainWithdrawn(_id, fromBlock, toBlock) {
      answering()
      return vault.withdrawals
        .filter(({ block }) => block >= fromBlock && block <= toBlock)
        .reduce((sum, { amount }) => sum + amount, 0n)
    },
  }
  return { vault, face }
}
