import { type Address, ERC20_TRANSFER_TOPIC, type Hex, NATIVE } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import type { ClientDeps } from '../deps.ts'
import { RpcFailure } from '../own/rpc.ts'
import { type Bound, follow, type SignedFee } from './follow.ts'

// The mined output and fee against what was signed, for tokens and ETH.

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const [WALLET, ROUTER, RECIPIENT, POOL, STRANGER] = ['a', 'b', 'c', 'd', 'e'].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const [USDG, TAXED] = [address('1'), address('2')] as const
const ETHER_LOG: Address = address('e')
const HASH: Hex = `0x${'f'.repeat(64)}`
const OTHER: Hex = `0x${'9'.repeat(64)}`
const GAS_WEI = 1_000n * 7n

const word = (value: string): Hex => `0x${value.slice(2).padStart(64, '0')}`
const log = (token: Address, from: Address, to: Address, atoms: bigint) => ({
  address: token,
  topics: [ERC20_TRANSFER_TOPIC, word(from), word(to)],
  data: word(`0x${atoms.toString(16)}`),
})
type Log = ReturnType<typeof log>

interface Chain {
  logs?: Log[]
  /** Net ETH by holder. */
  ether?: Partial<Record<Address, bigint>>
  /** Another transaction shares the block, so that only a replay proves anything. */
  crowded?: true
  /** The block at this height does not hold the transaction. */
  reorganised?: true
  /** Logs that a replay gives; absent when the node has no eth_simulateV1. */
  replayed?: Log[]
  sender?: Address
}

function run(bound: Partial<Bound>, chain: Chain) {
  const { logs = [], ether = {}, crowded, reorganised, replayed, sender = WALLET } = chain
  const transactionOf = (hash: Hex) => ({
    hash,
    type: '0x2',
    from: sender,
    to: ROUTER,
    value: '0x0',
    input: '0x',
    gas: '0x1',
  })
  const replies: Record<string, (params: [string, string]) => unknown> = {
    eth_getTransactionReceipt: () => ({
      status: '0x1',
      blockNumber: '0x10',
      gasUsed: '0x3e8',
      effectiveGasPrice: '0x7',
      logs,
    }),
    eth_getBlockByNumber: ([number]) => ({
      number,
      timestamp: number === '0x10' ? '0x64' : '0x63',
      miner: POOL,
      transactions: [...(crowded || reorganised ? [OTHER] : []), ...(reorganised ? [] : [HASH])].map(
        transactionOf,
      ),
    }),
    eth_getBalance: ([holder, number]) => {
      const gasWei = holder === sender ? GAS_WEI : 0n
      return hex(10n ** 18n + (number === '0x10' ? (ether[holder as Address] ?? 0n) - gasWei : 0n))
    },
    eth_simulateV1: () =>
      replayed ? [{ calls: [{ logs: [] }, { logs: replayed }] }] : new RpcFailure('no', { code: -32601 }),
  }
  const deps = {
    account: { address: sender },
    pins: { router: ROUTER, tokens: new Map([[USDG, {}]]) },
    rpc: {
      all: async (calls: { method: string; params: [string, string] }[]) =>
        calls.map(({ method, params }) => replies[method]!(params)),
    },
    nowMs: () => 0,
    sleep: async () => {},
  } as unknown as ClientDeps
  const whole: Bound = { receiver: WALLET, tokenOut: USDG, leastOut: 100n, fee: null, deadlineS: 1, ...bound }
  return follow(deps, whole, [HASH], {})
}
const hex = (value: bigint): Hex => `0x${value.toString(16)}`
const fee = (token: Address, pays: SignedFee['pays']): SignedFee => ({ token, recipient: RECIPIENT, pays })

describe('a token output', () => {
  const received = (atoms: bigint) => log(USDG, POOL, WALLET, atoms)

  it('is what arrives, less what leaves', async () => {
    const logs = [received(150n), log(USDG, WALLET, STRANGER, 40n), log(TAXED, POOL, WALLET, 900n)]
    expect(await run({}, { logs })).toMatchObject({ amountOut: 110n, feePaid: 0n })
  })

  it('under the minimum is refused', async () => {
    await expect(run({}, { logs: [received(99n)] })).rejects.toMatchObject({
      code: 'MINED_MISMATCH',
      details: { tx_hash: HASH },
    })
  })

  it.each([
    ['the named amount', 5n, true],
    ['less', 4n, false],
    ['more', 6n, false],
  ])('with a fee of %s in a pinned token', async (_, paid, isFine) => {
    const logs = [received(100n), log(USDG, WALLET, RECIPIENT, paid), received(paid)]
    const traded = run({ fee: fee(USDG, { atoms: 5n }) }, { logs })
    if (isFine) expect(await traded).toMatchObject({ amountOut: 100n, feePaid: 5n })
    else await expect(traded).rejects.toMatchObject({ code: 'MINED_MISMATCH' })
  })

  it.each([
    ['the rate', 25n, true],
    ['one atom less', 24n, false],
    ['one atom more', 26n, false],
  ])('with a fee by rate: %s', async (_, paid, isFine) => {
    const logs = [log(USDG, ROUTER, RECIPIENT, paid), log(USDG, ROUTER, WALLET, 10_000n - paid)]
    const traded = run({ fee: fee(USDG, { bps: 25 }) }, { logs })
    if (isFine) expect(await traded).toMatchObject({ feePaid: 25n })
    else await expect(traded).rejects.toMatchObject({ code: 'MINED_MISMATCH' })
  })

  it.each([
    ['taxed on its way', 20n, true],
    ['more than the rate', 26n, false],
  ])('with a fee in a token that may tax: %s', async (_, paid, isFine) => {
    const logs = [
      log(TAXED, ROUTER, RECIPIENT, paid),
      log(TAXED, ROUTER, STRANGER, 500n),
      log(TAXED, ROUTER, WALLET, 9_500n - paid),
    ]
    const traded = run({ tokenOut: TAXED, fee: fee(TAXED, { bps: 25 }) }, { logs })
    if (isFine) expect(await traded).toMatchObject({ feePaid: 20n })
    else await expect(traded).rejects.toMatchObject({ code: 'MINED_MISMATCH' })
  })
})

describe('an ETH output', () => {
  const bound = { tokenOut: NATIVE, fee: fee(NATIVE, { bps: 25 }) }

  it.each([
    ['a wallet', WALLET],
    ['a session, whose executor pays the gas', STRANGER],
  ])('of %s is proven by balances when the block is its own', async (_, sender) => {
    const ether = { [WALLET]: 9_975n, [RECIPIENT]: 25n }
    expect(await run(bound, { ether, sender })).toMatchObject({ amountOut: 9_975n, feePaid: 25n })
    const short = run({ ...bound, leastOut: 9_976n }, { ether, sender })
    await expect(short).rejects.toMatchObject({ code: 'MINED_MISMATCH' })
    const dear = run(bound, { ether: { [WALLET]: 9_974n, [RECIPIENT]: 26n }, sender })
    await expect(dear).rejects.toMatchObject({ code: 'MINED_MISMATCH' })
  })

  const swap = log(USDG, WALLET, POOL, 7n)
  const payout = [log(ETHER_LOG, ROUTER, RECIPIENT, 25n), log(ETHER_LOG, ROUTER, WALLET, 9_975n)]
  const crowded: Chain = { crowded: true, logs: [swap], ether: { [WALLET]: 1n } }

  it('is proven by a replay when others share the block', async () => {
    const chain = { ...crowded, replayed: [swap, ...payout] }
    expect(await run(bound, chain)).toMatchObject({ amountOut: 9_975n, feePaid: 25n })
    const short = run({ ...bound, leastOut: 9_976n }, chain)
    await expect(short).rejects.toMatchObject({ code: 'MINED_MISMATCH' })
  })

  it.each<[string, Chain]>([
    ['the replay took another course', { replayed: [log(USDG, WALLET, POOL, 8n), ...payout] }],
    ['the node cannot replay', {}],
    ['the block was reorganised', { reorganised: true, replayed: [swap, ...payout] }],
  ])('is null when %s', async (_, more) => {
    expect(await run(bound, { ...crowded, ...more })).toMatchObject({ amountOut: null, feePaid: null })
  })
})

it('checks an ETH fee on the input', async () => {
  const bound = { fee: fee(NATIVE, { atoms: 30n }) }
  const logs = [log(USDG, POOL, WALLET, 100n)]
  const ether = { [WALLET]: -1_000n, [RECIPIENT]: 30n }
  expect(await run(bound, { logs, ether })).toMatchObject({ amountOut: 100n, feePaid: 30n })
  await expect(run(bound, { logs, ether: { ...ether, [RECIPIENT]: 31n } })).rejects.toMatchObject({
    code: 'MINED_MISMATCH',
  })
})

it('leaves the fee of an older record unchecked', async () => {
  const logs = [log(USDG, POOL, WALLET, 100n)]
  const { fee: _, ...older } = { fee: null }
  expect(await run({ ...older, fee: undefined } as never, { logs })).toMatchObject({ feePaid: null })
})
