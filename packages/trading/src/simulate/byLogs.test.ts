import { type Address, ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'
import { BARE_NUMBERS } from '@pit/platform/test/bareProfile'
import { type CoreToken, NATIVE_TOKEN } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from './createSimulator.ts'
import type { SimulateParams } from './deps.ts'
import {
  at,
  type Block,
  MULTICALL3,
  OTHER,
  open,
  RECIPIENT,
  ROUTER,
  type Run,
  ran,
  type Sent,
  simulateParams,
  TOKEN,
  tx,
  WALLET,
  word,
} from './test/scripted.ts'

const [WETH, STOCK] = [at('72'), at('73')]
const core = (address: Address, kind: CoreToken['kind']) => ({ address, kind }) as CoreToken
const PROFILE: SimulatorOptions['profile'] = {
  chain_id: 4663,
  limits: BARE_NUMBERS.limits,
  contracts: { universal_router: ROUTER, permit2: at('92'), multicall3: MULTICALL3 } as never,
  stocks: { issuer: 'robinhood', beacon: null },
  core_tokens: [
    core(NATIVE_TOKEN, 'native'),
    core(TOKEN.toUpperCase().replace('X', 'x') as Address, 'core'),
    core(WETH, 'core'),
    core(STOCK, 'stock'),
  ],
}
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'
const padded = (address: Address): Hex => word(BigInt(address))
const transfer = (token: Address, from: Address, to: Address, atoms: bigint) => ({
  address: token,
  topics: [ERC20_TRANSFER_TOPIC, padded(from), padded(to)],
  data: word(atoms),
})
/** As in the execution APIs. */
const ether = (from: Address, to: Address, wei: bigint) => transfer(at('ee'), from, to, wei)

const call = ({ gasUsed = 100_000, status = '0x1', ...rest }: Run) => ({
  status,
  gasUsed: `0x${gasUsed.toString(16)}`,
  returnData: '0x',
  logs: [],
  ...rest,
})
const blockWith = (...runs: Run[]) => [{ number: '0x2a', baseFeePerGas: '0x7', calls: runs.map(call) }]
const payloadOf = ({ params }: Sent) => params[0] as { traceTransfers: boolean; blockStateCalls: [Block] }
/** A node whose logs are scripted and whose balances differ from them. */
const both = (logs: unknown, balances: unknown) => (sent: Sent) =>
  payloadOf(sent).traceTransfers ? logs : balances
const swapLogs = [
  ether(WALLET, ROUTER, 5n),
  ether(ROUTER, RECIPIENT, 1n),
  transfer(TOKEN, OTHER, WALLET, 100n),
]

describe('a plan of tokens measured by logs', () => {
  const simulate = async (script: (sent: Sent) => unknown, change: Partial<SimulateParams> = {}) => {
    const it = open(script, { profile: PROFILE })
    return { ...it, result: await it.simulator.simulatePlan(simulateParams(change)) }
  }

  it('runs only its transactions', async () => {
    const { result, sent, blockSent } = await simulate(() => blockWith({ logs: swapLogs }))
    expect(sent).toHaveLength(1)
    expect(payloadOf(sent[0]!).traceTransfers).toBe(true)
    expect(blockSent().calls.map(({ to }) => to)).toEqual([ROUTER])
    expect(result).toMatchObject({ ok: true, amountOut: 100n, feeTransfer: 1n, gasTotal: 100_000 })
    // Transfers of ETH are not logs of the transaction.
    expect(result.transactions[0]!.logs.map(({ address }) => address)).toEqual([TOKEN])
  })

  it('subtracts what leaves again, and counts all ETH except gas', async () => {
    const back = [...swapLogs, transfer(TOKEN, WALLET, OTHER, 7n), transfer(TOKEN, OTHER, RECIPIENT, 50n)]
    expect((await simulate(() => blockWith({ logs: back }))).result).toMatchObject({
      amountOut: 93n,
      feeTransfer: 1n,
    })
    const sale: Partial<SimulateParams> = {
      tokenIn: TOKEN,
      tokenOut: NATIVE_TOKEN,
      transactions: [{ kind: 'swap' as const, tx: tx({ valueWei: 0n }) }],
    }
    const logs = [ether(OTHER, ROUTER, 103n), ether(ROUTER, RECIPIENT, 3n), ether(ROUTER, WALLET, 100n)]
    expect((await simulate(() => blockWith({ logs }), sale)).result).toMatchObject({
      ok: true,
      amountOut: 100n,
      feeTransfer: 3n,
    })
  })

  it('handles wrapping and unwrapping, which log no transfer', async () => {
    const own = (topic: Hex, who: Address, atoms: bigint) => ({
      address: WETH,
      topics: [topic, padded(who)],
      data: word(atoms),
    })
    const logs = [
      ether(WALLET, ROUTER, 5n),
      own(DEPOSIT, ROUTER, 500n),
      own(DEPOSIT, WALLET, 40n),
      transfer(WETH, ROUTER, WALLET, 100n),
      own(WITHDRAWAL, WALLET, 30n),
    ]
    expect((await simulate(() => blockWith({ logs }), { tokenOut: WETH })).result).toMatchObject({
      amountOut: 110n,
      feeTransfer: 0n,
    })
  })

  it('does not trust the logs of other tokens or stocks', async () => {
    for (const token of [OTHER, STOCK]) {
      const fake = [ether(WALLET, ROUTER, 5n), transfer(token, OTHER, WALLET, 1_000n)]
      const { result, sent } = await simulate(() => ran([10n, 0n], [{ logs: fake }], [110n, 1n]), {
        tokenOut: token,
      })
      expect(payloadOf(sent[0]!).traceTransfers).toBe(false)
      expect(result).toMatchObject({ ok: true, amountOut: 100n, feeTransfer: 1n })
    }
    // Another contract's log of the same kind does not count.
    const others = [ether(WALLET, ROUTER, 5n), transfer(OTHER, OTHER, WALLET, 1_000n)]
    const { result } = await simulate(
      both(blockWith({ logs: others }), ran([10n, 0n], [{ logs: others }], [10n, 0n])),
    )
    expect(result).toMatchObject({ ok: false, amountOut: 0n })
  })

  it('is measured by balances if logs are inconclusive, and then for a while', async () => {
    const balances = ran([10n, 0n], [{}], [110n, 1n])
    const flood = Array.from({ length: 300 }, () => transfer(OTHER, OTHER, OTHER, 1n))
    const doubts: Run[] = [
      { logs: [] },
      { logs: swapLogs.slice(1) },
      { logs: swapLogs.slice(0, 2) },
      { logs: [...swapLogs, ...flood] },
    ]
    for (const run of doubts) {
      const { result, sent, simulator } = await simulate(both(blockWith(run), balances))
      expect(sent.map((one) => payloadOf(one).traceTransfers)).toEqual([true, false])
      expect(result).toMatchObject({ ok: true, amountOut: 100n, feeTransfer: 1n })
      await simulator.simulatePlan(simulateParams())
      // A token can flood its own logs at any time, which is not evidence about the node.
      const again = run === doubts.at(-1) ? [true, false] : [false]
      expect(sent.map((one) => payloadOf(one).traceTransfers)).toEqual([true, false, ...again])
    }
    // If balances fail as well, the logs were right.
    const { result, sent, simulator } = await simulate(
      both(blockWith({ logs: swapLogs.slice(0, 2) }), ran([10n, 0n], [{}], [10n, 1n])),
    )
    expect(result).toMatchObject({ ok: false, error: 'it delivers 0 atoms, less than the minimum of 90' })
    await simulator.simulatePlan(simulateParams())
    expect(sent.map((one) => payloadOf(one).traceTransfers)).toEqual([true, false, true, false])
  })

  it('that reverts is not run twice, and earlier steps count', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x5bf6f916' }
    const transactions = [
      { kind: 'fee_transfer' as const, tx: tx({ to: RECIPIENT, valueWei: 1n }) },
      { kind: 'swap' as const, tx: tx() },
    ]
    const script = () =>
      blockWith({ logs: [ether(WALLET, RECIPIENT, 1n)] }, { status: '0x0', error, logs: swapLogs })
    const { result, sent } = await simulate(script, { transactions })
    expect(sent).toHaveLength(1)
    expect(result).toMatchObject({
      ok: false,
      amountOut: null,
      feeTransfer: 1n,
      error: 'swap: the deadline has passed',
    })
  })

  it('confirms a token loan first', async () => {
    const sale: Partial<SimulateParams> = {
      tokenIn: OTHER,
      tokenOut: NATIVE_TOKEN,
      fund: true as const,
      amountIn: 77n,
      approvals: 'in place' as const,
      transactions: [{ kind: 'swap' as const, tx: tx({ valueWei: 0n }) }],
    }
    const logs = [ether(ROUTER, RECIPIENT, 3n), ether(ROUTER, WALLET, 100n)]
    const { result, sent } = await simulate((one) => {
      const { blockStateCalls } = payloadOf(one)
      // The search for the token's balance slot returns the word of the first slot.
      if (blockStateCalls.length > 1)
        return (blockStateCalls as Block[]).map(({ stateOverrides }) => ({
          number: '0x1',
          calls: [call({ returnData: Object.values(stateOverrides[OTHER]!.stateDiff!)[0]! })],
        }))
      return blockWith({}, {}, { returnData: word(77n) }, { logs })
    }, sale)
    expect(payloadOf(sent[1]!).blockStateCalls[0].calls.map(({ to }) => to)).toEqual([
      OTHER,
      at('92'),
      OTHER,
      ROUTER,
    ])
    expect(result).toMatchObject({ ok: true, amountOut: 100n, feeTransfer: 3n, fundedByOverrides: true })
  })
})
