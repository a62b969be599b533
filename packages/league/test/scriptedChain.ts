import type { AgentVault, VaultAgent } from '@pit/market'
import { type Rpc, type RpcCall, RpcError, RpcUnreachable } from '@pit/platform/rpc'

const BLOCK_S = 10
const quantity = (value: number | bigint): string => `0x${value.toString(16)}`

/** A chain whose blocks follow a clock, one every ten seconds, and whose past tests write. */
export function createScriptedChain(clock: { nowMs(): number }, genesisS: number) {
  const chain = {
    /** What a transaction cost, by hash; others cost `gasWei`. Null: the receipt is lost. */
    gas: new Map<string, bigint | null>(),
    gasWei: 0n,
    receipts: new Map<string, unknown>(),
    /** By address: who sent it ETH first, in which block. */
    fundings: new Map<string, { from: string; block: number; inside?: boolean }>(),
    contracts: new Set<string>(),
    transfers: [] as { token: string; from: string; to: string; block: number }[],
    answering: true,
    /** Tokens whose logs the node refuses to look through, and whether it cannot be reached while it does. */
    noLogsOf: new Set<string>(),
    dropsOnLogs: false,
    /** Transactions whose receipts the node fails at. */
    failing: new Set<string>(),
    /** Whether balances of old blocks are known. */
    archive: true,
    asked: 0,
  }
  const head = (): number => Math.max(0, Math.floor((clock.nowMs() / 1000 - genesisS) / BLOCK_S))
  const timeOf = (block: number): number => genesisS + block * BLOCK_S
  const word = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`

  function answer(method: string, params: readonly unknown[]): unknown {
    const [first, second] = params as [string, string]
    if (method === 'eth_blockNumber') return quantity(head())
    if (method === 'eth_getTransactionReceipt') {
      if (chain.failing.has(first)) throw new RpcError(method, -32_000, 'internal error', null)
      const own = chain.receipts.get(first)
      if (own !== undefined) return own
      const cost = chain.gas.has(first) ? chain.gas.get(first)! : chain.gasWei
      return cost === null ? null : { gasUsed: '0x1', effectiveGasPrice: quantity(cost) }
    }
    if (method === 'eth_getBlockByNumber') {
      const block = Number(first)
      const transactions = [...chain.fundings]
        .filter(([, funding]) => funding.block === block && !funding.inside)
        .map(([to, { from }]) => ({ from, to, value: '0x1' }))
      return block > head() ? null : { timestamp: quantity(timeOf(block)), transactions }
    }
    if (method === 'eth_getBalance' || method === 'eth_getTransactionCount') {
      if (!chain.archive) throw new RpcError(method, -32_000, 'missing trie node', null)
      const funding = chain.fundings.get(first)
      const has = funding !== undefined && Number(second) >= funding.block
      return has && method === 'eth_getBalance' ? '0x1' : '0x0'
    }
    if (method === 'eth_getCode') return chain.contracts.has(first) ? '0x6000' : '0x'
    if (method === 'eth_getLogs') {
      const filter = params[0] as {
        address: string[]
        topics: (string | string[] | null)[]
        fromBlock: string
        toBlock: string
      }
      if (filter.address.some((token) => chain.noLogsOf.has(token)))
        throw new RpcError(method, -32_005, 'too many results', null)
      return chain.transfers
        .filter(({ token, block }) => filter.address.includes(token) && block >= Number(filter.fromBlock))
        .filter(({ block }) => block <= Number(filter.toBlock))
        .filter(({ from, to }) =>
          [from, to].every((address, i) => {
            const wanted = filter.topics[i + 1]
            return wanted == null || wanted.includes(word(address))
          }),
        )
        .map(({ token, from, to, block }) => ({
          address: token,
          topics: [filter.topics[0], word(from), word(to)],
          transactionHash: word(token),
          blockNumber: quantity(block),
        }))
    }
    throw new RpcError(method, -32_601, 'no such method', null)
  }
  const rpc: Pick<Rpc, 'request' | 'batch'> = {
    async request<T>(method: string, params: readonly unknown[] = []) {
      chain.asked++
      if (chain.dropsOnLogs && method === 'eth_getLogs') chain.answering = false
      if (!chain.answering) throw new RpcUnreachable(method)
      return answer(method, params) as T
    },
    async batch(calls: readonly RpcCall[]) {
      chain.asked++
      if (!chain.answering) throw new RpcUnreachable('batch')
      return calls.map(([method, params]) => {
        try {
          return { ok: true as const, result: answer(method, params) }
        } catch (error) {
          return { ok: false as const, error: error as RpcError }
        }
      })
    },
  }
  return { ...chain, chain, rpc, head, timeOf }
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
