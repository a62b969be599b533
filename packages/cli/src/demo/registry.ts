import type { Rpc } from '@pit/client'
import { decodeFunctionResult, encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import { sendTransaction } from '../session/ether.ts'
import type { Trader } from './openTrader.ts'

type Hex = `0x${string}`

const ABI = parseAbi([
  'function register(address owner, address agentWallet, address beneficiary, address token, string symbol, string name) returns (uint256)',
  'function agentsOf(address owner) view returns (uint256[])',
])

/** Registers agents of the wallet until it owns `count`; their ids. */
export async function ownAgents(
  { account, rpc, target: { profile } }: Trader,
  registry: Hex,
  count: number,
  sleep: (ms: number) => Promise<void>,
): Promise<string[]> {
  const from = { account, rpc, chainId: profile.chain_id, sleep }
  for (let owned = (await agentsOf(rpc, registry, account.address)).length; owned < count; owned++) {
    const names = [`DEMO${owned + 1}`, `Demo agent ${owned + 1}`] as const
    const data = encodeFunctionData({
      abi: ABI,
      functionName: 'register',
      args: [account.address, zeroAddress, zeroAddress, zeroAddress, ...names],
    })
    await sendTransaction(from, { to: registry, value: 0n, data })
  }
  return (await agentsOf(rpc, registry, account.address)).map(String)
}

async function agentsOf(rpc: Rpc, registry: Hex, owner: Hex): Promise<readonly bigint[]> {
  const data = encodeFunctionData({ abi: ABI, functionName: 'agentsOf', args: [owner] })
  const [answer] = await rpc.all([{ method: 'eth_call', params: [{ to: registry, data }, 'latest'] }])
  if (answer instanceof Error) throw answer
  return decodeFunctionResult({ abi: ABI, functionName: 'agentsOf', data: answer as Hex })
}
