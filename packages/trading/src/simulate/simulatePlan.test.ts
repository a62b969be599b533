import type { Address } from '@pit/chain'
import { NATIVE_TOKEN } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import type { PlanTx } from '../types.ts'
import type { SimulateParams } from './deps.ts'
import {
  type Block,
  CURVE,
  EXECUTOR,
  MULTICALL3,
  OTHER,
  open,
  PERMIT2,
  RECIPIENT,
  ROUTER,
  ran,
  refusalOf,
  type Sent,
  simulateParams,
  TOKEN,
  tx,
  WALLET,
  word,
} from './test/scripted.ts'

describe('a plan', () => {
  it('is one request of exactly its transactions, on the block that would come next', async () => {
    const { simulator, sent, blockSent } = open(() => ran([10n, 0n], [{}, {}], [110n, 1n]))
    const second = tx({ from: EXECUTOR, to: OTHER, valueWei: 0n, data: '0x', gas: 50_000 })
    const result = await simulator.simulatePlan(
      simulateParams({
        transactions: [
          { kind: 'fee_transfer', tx: second },
          { kind: 'swap', tx: tx() },
        ],
      }),
    )
    expect(sent).toHaveLength(1)
    expect(sent[0]!.method).toBe('eth_simulateV1')
    expect(sent[0]!.params[1]).toBe('latest')
    const { blockOverrides, stateOverrides, calls } = blockSent()
    expect(blockOverrides).toEqual({ baseFeePerGas: '0x7', time: '0x3e9' })
    expect(stateOverrides).toEqual({})
    expect(calls).toHaveLength(4)
    expect(calls[0]).toEqual(calls[3])
    expect(calls[0]!['to']).toBe(MULTICALL3)
    // No nonce: a wallet with pending transactions has no usable one.
    expect(calls[1]).toEqual({
      from: EXECUTOR,
      to: OTHER,
      input: '0x',
      gas: '0xc350',
      value: '0x0',
      maxFeePerGas: '0xe',
      maxPriorityFeePerGas: '0x0',
    })
    expect(calls[2]).toMatchObject({
      from: WALLET,
      to: ROUTER,
      input: '0x1234',
      value: '0x5',
      gas: '0x493e0',
    })
    expect(result).toMatchObject({
      ok: true,
      block: 41,
      amountOut: 100n,
      feeTransfer: 1n,
      gasTotal: 200_000,
      fundedByOverrides: false,
      error: null,
    })
  })

  it('is separated from its gas if the output is ETH', async () => {
    const held = [1_000_000_000n, 5n] as const
    const eth: Address = NATIVE_TOKEN
    const out = { tokenIn: TOKEN, tokenOut: eth, fee: { token: eth, recipient: RECIPIENT } }
    const script = () => ran([...held], [{ gasUsed: 1_000 }, { gasUsed: 2_000 }], [held[0] + 100n, 8n])
    const both = (second: Partial<PlanTx>) =>
      open(script).simulator.simulatePlan(
        simulateParams({
          ...out,
          transactions: [
            { kind: 'approve', tx: tx() },
            { kind: 'swap', tx: tx(second) },
          ],
        }),
      )
    // 7 wei per gas, for any payer.
    expect(await both({})).toMatchObject({ ok: true, amountOut: 100n + 3_000n * 7n, feeTransfer: 3n })
    expect(await both({ from: EXECUTOR })).toMatchObject({ amountOut: 100n + 1_000n * 7n })
    expect(await both({ from: RECIPIENT })).toMatchObject({ feeTransfer: 3n + 2_000n * 7n })
  })

  it('that delivers too little or an unknown amount is not ok', async () => {
    const run = (after: (bigint | null)[], change: Partial<SimulateParams> = {}) =>
      open(() => ran([10n, 0n], [{}], after)).simulator.simulatePlan(simulateParams(change))
    expect(await run([99n, 1n])).toMatchObject({
      ok: false,
      amountOut: 89n,
      error: 'it delivers 89 atoms, less than the minimum of 90',
    })
    expect(await run([100n, 1n])).toMatchObject({ ok: true, amountOut: 90n })
    expect(await run([3n, 1n])).toMatchObject({ ok: false, amountOut: 0n })
    expect(await run([null, 1n])).toMatchObject({ ok: false, amountOut: null, feeTransfer: 1n })
    expect(await run([200n, null])).toMatchObject({ ok: true, feeTransfer: null })
    // A wallet that pays itself.
    expect(await run([200n, 1n], { wallet: RECIPIENT })).toMatchObject({ ok: true, feeTransfer: null })
  })

  it('that reverts reports the step and the reason', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x5bf6f916' }
    const { simulator } = open(() => ran([10n, 0n], [{}, { status: '0x0', error }], [500n, 4n]))
    const transactions = [
      { kind: 'fee_transfer' as const, tx: tx() },
      { kind: 'swap' as const, tx: tx() },
    ]
    const result = await simulator.simulatePlan(simulateParams({ transactions }))
    expect(result).toMatchObject({
      ok: false,
      amountOut: null,
      feeTransfer: 4n,
      gasTotal: 200_000,
      error: 'swap: the deadline has passed',
      transactions: [
        { kind: 'fee_transfer', ok: true, error: null },
        { kind: 'swap', ok: false, error: 'the deadline has passed' },
      ],
    })
    const silent = { code: 3, message: 'execution reverted', data: '0x' }
    const mute = open(() => ran([10n, 0n], [{ status: '0x0', error: silent }], [10n, 0n]))
    expect((await mute.simulator.simulatePlan(simulateParams())).error).toBe(
      'swap: execution reverted (100000 of 300000 gas used)',
    )
  })

  it('keeps a limited part of a flood of logs', async () => {
    const log = { address: TOKEN.toUpperCase().replace('X', 'x'), topics: ['0x1'], data: '0x' }
    const flood = Array.from({ length: 5_000 }, () => log)
    const { simulator } = open(() => ran([10n, 0n], [{ logs: flood }], [110n, 1n]))
    const logs = (await simulator.simulatePlan(simulateParams())).transactions[0]!.logs
    expect(logs).toHaveLength(256)
    expect(logs[0]).toEqual({ address: TOKEN, topics: ['0x1'], data: '0x' })
  })
})

describe('approvals in place', () => {
  const sale = { tokenIn: TOKEN, tokenOut: OTHER, approvals: 'in place' as const }
  const script = ({ params }: Sent) => {
    const [{ calls }] = (params[0] as { blockStateCalls: [Block] }).blockStateCalls
    return ran([0n, 0n], [{}], [500n, 0n], Array(calls.length - 3).fill({}))
  }

  it('come first, from the wallet, free of gas, and are not counted', async () => {
    const { simulator, blockSent } = open(script)
    const result = await simulator.simulatePlan(simulateParams(sale))
    expect(result).toMatchObject({ ok: true, gasTotal: 100_000 })
    expect(result.transactions).toHaveLength(1)
    const [erc20, permit2] = blockSent().calls
    expect(erc20).toEqual({
      from: WALLET,
      to: TOKEN,
      gas: '0x7a120',
      input: `0x095ea7b3${word(BigInt(PERMIT2)).slice(2)}${'f'.repeat(64)}`,
    })
    expect(permit2).toMatchObject({ from: WALLET, to: PERMIT2 })
    expect(permit2!['input']).toMatch(/^0x87517c45/)
    expect(permit2).not.toHaveProperty('maxFeePerGas')
  })

  it('include the called curve, or the named spenders', async () => {
    const spendersOf = async (change: Partial<SimulateParams>) => {
      const { simulator, blockSent } = open(script)
      await simulator.simulatePlan(simulateParams({ ...sale, ...change }))
      return blockSent()
        .calls.filter(({ input }) => input!.startsWith('0x095ea7b3'))
        .map(({ input }) => `0x${input!.slice(34, 74)}`)
    }
    const onCurve = [{ kind: 'swap' as const, tx: tx({ to: CURVE }) }]
    expect(await spendersOf({})).toEqual([PERMIT2])
    expect(await spendersOf({ transactions: onCurve })).toEqual([PERMIT2, CURVE])
    const batch = [{ kind: 'swap' as const, tx: tx({ to: WALLET }) }]
    expect(await spendersOf({ transactions: batch })).toEqual([PERMIT2])
    expect(await spendersOf({ transactions: batch, spenders: [CURVE] })).toEqual([PERMIT2, CURVE])
    expect(await spendersOf({ tokenIn: NATIVE_TOKEN })).toEqual([])
  })

  it('that the token refuses are retried from zero, or named if the plan still fails', async () => {
    const no = { status: '0x0' as const, error: { code: 3, message: 'x', data: '0x90b8ec18' } }
    const inputs: string[][] = []
    const tried = (gives: (first: boolean) => unknown) =>
      open(({ params }) => {
        const [{ calls }] = (params[0] as { blockStateCalls: [Block] }).blockStateCalls
        inputs.push(calls.map(({ input }) => input!.slice(0, 10) + input!.slice(-1)))
        return gives(calls.length === 5)
      }).simulator.simulatePlan(simulateParams(sale))
    const stubborn = await tried((first) =>
      first ? ran([0n, 0n], [no], [0n, 0n], [no, {}]) : ran([0n, 0n], [{}], [500n, 0n], [{}, {}, {}]),
    )
    expect(stubborn).toMatchObject({ ok: true, error: null })
    expect(inputs[0]!.slice(0, 2)).toEqual(['0x095ea7b3f', '0x87517c45f'])
    expect(inputs[1]!.slice(0, 3)).toEqual(['0x095ea7b30', '0x095ea7b3f', '0x87517c45f'])
    const { error } = await tried((first) => ran([0n, 0n], [no], [0n, 0n], first ? [no, {}] : [{}, no, {}]))
    expect(error).toBe(
      'swap: the token transfer failed; ' + 'a required approval failed: the token transfer failed',
    )
    // An existing approval that suffices: no retry.
    inputs.length = 0
    expect(await tried(() => ran([0n, 0n], [{}], [500n, 0n], [no, {}]))).toMatchObject({ ok: true })
    expect(inputs).toHaveLength(1)
  })
})

describe('lending', () => {
  it('follows fund', async () => {
    const lends = async (fund: SimulateParams['fund'], holdsInput: boolean) => {
      const { simulator, blockSent } = open(() => ran([10n, 0n, 9n], [{}], [110n, 1n, 0n]))
      const { fundedByOverrides } = await simulator.simulatePlan(simulateParams({ fund, holdsInput }))
      expect(Object.keys(blockSent().stateOverrides).length > 0).toBe(fundedByOverrides)
      return fundedByOverrides
    }
    expect(await lends('auto', true)).toBe(false)
    expect(await lends('auto', false)).toBe(true)
    expect(await lends(true, true)).toBe(true)
    expect(await lends(true, false)).toBe(true)
    expect(await lends(false, true)).toBe(false)
    expect(await lends(false, false)).toBe(false)
  })

  it('gives every sender ETH for its value and gas limit', async () => {
    const { simulator, blockSent } = open(() => ran([10n, 0n, 9n], [{}, {}], [110n, 1n, 0n]))
    const huge = 10n ** 30n
    await simulator.simulatePlan(
      simulateParams({
        fund: true,
        amountIn: huge,
        transactions: [
          { kind: 'swap', tx: tx({ valueWei: huge }) },
          { kind: 'swap', tx: tx({ from: EXECUTOR }) },
        ],
      }),
    )
    const { stateOverrides } = blockSent()
    expect(Object.keys(stateOverrides)).toEqual([WALLET, EXECUTOR])
    expect(BigInt(stateOverrides[WALLET]!.balance!)).toBeGreaterThan(huge + 300_000n * 14n)
    expect(BigInt(stateOverrides[EXECUTOR]!.balance!)).toBeGreaterThan(5n + 300_000n * 14n)
  })

  it('refuses a token whose balance slot is unknown', async () => {
    const { simulator, sent } = open(({ params }) => {
      const { blockStateCalls } = params[0] as { blockStateCalls: Block[] }
      const call = { status: '0x1', gasUsed: '0x1', returnData: word(10n ** 24n), logs: [] }
      return blockStateCalls.map(() => ({ number: '0x1', calls: [call] }))
    })
    const sale = simulateParams({ tokenIn: TOKEN, tokenOut: NATIVE_TOKEN, fund: true })
    expect(await refusalOf(simulator.simulatePlan(sale))).toMatchObject({
      code: 'DRY_RUN_UNFUNDABLE',
      status: 422,
    })
    expect(await refusalOf(simulator.simulatePlan(sale))).toMatchObject({ code: 'DRY_RUN_UNFUNDABLE' })
    expect(sent).toHaveLength(1)
  })
})
