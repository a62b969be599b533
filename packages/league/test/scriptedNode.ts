import type { AgentVault, VaultAgent } from '@pit/agent-registry'
import type { Address } from '@pit/chain'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { ETH, quantity, type ScriptedChain, word } from '@pit/platform/test/scriptedChain'

const PLENTY = 10n ** 30n

/** Scripts the node's responses for transactions that only the store knows, and its refusals. */
export function scriptNode(chain: ScriptedChain) {
  const node = {
    /** Gas cost by transaction hash; others cost `gasWei`. Null: the receipt is lost. */
    gas: new Map<string, bigint | null>(),
    gasWei: 0n,
    /** Transactions whose receipts the node fails to return. */
    failing: new Set<string>(),
    /** Tokens whose logs the node refuses to scan, and whether log queries make it unreachable. */
    noLogsOf: new Set<string>(),
    dropsOnLogs: false,
    /** A wallet's balance at a block; plenty unless a test overrides it. */
    balanceOf: (_holding: { token: Address; wallet: Address; block: number }): bigint => PLENTY,
    /** Whether old state is gone. */
    forgetsBalances: false,
  }
  chain.onCall(({ to, data }, block) => {
    const isEther = data.startsWith('0x4d2301cc')
    if (!isEther && !data.startsWith('0x70a08231')) return undefined
    return word(node.balanceOf({ token: isEther ? ETH : to, wallet: `0x${data.slice(34)}`, block }))
  })
  chain.on('eth_call', (_, usual) => {
    if (node.forgetsBalances) throw new RpcError('eth_call', -32_000, 'missing trie node', null)
    return usual()
  })
  chain.on('eth_getTransactionReceipt', ([hash], usual) => {
    if (node.failing.has(hash))
      throw new RpcError('eth_getTransactionReceipt', -32_000, 'internal error', null)
    const own = usual()
    if (own !== null) return own
    const cost = node.gas.has(hash) ? node.gas.get(hash)! : node.gasWei
    if (cost === null) return null
    const where = { blockNumber: '0x1', blockHash: hash }
    return { status: '0x1', ...where, logs: [], gasUsed: '0x1', effectiveGasPrice: quantity(cost) }
  })
  chain.on('eth_getLogs', ([{ address }], usual) => {
    if (node.dropsOnLogs) {
      chain.isDown = true
      throw new RpcUnreachable('eth_getLogs')
    }
    if (address.some((token: string) => node.noLogsOf.has(token)))
      throw new RpcError('eth_getLogs', -32_005, 'too many results', null)
    return usual()
  })
  return node
}

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
      const withdrawn = vault.withdrawals
        .filter((one) => block === 'latest' || one.block <= block)
        .reduce((sum, { amount }) => sum + amount, 0n)
      return { principal: 10n ** 24n, gain: BigInt(atS - genesisS) * vault.perSecond - withdrawn }
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
