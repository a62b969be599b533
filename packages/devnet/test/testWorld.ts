import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { type Artifacts, compileContracts } from '../src/compile.ts'
import { deployWorld, type World, type WorldOptions } from '../src/deploy/index.ts'
import { openChain } from '../src/engine/chain.ts'
import type { Chain } from '../src/engine/types.ts'

interface Receipt {
  status: Hex
  gasUsed: Hex
  contractAddress: Address | null
  logs: { address: Address; topics: [Hex, ...Hex[]]; data: Hex }[]
}

export interface Call {
  from?: Address
  to: Address
  abi: Abi
  functionName: string
  args?: unknown[]
  value?: bigint
}

/** A deployed world with the functions its tests use. Time stands still unless a test mines. */
export interface TestWorld {
  chain: Chain
  world: World
  artifacts: Artifacts
  accounts: Address[]
  /** One of our contracts' ABI. */
  abi(name: string): Abi
  read<T>(call: Call): Promise<T>
  /** Mines one transaction; a revert is a result, not an exception. */
  send(call: Call): Promise<Receipt>
  /** Mines one transaction and requires success. */
  must(call: Call): Promise<Receipt>
  /** The custom error's selector or reason a call reverts with; undefined if it succeeds. */
  revertOf(call: Call): Promise<string | undefined>
  core(symbol: string): Address
}

/** A Thursday noon, so that nothing depends on the day a test runs. */
const GENESIS_MS = Date.UTC(2026, 0, 15, 12)

export async function openTestWorld(options: WorldOptions = {}): Promise<TestWorld> {
  const chain = await openChain({ now: () => GENESIS_MS })
  const world = await deployWorld(chain, options)
  const artifacts = await compileContracts()
  const encode = ({ abi, functionName, args = [] }: Call) => encodeFunctionData({ abi, functionName, args })
  const from = world.accounts[1]!

  const read = async <T>(call: Call): Promise<T> => {
    const tx = { from: call.from ?? from, to: call.to, data: encode(call), value: hex(call.value) }
    const data = await chain.request<Hex>('eth_call', [tx, 'latest'])
    return decodeFunctionResult({ abi: call.abi, functionName: call.functionName, data }) as T
  }
  const send = async (call: Call): Promise<Receipt> => {
    const hash = await chain.sendOwned({
      from: call.from ?? from,
      to: call.to,
      data: encode(call),
      value: call.value ?? 0n,
      gas: 8_000_000n,
    })
    await chain.mine(chain.head().timestampS)
    return chain.request<Receipt>('eth_getTransactionReceipt', [hash])
  }
  return {
    chain,
    world,
    artifacts,
    accounts: world.accounts,
    abi: (name) => artifacts[name]!.abi,
    read,
    send,
    async must(call) {
      const receipt = await send(call)
      if (receipt.status !== '0x1') throw new Error(`${call.functionName} reverted`)
      return receipt
    },
    async revertOf(call) {
      try {
        await read(call)
        return undefined
      } catch (error) {
        const data = (error as { data?: { data?: string } | string }).data
        const bytes = typeof data === 'string' ? data : data?.data
        return bytes && bytes.length >= 10 ? bytes.slice(0, 10) : (error as Error).message
      }
    },
    core: (symbol) => world.profile.core_tokens.find((token) => token.symbol === symbol)!.address as Address,
  }
}

const hex = (value: bigint | undefined): Hex => `0x${(value ?? 0n).toString(16)}`
