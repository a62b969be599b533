import { type Address, erc20Abi, erc20Bytes32Abi, type Hex, NATIVE } from '@pit/chain'
import { encodeFunctionResult, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { codeOf, pins, USDG } from '../../test/ordersKit.ts'
import { openNode } from './node.ts'
import { own } from './own.ts'
import { type Rpc, RpcFailure } from './rpc.ts'
import { amountText, pastTokenFacts, readTokenFacts, typedAtoms } from './tokenFacts.ts'

const reverted = new RpcFailure('execution reverted', { code: 3 })
const TOKEN: Address = `0x${'7'.repeat(40)}`
const uint = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const text = (symbol: string): Hex =>
  encodeFunctionResult({ abi: erc20Abi, functionName: 'symbol', result: symbol })
const word = (symbol: string): Hex =>
  encodeFunctionResult({ abi: erc20Bytes32Abi, functionName: 'symbol', result: toHex(symbol, { size: 32 }) })

const NOW_S = 1_800_000_000
const BLOCK = { number: '0x1', timestamp: `0x${NOW_S.toString(16)}`, baseFeePerGas: '0x1' }
const nodeWith = (
  decimals: unknown,
  symbol: unknown = text('TKN'),
  block: object = BLOCK,
): Rpc & { calls: number } => ({
  calls: 0,
  async all(calls) {
    this.calls += calls.length
    return calls.map(({ method, params: [call] }) => {
      if (method === 'eth_getBlockByNumber') return block
      return (call as { data: Hex }).data === DECIMALS ? decimals : symbol
    })
  },
})
const DECIMALS = '0x313ce567'
const opened = (rpc: Rpc) => openNode(rpc, { ...pins, headMaxAgeS: 60 }, () => NOW_S * 1000)
const factsOf = async (node: Rpc, token: Address = TOKEN) =>
  (await readTokenFacts(opened(node), pins, [token])).get(token)!

describe('facts about a token', () => {
  it('are the pins’ for a pinned one, and no node is asked', async () => {
    const node = nodeWith(uint(0n))
    const facts = await readTokenFacts(opened(node), pins, [NATIVE, USDG, USDG])
    expect([...facts.values()].map(({ name, decimals }) => [name, decimals])).toEqual([
      ['ETH', 18],
      ['USDG', 6],
    ])
    expect(node.calls).toBe(0)
  })

  it('are the node’s for another, named by its address only', async () => {
    expect(await factsOf(nodeWith(uint(8n), text('USDG')))).toEqual({
      ...{ address: TOKEN, name: TOKEN, symbol: 'USDG', decimals: 8, isPinned: false },
    })
  })

  it.each([
    ['bidi and control characters', text('US\u202eDG\u0007\u001b[31m'), 'US DG [31m'],
    ['one word', word('MKR'), 'MKR'],
    ['a symbol that is too long', text('A'.repeat(200)), `${'A'.repeat(24)}…`],
    ['an endless one', text('A'.repeat(10_000)), null],
    ['nothing', '0x', null],
    ['a revert', reverted, null],
  ])('have a stripped and bounded symbol: %s', async (_, answer, symbol) => {
    expect((await factsOf(nodeWith(uint(6n), answer))).symbol).toBe(symbol)
  })

  it.each([
    ['reverts', reverted],
    ['returns nothing', '0x'],
    ['returns 37', uint(37n)],
    ['returns 2^255', uint(2n ** 255n)],
    ['returns two words', `${uint(6n)}${'0'.repeat(64)}`],
  ])('have no decimals if the token %s: it is typed and confirmed in atoms only', async (_, answer) => {
    const facts = await factsOf(nodeWith(answer))
    expect(facts.decimals).toBeNull()
    expect(typedAtoms('1', facts)).toBeNull()
    expect(amountText(own(1_000n), facts)).toBe(`1000 atoms of ${TOKEN}`)
  })
})

it.each([
  ['fails the call', nodeWith(new RpcFailure('header not found')), 'RPC_UNAVAILABLE'],
  ['answers a number', nodeWith(18), 'RPC_UNAVAILABLE'],
  ['is behind', nodeWith(uint(6n), text('TKN'), { ...BLOCK, timestamp: '0x1' }), 'NODE_BEHIND'],
])('facts to sign by are refused if the node %s', async (_, node, code) => {
  expect(await codeOf(factsOf(node))).toBe(code)
})

it('facts about the past are shown in atoms if the node fails', async () => {
  const facts = await pastTokenFacts(nodeWith(new RpcFailure('header not found')), pins, [TOKEN, USDG])
  expect([...facts.values()].map(({ decimals }) => decimals)).toEqual([null, 6])
})

it.each([
  ['0.1', 8, 10_000_000n],
  [' 1 ', 0, 1n],
  ['0.000000001', 8, null],
  ['0', 8, null],
  ['1e3', 8, null],
  ['-1', 8, null],
])('%s typed with %i decimals is %s atoms', async (typed, decimals, atoms) => {
  expect(typedAtoms(typed, await factsOf(nodeWith(uint(BigInt(decimals)))))).toBe(atoms)
})
