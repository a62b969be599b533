import type { Address, Hex } from '@pit/chain'
import { NATIVE } from '@pit/chain'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { decodeFunctionData, encodeAbiParameters, multicall3Abi, parseAbi, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { nameIn } from './agentFile.ts'
import { openIdentityRegistry } from './erc8004.ts'

const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [REGISTRY, MULTICALL3] = [at(0x8004), at(0xca11)]
const abi = parseAbi([
  'function ownerOf(uint256 agentId) view returns (address)',
  'function getAgentWallet(uint256 agentId) view returns (address)',
  'function tokenURI(uint256 agentId) view returns (string)',
])
const aggregate = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] returnData)',
])

/** A registry of so many agents, each owned by one address. */
function open(agents: Map<bigint, { owner: Address; wallet: Address; uri?: string }>) {
  const state = { nowMs: 0, calls: 0 }
  const answer = (data: Hex): Hex | null => {
    const { functionName, args } = decodeFunctionData({ abi, data })
    const agent = agents.get(args[0])
    if (!agent) return null
    if (functionName === 'tokenURI') return encodeAbiParameters([{ type: 'string' }], [agent.uri ?? ''])
    const address = functionName === 'ownerOf' ? agent.owner : agent.wallet
    return encodeAbiParameters([{ type: 'address' }], [address])
  }
  const rpc = rpcOf(async (_, [call]) => {
    state.calls += 1
    const { to, data } = call as { to: Address; data: Hex }
    if (to !== MULTICALL3) return answer(data) ?? '0x'
    const { args } = decodeFunctionData({ abi: multicall3Abi, data })
    const result = (args![0] as unknown as { callData: Hex }[]).map(({ callData }) => {
      const returnData = answer(callData)
      return { success: returnData !== null, returnData: returnData ?? ('0x' as Hex) }
    })
    return encodeAbiParameters(aggregate[0]!.outputs as never, [result] as never)
  })
  const registry = openIdentityRegistry({
    rpc,
    registry: REGISTRY,
    multicall3: MULTICALL3,
    monotonicMs: () => state.nowMs,
  })
  return { registry, state }
}
const file = (value: unknown) =>
  `data:application/json;base64,${Buffer.from(JSON.stringify(value)).toString('base64')}`

describe('an identity registry', () => {
  const agents = () =>
    new Map([
      [0n, { owner: at(1), wallet: zeroAddress as Address, uri: file({ name: 'Atlas' }) }],
      [1n, { owner: at(2), wallet: at(3) }],
      [2n, { owner: at(1), wallet: at(1) }],
    ])

  it('finds the agent a wallet acts for, by its own wallet before its owner', async () => {
    const { registry } = open(agents())
    expect(await registry.find(at(3))).toEqual({
      status: 'ok',
      agent: { agent_id: '1', token: NATIVE, symbol: 'AGENT-1', role: 'agentWallet', name: 'Agent 1' },
    })
    expect(await registry.find(at(2))).toMatchObject({ agent: { agent_id: '1', role: 'owner' } })
    expect(await registry.find(at(1))).toMatchObject({ agent: { agent_id: '2', role: 'agentWallet' } })
    expect(await registry.find(at(9))).toEqual({ status: 'ok', agent: null })
  })

  it('finds a new agent at once, and no former owner', async () => {
    const all = agents()
    const { registry, state } = open(all)
    expect(await registry.find(at(9))).toMatchObject({ agent: null })
    all.set(3n, { owner: at(9), wallet: zeroAddress })
    expect(await registry.find(at(9))).toMatchObject({ agent: { agent_id: '3', role: 'owner' } })
    all.set(3n, { owner: at(8), wallet: zeroAddress })
    expect(await registry.find(at(9))).toMatchObject({ agent: null })
    expect(await registry.find(at(8))).toMatchObject({ agent: null })
    state.nowMs = 60_001
    await registry.find(at(8))
    await expect.poll(() => registry.find(at(8))).toMatchObject({ agent: { agent_id: '3' } })
  })

  it('reads records, with the owner as default', async () => {
    const { registry } = open(agents())
    const owner = at(1)
    expect(await registry.agent('0')).toEqual({
      id: '0',
      owner,
      agentWallet: owner,
      beneficiary: owner,
      token: NATIVE,
      symbol: 'AGENT-0',
      name: 'Atlas',
    })
    expect(await registry.agent('7')).toBeNull()
    expect(await registry.agent((2n ** 256n).toString())).toBeNull()
    expect(await registry.agents(['1', '7'])).toMatchObject([{ id: '1', agentWallet: at(3) }, null])
    expect(await registry.stake('0', 'latest')).toEqual({ principal: 0n, gain: 0n })
    expect(await registry.tokens()).toEqual(new Set())
  })

  it('throws while the node does not respond', async () => {
    const rpc = rpcOf(async () => {
      throw new Error('down')
    })
    const registry = openIdentityRegistry({ rpc, registry: REGISTRY, multicall3: MULTICALL3 })
    await expect(registry.find(at(1))).rejects.toThrow()
    await expect(registry.agent('1')).rejects.toThrow()
  })
})

it('reads a name only if the registry holds the file', () => {
  expect(nameIn(file({ name: '  Atlas ' }))).toBe('Atlas')
  expect(nameIn('data:application/json,%7B%22name%22%3A%22A%22%7D')).toBe('A')
  for (const uri of [
    '',
    'https://agent.example/a.json',
    'ipfs://x',
    'data:application/json;base64,!!',
    file(null),
  ])
    expect(nameIn(uri), uri).toBeNull()
  expect(nameIn(file({ name: 7 }))).toBeNull()
  expect(nameIn(file({ name: 'Atlas\u202etxt' }))).toBeNull()
  expect(nameIn(file({ name: 'x'.repeat(40_000) }))).toBeNull()
  expect(nameIn(file({ name: 'y'.repeat(200) }))).toHaveLength(64)
})
