import { type Address, type Hex, multicall3Abi, NATIVE } from '@pit/chain'
import { type RpcCall, RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { BARE_NUMBERS } from '@pit/platform/test/bareProfile'
import { encodeFunctionResult } from 'viem'
import { describe, expect, it } from 'vitest'
import type { TradeToken } from '../types.ts'
import type { SimulatorOptions } from './createSimulator.ts'
import {
  at,
  CURVE,
  MULTICALL3,
  OTHER,
  open,
  PERMIT2,
  ROUTER,
  refusalOf,
  TOKEN,
  WALLET,
  word,
} from './test/scripted.ts'

describe('a wallet', () => {
  const token = (address: Address, stock = false) => ({ address, stock }) as TradeToken
  const walletRequest = { wallet: WALLET, tokenIn: token(TOKEN, true), tokenOut: token(OTHER), curve: CURVE }
  const permit = `${word(66n)}${word(77n).slice(2)}${word(8n).slice(2)}` as Hex
  const results = (change: Record<number, Hex | null> = {}): Hex => {
    // Paused, then blocked: the wallet, Permit2, the router.
    const flags = [word(0n), word(1n), word(0n), word(1n)]
    const all = [word(1n), word(2n), word(3n), permit, word(4n), ...flags]
    const changed = all.map((data, i) => (i in change ? change[i]! : data))
    return encodeFunctionResult({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      result: changed.map((data) => ({ success: data !== null, returnData: data ?? '0x' })),
    })
  }
  const answers = (change: Record<number, unknown> = {}, reading = results()) => {
    const all: unknown[] = ['0x2a', reading, '0x9', '0x', '0x1237', '0x8']
    return all.map((result, i) => ({ ok: true, result: i in change ? change[i] : result }))
  }

  it('is read in one batch', async () => {
    const { simulator, sent } = open(() => answers({ 3: `0xef0100${'Cd'.repeat(20)}` }))
    expect(await simulator.readWallet(walletRequest)).toEqual({
      wallet: WALLET,
      block: 42,
      nonce: 9,
      minedNonce: 8,
      balanceWei: 1n,
      balanceIn: 2n,
      allowance: 3n,
      permit: { amount: 66n, expirationS: 77, nonce: 8 },
      curveAllowance: 4n,
      delegatedTo: at('cd'),
      hasOtherCode: false,
      stocks: [{ token: TOKEN, paused: false, blocked: true }],
      blockedParties: [ROUTER],
    })
    expect(sent).toHaveLength(1)
    expect(sent[0]!.params.map((call) => (call as RpcCall)[0])).toEqual([
      'eth_blockNumber',
      'eth_call',
      'eth_getTransactionCount',
      'eth_getCode',
      'eth_chainId',
      'eth_getTransactionCount',
    ])
    expect((sent[0]!.params[2] as RpcCall)[1]).toEqual([WALLET, 'pending'])
  })

  it('is read for its ETH only if it spends ETH', async () => {
    const { simulator, sent } = open(() => answers({ 1: '0x2386f26fc10000' }))
    const request = { wallet: WALLET, tokenIn: token(NATIVE), tokenOut: token(OTHER), curve: null }
    const state = await simulator.readWallet(request)
    expect(state).toMatchObject({ balanceWei: 10n ** 16n, balanceIn: 10n ** 16n, allowance: 0n })
    expect((sent[0]!.params[1] as RpcCall)[0]).toBe('eth_getBalance')
    const unread = open(() => answers({ 1: null }))
    expect((await refusalOf(unread.simulator.readWallet(request))).code).toBe('RPC_UNAVAILABLE')
  })

  it('is not read partially', async () => {
    const read = (script: () => unknown, change: Partial<SimulatorOptions> = {}) =>
      refusalOf(open(script, change).simulator.readWallet(walletRequest))
    // Each read, failed or truncated; an unreadable pause or block must not pass.
    for (let i = 0; i < 9; i++) {
      for (const bad of [null, '0x', '0x01'] as const)
        expect((await read(() => answers({}, results({ [i]: bad })))).code).toBe('RPC_UNAVAILABLE')
    }
    for (const flag of [5, 6, 7, 8])
      expect((await read(() => answers({}, results({ [flag]: word(2n) })))).code).toBe('RPC_UNAVAILABLE')
    for (const bad of [null, 7, 'soon', '0x'])
      for (const i of [0, 1, 2, 4, 5])
        expect((await read(() => answers({ [i]: bad }))).code).toBe('RPC_UNAVAILABLE')
    expect((await read(() => answers({ 4: '0x1' }))).message).toContain('chain 1')
    const failed = answers()
    failed[3] = { ok: false, error: new RpcError('eth_getCode', -32000, 'no', undefined) } as never
    expect((await read(() => failed)).message).toContain('eth_getCode')
    const down = await read(() => {
      throw new RpcUnreachable('no')
    })
    expect(down).toMatchObject({ code: 'RPC_UNAVAILABLE', status: 502 })
    const contracts = {
      multicall3: MULTICALL3,
      permit2: PERMIT2,
      universal_router: ROUTER,
    }
    const stocks = { issuer: 'robinhood', beacon: null }
    const profile = {
      chain_id: 4663,
      contracts,
      core_tokens: [],
      stocks,
      limits: BARE_NUMBERS.limits,
    } as unknown as SimulatorOptions['profile']
    expect((await read(answers, { profile })).message).toContain('registry')
  })

  it('with its own code is distinguished from a delegated one', async () => {
    const { simulator } = open(() => answers({ 3: '0x6000' }))
    expect(await simulator.readWallet(walletRequest)).toMatchObject({ delegatedTo: null, hasOtherCode: true })
  })
})
