import { type Address, type Hex, multicall3Abi, NATIVE } from '@pit/chain'
import { decodeFunctionData, encodeFunctionResult } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Rpc, RpcError, RpcUnreachable } from '../rpc/index.ts'
import { askBalance, askBalances, readBalances } from './balances.ts'
import { readOne } from './question.ts'

const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [WALLET, OTHER, MULTICALL3, TOKEN, HOSTILE] = [at(1), at(2), at(3), at(0x70), at(0x71)] as const
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const GET_ETH_BALANCE = '0x4d2301cc'

/** A node whose Multicall3 reads from `balance`; null fails, 'burns' uses all available gas. */
function nodeOf(balance: (token: Address, wallet: Address) => bigint | null | 'burns' | Hex) {
  const seen = { requests: [] as unknown[][], batches: 0, takesBatches: true }
  const say = (token: Address, wallet: Address): { success: boolean; returnData: Hex } => {
    const value = balance(token, wallet)
    if (value === 'burns') throw new RpcError('eth_call', -32_000, 'out of gas', undefined)
    if (value === null) return { success: false, returnData: '0x' }
    return { success: true, returnData: typeof value === 'bigint' ? word(value) : value }
  }
  const walletIn = (data: Hex): Address => `0x${data.slice(34)}`
  const rpc: Pick<Rpc, 'request' | 'batch'> = {
    async request<T>(method: string, params: readonly unknown[] = []) {
      seen.requests.push([method, ...params])
      const [{ data }] = params as [{ data: Hex }]
      const { args } = decodeFunctionData({ abi: multicall3Abi, data })
      const [calls] = args as unknown as [{ target: Address; callData: Hex }[]]
      const result = calls.map(({ target, callData }) =>
        say(
          callData.startsWith(GET_ETH_BALANCE) ? NATIVE : (target.toLowerCase() as Address),
          walletIn(callData),
        ),
      )
      return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result }) as T
    },
    async batch(calls) {
      seen.batches++
      if (!seen.takesBatches) throw new RpcUnreachable('batch: the node does not support batches')
      return calls.map(([method, params]) => {
        if (method === 'eth_getBalance') return { ok: true, result: '0x7' }
        const [{ to, data }] = params as [{ to: Address; data: Hex }]
        try {
          const { success, returnData } = say(to, walletIn(data))
          if (success) return { ok: true, result: returnData }
          return { ok: false, error: new RpcError(method, 3, 'reverted', undefined) }
        } catch (error) {
          return { ok: false, error: error as RpcError }
        }
      })
    },
  }
  return { rpc, seen, deps: { rpc, multicall3: MULTICALL3 } }
}

describe('balances in one call', () => {
  it('cover many wallets and ETH, at one block and with bounded gas', async () => {
    const { rpc, seen } = nodeOf((token, wallet) =>
      token === HOSTILE ? null : BigInt(token) + BigInt(wallet),
    )
    const holdings = [
      { wallet: OTHER, token: NATIVE },
      { wallet: WALLET, token: TOKEN },
      { wallet: WALLET, token: HOSTILE },
    ]
    expect(await readOne(rpc, askBalances(MULTICALL3, holdings, { block: 16 }))).toEqual([2n, 0x71n, null])
    expect(seen.requests).toHaveLength(1)
    expect(seen.requests[0]).toMatchObject(['eth_call', { to: MULTICALL3, gas: '0x927c0' }, '0x10'])
  })

  it('are the first word of the return data, and unread if it is shorter', async () => {
    const { rpc } = nodeOf((token) => (token === TOKEN ? `${word(5n)}ff` : '0x05'))
    const holdings = [TOKEN, HOSTILE].map((token) => ({ wallet: WALLET, token }))
    expect(await readOne(rpc, askBalances(MULTICALL3, holdings))).toEqual([5n, null])
  })
})

it('a single balance is of ETH or of a token', () => {
  expect(askBalance({ wallet: WALLET, token: NATIVE }, { block: 16, gas: 5 }).call).toEqual([
    'eth_getBalance',
    [WALLET, '0x10'],
  ])
  const { call, parse } = askBalance({ wallet: WALLET, token: TOKEN }, { gas: 150_000 })
  const data = `0x70a08231${WALLET.slice(2).padStart(64, '0')}`
  expect(call).toEqual(['eth_call', [{ to: TOKEN, data, gas: '0x249f0' }, 'latest']])
  expect([word(5n), `${word(5n)}ff`, '0x5', '0x', null].map(parse)).toEqual([
    5n,
    5n,
    undefined,
    undefined,
    undefined,
  ])
})

describe('a wallet’s balances', () => {
  const terms = { block: 16, timeoutMs: 9 }

  it('are read fifty at a time, in separate groups', async () => {
    const { deps, seen } = nodeOf((token) => BigInt(token))
    const many = Array.from({ length: 60 }, (_, i) => at(0x100 + i))
    const input = { wallet: WALLET, groups: [[NATIVE, TOKEN], many] }
    const balances = await readBalances(deps, input, terms)
    expect([...balances]).toEqual([NATIVE, TOKEN, ...many].map((token) => [token, BigInt(token)]))
    expect(seen.requests).toHaveLength(3)
    expect(seen.batches).toBe(0)
  })

  it('survive a token that burns all the gas: each of its group is read again alone', async () => {
    const { deps, seen } = nodeOf((token) => (token === HOSTILE ? 'burns' : 5n))
    const input = { wallet: WALLET, groups: [[TOKEN], [at(0x99), HOSTILE]] }
    expect([...(await readBalances(deps, input, terms))]).toEqual([
      [TOKEN, 5n],
      [at(0x99), 5n],
      [HOSTILE, null],
    ])
    expect(seen.batches).toBe(1)
    seen.takesBatches = false
    expect([...(await readBalances(deps, input, terms)).values()]).toEqual([5n, null, null])
  })

  it('are read one by one if Multicall3 fails, and rejected if the node fails', async () => {
    const { deps } = nodeOf(() => 5n)
    const input = { wallet: WALLET, groups: [[NATIVE, TOKEN]] }
    const answering = (answer: () => unknown) => ({
      ...deps,
      rpc: { ...deps.rpc, request: async <T>() => answer() as T },
    })
    expect([
      ...(
        await readBalances(
          answering(() => '0x'),
          input,
          terms,
        )
      ).values(),
    ]).toEqual([7n, 5n])
    const silent = answering(() => {
      throw new RpcUnreachable('eth_call: no answer')
    })
    await expect(readBalances(silent, input, terms)).rejects.toBeInstanceOf(RpcUnreachable)
  })
})
