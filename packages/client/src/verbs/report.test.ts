import { type Address, aggregatorV3Abi, type Hex, multicall3Abi, NATIVE } from '@pit/chain'
import { decodeFunctionData, encodeAbiParameters, encodeFunctionResult, numberToHex, pad } from 'viem'
import { describe, expect, it } from 'vitest'
import type { ClientDeps } from '../deps.ts'
import { isRefusal } from '../errors.ts'
import { type RpcCall, RpcFailure } from '../own/rpc.ts'
import type { Pins } from '../pins.ts'
import { memoryRecords, openRecords } from '../records.ts'
import { report } from './report.ts'

const at = (digit: string): Address => `0x${digit.repeat(40)}`
const [WALLET, WETH, USDG, FEED, MULTICALL, FEES] = ['a', 'b', 'c', 'd', 'e', 'f'].map(at) as [
  ...[Address, Address, Address, Address, Address, Address],
]
const [PERMIT2, ROUTER] = [at('5'), at('6')]
const ETH = 10n ** 18n
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const START_S = 1_767_225_600

const core = (symbol: string, decimals = 18) => ({ symbol, core: symbol, decimals, stock: false })
const pins = {
  ...{ weth: WETH, multicall3: MULTICALL, feeRecipient: FEES, permit2: PERMIT2, router: ROUTER },
  tokens: new Map([
    [NATIVE, core('ETH')],
    [WETH, core('WETH')],
    [USDG, core('USDG', 6)],
  ]),
  marks: new Map([
    [
      WETH,
      {
        ...{ kind: 'feed', token: WETH, symbol: 'WETH', frozen: null },
        feed: { address: FEED, decimals: 8, heartbeat_s: 3_600, session: null },
      },
    ],
  ]),
  profile: { chain_id: 4663, first_block: 1, stocks: { issuer: 'robinhood' }, market_holidays: [] },
} as unknown as Pins

/** Balances of ETH and USDG at the end of each block, from block 1; one block a minute. */
type Chain = readonly (readonly [eth: bigint, usdg: bigint])[]
interface Mined {
  block: number
  status?: Hex
  from?: Address
  usdg?: bigint
  fee?: bigint
  to?: Address
  input?: Hex
}
const GAS_WEI = 21_000n * 1_000n
const hashOf = (index: number): Hex => numberToHex(index + 1, { size: 32 })

/** A node that serves a scripted chain, without `eth_simulateV1`. */
function nodeOf(chain: Chain, mined: readonly Mined[], { historyFrom = 0 } = {}) {
  // By block and place in the list.
  const own = mined
    .map((one, i) => ({ ...one, i }))
    .filter(({ from = WALLET }) => from === WALLET)
    .sort((a, b) => a.block - b.block || a.i - b.i)
  const nonceOf = (i: number): Hex =>
    numberToHex(
      Math.max(
        0,
        own.findIndex((one) => one.i === i),
      ),
    )
  const requests: RpcCall[] = []
  const timeS = (block: number) => START_S + 60 * block
  const answer = ({ method, params }: RpcCall): unknown => {
    const tag = params[method === 'eth_getBlockByNumber' ? 0 : 1]
    const block = tag === 'latest' || tag === undefined ? chain.length : Number(tag)
    if (method === 'eth_getBlockByNumber') {
      const transactions = mined.flatMap((one, i) =>
        one.block === block
          ? [
              {
                ...{ hash: hashOf(i), type: '0x2', from: one.from ?? WALLET, to: one.to ?? USDG },
                ...{ value: '0x0', input: one.input ?? '0x', nonce: nonceOf(i) },
              },
            ]
          : [],
      )
      return {
        number: numberToHex(block),
        timestamp: numberToHex(timeS(block)),
        miner: at('9'),
        transactions,
      }
    }
    if (method === 'eth_getTransactionReceipt') {
      const i = mined.findIndex((_, index) => hashOf(index) === params[0])
      return i < 0 ? null : receiptOf(mined[i]!)
    }
    if (method === 'eth_getTransactionByHash')
      return { nonce: nonceOf(mined.findIndex((_, index) => hashOf(index) === params[0])) }
    if (block < historyFrom) return new RpcFailure('missing trie node')
    if (method === 'eth_getTransactionCount')
      return numberToHex(own.filter((one) => one.block <= block).length)
    const [eth, usdg] = chain[block - 1] ?? [0n, 0n]
    if (method === 'eth_getBalance') return numberToHex(lowerOf(params[0]) === WALLET ? eth : 0n)
    if (method !== 'eth_call') return new RpcFailure('unknown method', { code: -32601 })
    const { data } = params[0] as { data: Hex }
    const [calls] = decodeFunctionData({ abi: multicall3Abi, data }).args as unknown as [
      { target: Address }[],
    ]
    const word = (value: bigint): Hex => pad(numberToHex(value))
    const results = calls.map(({ target }) => {
      const one = lowerOf(target)
      const round = [1n, 2_000n * 10n ** 8n, 0n, BigInt(timeS(block)), 1n] as const
      if (one === FEED)
        return encodeFunctionResult({ abi: aggregatorV3Abi, functionName: 'latestRoundData', result: round })
      return word(one === MULTICALL ? eth : one === USDG ? usdg : 0n)
    })
    return encodeAbiParameters(multicall3Abi[0].outputs, [
      results.map((returnData) => ({ success: true, returnData })),
    ])
  }
  return {
    requests,
    all: async (all: readonly RpcCall[]) => {
      requests.push(...all)
      return all.map(answer)
    },
  }
}
const lowerOf = (value: unknown): Address => String(value).toLowerCase() as Address

const receiptOf = ({ block, status = '0x1', from = WALLET, usdg = 0n, fee = 0n }: Mined) => {
  const log = (sender: Address, to: Address, atoms: bigint) => ({
    address: USDG,
    topics: [TRANSFER, pad(sender), pad(to)],
    data: pad(numberToHex(atoms)),
  })
  return {
    ...{ status, from, blockNumber: numberToHex(block), transactionIndex: '0x0' },
    ...{ gasUsed: '0x5208', effectiveGasPrice: '0x3e8' },
    logs: [
      ...(usdg > 0n ? [log(at('8'), WALLET, usdg)] : []),
      ...(usdg < 0n ? [log(WALLET, at('8'), -usdg)] : []),
      ...(fee > 0n ? [log(at('8'), FEES, fee)] : []),
    ],
  }
}

const token = (symbol: string, address: Address) => ({
  token: symbol,
  address,
  symbol,
  name: symbol,
  decimals: 18,
})
const row = (index: number, more: object = {}) => ({
  ...{ id: 100 - index, time: START_S, path: 'agent', status: 'mined' },
  ...{ token_in: token('ETH', NATIVE), token_out: token('USDG', USDG) },
  ...{ amount_in: null, amount_out: null, amount_out_kind: null, amount_out_min: '1' },
  ...{ tx_hash: hashOf(index), block: 1 },
  ...more,
})
function depsOf(node: ReturnType<typeof nodeOf>, trades: object[]): ClientDeps {
  return {
    ...{ account: { address: WALLET }, pins, rpc: node, records: openRecords(memoryRecords(), WALLET) },
    api: {
      'me.trades': async () => ({ wallet: WALLET, trades, next_before: null, refused_included: false }),
    },
  } as unknown as ClientDeps
}
const PERIOD = { fromS: START_S, toS: START_S + 86_400 }

// Sells 0.5 ETH for 990 USDG in block 3; a reverted trade in block 5; 7 USDG arrive in block 6.
const CHAIN: Chain = [
  [2n * ETH, 0n],
  [2n * ETH, 0n],
  [(3n * ETH) / 2n - GAS_WEI, 990_000_000n],
  [(3n * ETH) / 2n - GAS_WEI, 990_000_000n],
  [(3n * ETH) / 2n - 2n * GAS_WEI, 990_000_000n],
  [(3n * ETH) / 2n - 2n * GAS_WEI, 997_000_000n],
]
const MINED: Mined[] = [
  { block: 3, usdg: 990_000_000n, fee: 10_000_000n },
  { block: 5, status: '0x0' },
]

it('takes amounts, gas and fees from receipts and balances', async () => {
  const deps = depsOf(nodeOf(CHAIN, MINED), [row(0), row(1, { status: 'reverted' })])
  const { report: made } = await report(deps, PERIOD)
  expect(made.trades).toMatchObject([
    {
      ...{ gave: [{ token: NATIVE, atoms: ETH / 2n }], received: [{ token: USDG, atoms: 990_000_000n }] },
      ...{ fees: [{ token: USDG, atoms: 10_000_000n }], gasWei: GAS_WEI, valuedBy: 'cash', ok: true },
    },
    { ok: false, gasWei: GAS_WEI, gave: [], received: [] },
  ])
  expect(made.flows.map(({ token: one, atoms, direction }) => [one, atoms, direction])).toEqual([
    [NATIVE, 2n * ETH, 'in'],
    [USDG, 7_000_000n, 'in'],
  ])
  expect(made.holdings.map(({ token: one, atoms }) => [one, atoms])).toEqual([
    [USDG, 997_000_000n],
    [NATIVE, CHAIN[5]![0]],
  ])
  expect(made.findings).toEqual([])
  expect(made.totals.gas.wei).toBe(2n * GAS_WEI)
})

it('reports rows that the node does not confirm', async () => {
  const listed = [
    row(0, { amount_out: '991000000', amount_out_kind: 'actual' }),
    row(1),
    row(2, { status: 'pending', tx_hash: hashOf(8) }),
    row(3, { tx_hash: hashOf(9) }),
  ]
  const { report: made } = await report(depsOf(nodeOf(CHAIN, MINED), listed), PERIOD)
  expect(made.findings.map(({ problem, included }) => [problem, included]).sort()).toEqual([
    ['amounts_differ', true],
    ['no_receipt', false],
    ['pending', false],
    ['status_differs', true],
  ])
  expect(made.trades).toHaveLength(2)
})

it('shows a trade that the server hides as a change of balance', async () => {
  const { report: made } = await report(depsOf(nodeOf(CHAIN, MINED), []), PERIOD)
  expect(made.trades).toEqual([])
  expect(made.holdings.map(({ token: one, atoms }) => [one, atoms])).toEqual([
    [USDG, 997_000_000n],
    [NATIVE, CHAIN[5]![0]],
  ])
})

it('leaves out transactions of other wallets, also in a block that changed the balance', async () => {
  // The third is the wallet's, and not listed.
  const mined = [{ block: 3, from: at('7') }, { block: 4, from: at('7') }, MINED[0]!]
  const { report: made } = await report(depsOf(nodeOf(CHAIN, mined), [row(0), row(1)]), PERIOD)
  expect(made.findings.map(({ problem, included }) => [problem, included])).toEqual([
    ['not_yours', false],
    ['not_yours', false],
  ])
  expect(made.trades).toEqual([])
  expect(made.holdings.find(({ token: one }) => one === NATIVE)!.atoms).toBe(CHAIN[5]![0])
})

it('does not count gas of an approval in the same block as part of the trade', async () => {
  const chain = CHAIN.map(([eth, usdg], i) => [i < 2 ? eth : eth - GAS_WEI, usdg] as const)
  const mined = [MINED[0]!, MINED[1]!, { block: 3 }]
  const listed = [
    row(0, { amount_in: String(ETH / 2n), amount_out: '990000000', amount_out_kind: 'actual' }),
    row(1, { status: 'reverted' }),
  ]
  const { report: made } = await report(depsOf(nodeOf(chain, mined), listed), PERIOD)
  expect(made.trades[0]!.gave).toEqual([{ token: NATIVE, atoms: ETH / 2n }])
  expect(made.flows.filter(({ direction }) => direction === 'out')).toMatchObject([{ atoms: GAS_WEI }])
  expect(made.findings).toEqual([])
})

it('marks a trade at a block without state', async () => {
  const node = nodeOf(CHAIN, MINED, { historyFrom: 6 })
  const { report: made } = await report(depsOf(node, [row(0), row(1, { status: 'reverted' })]), PERIOD)
  expect(made.findings).toMatchObject([{ problem: 'no_history', hash: hashOf(0), included: true }])
  expect(made.holdings.map(({ atoms }) => atoms)).toEqual([997_000_000n, CHAIN[5]![0]])
})

const word = (value: bigint | Address): string => BigInt(value).toString(16).padStart(64, '0')
const MAX_UINT = 2n ** 256n - 1n
const APPROVE: Hex = `0x095ea7b3${word(PERMIT2)}${word(MAX_UINT)}`
const PERMIT2_APPROVE: Hex = `0x87517c45${word(USDG)}${word(ROUTER)}${word(2n ** 160n - 1n)}${word(1n)}`
const approvalsIn = ({ trades }: Awaited<ReturnType<typeof report>>['report']) =>
  trades.filter(({ approval }) => approval !== undefined).map(({ hash, approval }) => [hash, approval])

describe('approvals that the server does not list', () => {
  // One in block 2, one of Permit2 in the block of the trade, and a call that is not an approval in block 4.
  const spent = [0n, 1n, 2n, 3n, 3n, 3n]
  const chain = CHAIN.map(([eth, usdg], i) => [eth - spent[i]! * GAS_WEI, usdg] as const)
  const mined: Mined[] = [
    ...MINED,
    { block: 2, input: APPROVE },
    { block: 3, to: PERMIT2, input: PERMIT2_APPROVE },
    { block: 4, input: '0xd0e30db0' },
  ]
  const listed = [row(0), row(1, { status: 'reverted' })]

  it('are found by their nonces and cost gas', async () => {
    const { report: made } = await report(depsOf(nodeOf(chain, mined), listed), PERIOD)
    expect(approvalsIn(made).sort()).toEqual([
      [hashOf(2), 'approval of USDG to Permit2'],
      [hashOf(3), 'approval of USDG to Universal Router'],
    ])
    expect(made.totals.gas.wei).toBe(4n * GAS_WEI)
    expect(made.findings).toEqual([])
    expect(made.trades.find(({ hash }) => hash === hashOf(0))!.gave).toEqual([
      { token: NATIVE, atoms: ETH / 2n },
    ])
    // Only the gas of the other call is unexplained.
    expect(made.flows.filter(({ direction }) => direction === 'out')).toMatchObject([
      { token: NATIVE, atoms: GAS_WEI },
    ])
    expect(made.holdings.find(({ token: one }) => one === NATIVE)!.atoms).toBe(chain[5]![0])
    expect(made.rows.filter(({ kind }) => kind === 'approval').map(({ note }) => note)).toEqual([
      'approval of USDG to Permit2',
      'approval of USDG to Universal Router',
    ])
  })

  it('are found shortly before a trade without the state of old blocks', async () => {
    const node = nodeOf(chain, mined, { historyFrom: 6 })
    const { report: made } = await report(depsOf(node, listed), PERIOD)
    expect(approvalsIn(made)).toHaveLength(2)
    expect(made.holdings.find(({ token: one }) => one === NATIVE)!.atoms).toBe(chain[5]![0])
  })

  it('are found among many blocks with few reads', async () => {
    const long: Chain = Array.from({ length: 5_000 }, (_, i) => {
      const gas = (i >= 1_233 ? GAS_WEI : 0n) + (i >= 4_998 ? GAS_WEI : 0n)
      return i >= 4_998 ? [(3n * ETH) / 2n - gas, 990_000_000n] : [2n * ETH - gas, 0n]
    })
    const few: Mined[] = [
      { block: 4_999, usdg: 990_000_000n },
      { block: 1_234, input: APPROVE },
    ]
    const node = nodeOf(long, few)
    const { report: made } = await report(depsOf(node, [row(0)]), { fromS: START_S, toS: START_S + 400_000 })
    expect(approvalsIn(made)).toEqual([[hashOf(1), 'approval of USDG to Permit2']])
    expect(node.requests.filter(({ method }) => method === 'eth_getTransactionCount').length).toBeLessThan(20)
  })

  it('are not searched if no nonce is missing', async () => {
    const node = nodeOf(CHAIN, MINED)
    await report(depsOf(node, listed), PERIOD)
    const methods = node.requests.map(({ method }) => method)
    expect(methods.filter((one) => one === 'eth_getTransactionCount')).toHaveLength(1)
    expect(methods).not.toContain('eth_getTransactionByHash')
  })
})

it('fixes the method of a year by its first report', async () => {
  const deps = depsOf(nodeOf(CHAIN, MINED), [])
  await report(deps, { ...PERIOD, method: 'lifo' })
  const code = await report(deps, PERIOD).catch((error) => isRefusal(error) && error.code)
  expect(code).toBe('REPORT_METHOD')
  expect((await report(deps, { ...PERIOD, method: 'lifo' })).input.methods).toEqual({ 2026: 'lifo' })
})
