/**
 * Hot paths of @pit/chain compared with viem and the Uniswap SDK, interleaved in one run: only the ratios are
 * meaningful, the microseconds depend on the machine. Answers are compared before they are timed.
 */
import { strict as assert } from 'node:assert'
import { createRequire } from 'node:module'
import {
  type Address,
  createCrypto,
  createPoolIndex,
  decodeExecute,
  findRoutes,
  type Hex,
  hashTx,
  parseSignedTx,
  quoteExactIn,
  type RouterCall,
  senderOf,
  signTx,
  type V3Pool,
} from '@pit/chain'
import { encodeExecute } from '@pit/plans'
import type { CurrencyAmount, Token } from '@uniswap/sdk-core'
import type { Pool as SdkPool } from '@uniswap/v3-sdk'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  keccak256,
  parseAbi,
  parseAbiParameters,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializedEIP1559,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { randomPool, seeded } from '../packages/chain/test/randomPool.ts'

// Their module builds do not load in Node as they are; the older kind does.
const require = createRequire(import.meta.url)
const core: typeof import('@uniswap/sdk-core') = require('@uniswap/sdk-core')
const sdk: typeof import('@uniswap/v3-sdk') = require('@uniswap/v3-sdk')

type Work = () => unknown
type Rival = { name: string; ours: Work; theirs: Work; goal?: number }

/** Many short batches, of which the better fifth counts, so that load from other work is excluded. */
const BATCH_US = 1_000
const BUDGET_MS = 1_500
const MIN_ROUNDS = 15
const TOKEN: Address = `0x${'ab'.repeat(20)}`
const WETH: Address = `0x${'cd'.repeat(20)}`
const ME: Address = `0x${'12'.repeat(20)}`
const KEY: Hex = `0x${'4f'.repeat(32)}`

const crypto = await createCrypto()
const wasm = await createCrypto({ curve: 'wasm' })
const account = privateKeyToAccount(KEY)

const call: RouterCall = {
  commands: [
    {
      command: 'PERMIT2_PERMIT',
      permit: {
        details: { token: TOKEN, amount: 10n ** 18n, expiration: 2e9, nonce: 3 },
        spender: ME,
        sigDeadline: 2n ** 60n,
      },
      signature: `0x${'5a'.repeat(65)}`,
    },
    {
      command: 'V3_SWAP_EXACT_IN',
      recipient: ME,
      amountIn: 10n ** 18n,
      amountOutMin: 9n ** 18n,
      path: { tokens: [TOKEN, WETH], fees: [500] },
      payerIsUser: true,
    },
    { command: 'PAY_PORTION', token: WETH, recipient: ME, bips: 25n },
    { command: 'UNWRAP_WETH', recipient: ME, amountMin: 9n ** 17n },
  ],
  deadlineS: 2_000_000_000n,
}
const ROUTER = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])
const PERMIT = parseAbiParameters(
  '((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline), bytes',
)
const SWAP = parseAbiParameters('address, uint256, uint256, bytes, bool')
const PORTION = parseAbiParameters('address, address, uint256')
const UNWRAP = parseAbiParameters('address, uint256')
function encodeByViem(): Hex {
  const [permit, swap, portion, unwrap] = call.commands
  if (permit?.command !== 'PERMIT2_PERMIT' || swap?.command !== 'V3_SWAP_EXACT_IN')
    throw new Error('another call')
  if (portion?.command !== 'PAY_PORTION' || unwrap?.command !== 'UNWRAP_WETH') throw new Error('another call')
  const path = encodePacked(['address', 'uint24', 'address'], [TOKEN, 500, WETH])
  const inputs = [
    encodeAbiParameters(PERMIT, [permit.permit, permit.signature]),
    encodeAbiParameters(SWAP, [swap.recipient, swap.amountIn, swap.amountOutMin, path, swap.payerIsUser]),
    encodeAbiParameters(PORTION, [portion.token, portion.recipient, portion.bips]),
    encodeAbiParameters(UNWRAP, [unwrap.recipient, unwrap.amountMin]),
  ]
  return encodeFunctionData({
    abi: ROUTER,
    functionName: 'execute',
    args: ['0x0a00060c', inputs, call.deadlineS!],
  })
}

const data = encodeExecute(call)
const tx = {
  type: 2,
  chainId: 4663,
  nonce: 7,
  maxPriorityFeePerGas: 10n ** 8n,
  maxFeePerGas: 10n ** 9n,
  gas: 400_000n,
  to: ME,
  value: 0n,
  data,
  accessList: [],
} as const
const raw = signTx(crypto, tx, KEY).raw as TransactionSerializedEIP1559
const parsed = (): Parameters<typeof senderOf>[1] => {
  const result = parseSignedTx(raw)
  if (!result.ok) throw new Error(result.why)
  return result.tx
}
const read = parsed()

const [token0, token1] = [
  new core.Token(1, `0x${'11'.repeat(20)}`, 18),
  new core.Token(1, `0x${'22'.repeat(20)}`, 18),
]
function sdkPool(pool: V3Pool): SdkPool {
  const ticks = [...pool.ticks]
    .sort(([a], [b]) => a - b)
    .map(([index, { gross, net }]) => ({ index, liquidityGross: `${gross}`, liquidityNet: `${net}` }))
  return new sdk.Pool(
    token0,
    token1,
    pool.feePips,
    `${pool.sqrtPriceX96}`,
    `${pool.liquidity}`,
    pool.tick,
    new sdk.TickListDataProvider(ticks, pool.tickSpacing),
  )
}
/** Pools and amounts that cross a few ticks, so that both sides do real work. */
function quoteCases() {
  const random = seeded(99)
  const cases: { pool: V3Pool; theirs: SdkPool; amount: bigint; input: CurrencyAmount<Token> }[] = []
  while (cases.length < 20) {
    const pool = randomPool(random)
    const amount = 1n + random.bits(40 + random.below(50))
    const quote = quoteExactIn(pool, true, amount)
    if (!quote?.filled || quote.ticksCrossed < 1 || quote.steps > 40) continue
    cases.push({
      pool,
      theirs: sdkPool(pool),
      amount,
      input: core.CurrencyAmount.fromRawAmount(token0, `${amount}`),
    })
  }
  return cases
}
const quotes = quoteCases()
for (const { pool, theirs, amount, input } of quotes) {
  const [output] = await theirs.getOutputAmount(input)
  assert.equal(`${quoteExactIn(pool, true, amount)?.amountOut}`, output.quotient.toString())
}
assert.equal(encodeByViem(), data)
assert.equal(crypto.keccak256(raw), keccak256(raw))
assert.equal(hashTx(crypto, read), keccak256(raw))
assert.equal(senderOf(crypto, read), account.address.toLowerCase())
assert.equal(senderOf(wasm, read), account.address.toLowerCase())
assert.deepEqual(decodeExecute(data), { ok: true, call })
assert.equal(await account.signTransaction({ ...tx, type: 'eip1559' }), raw)

const RIVALS: Rival[] = [
  { name: 'encode a router call', ours: () => encodeExecute(call), theirs: encodeByViem, goal: 8.7 },
  // viem stops at the list of inputs; ours parses them all and proves that the encoding is unique.
  {
    name: 'decode a router call',
    ours: () => decodeExecute(data),
    theirs: () => decodeFunctionData({ abi: ROUTER, data }),
  },
  {
    name: 'parse a signed transaction',
    ours: () => parseSignedTx(raw),
    theirs: () => parseTransaction(raw),
    goal: 17,
  },
  {
    name: 'keccak256 of a transaction',
    ours: () => crypto.keccak256(raw),
    theirs: () => keccak256(raw),
    goal: 13,
  },
  {
    name: `recover its sender (${crypto.curve})`,
    ours: () => senderOf(crypto, parsed()),
    theirs: () => recoverTransactionAddress({ serializedTransaction: raw }),
  },
  {
    name: 'recover its sender (wasm)',
    ours: () => senderOf(wasm, parsed()),
    theirs: () => recoverTransactionAddress({ serializedTransaction: raw }),
  },
  {
    name: `sign it (${crypto.curve})`,
    ours: () => signTx(crypto, tx, KEY),
    theirs: () => account.signTransaction({ ...tx, type: 'eip1559' }),
  },
  {
    name: 'quote 20 v3 pools',
    ours: () => {
      for (const { pool, amount } of quotes) quoteExactIn(pool, true, amount)
    },
    theirs: async () => {
      for (const { theirs, input } of quotes) await theirs.getOutputAmount(input)
    },
    goal: 10,
  },
]

console.log('what                               ours us   theirs us   ratio')
for (const rival of RIVALS) {
  const { ours, theirs } = await race(rival.ours, rival.theirs)
  const goal = rival.goal ? `  (goal ${rival.goal})` : ''
  console.log(
    `${rival.name.padEnd(32)}${ours.toFixed(2).padStart(10)}${theirs.toFixed(2).padStart(12)}` +
      `${(theirs / ours).toFixed(1).padStart(8)}x${goal}`,
  )
}

const small = scan(100)
const large = scan(10_000)
const scans = await race(small, large)
console.log(
  `a scan with 10,000 unrelated pools costs ${(scans.theirs / scans.ours).toFixed(2)}x one with 100 ` +
    `(${scans.ours.toFixed(0)} us)`,
)

async function race(ours: Work, theirs: Work): Promise<{ ours: number; theirs: number }> {
  const counts = [await batchOf(ours), await batchOf(theirs)] as const
  const times: [number[], number[]] = [[], []]
  const end = performance.now() + BUDGET_MS
  while (times[0].length < MIN_ROUNDS || performance.now() < end) {
    times[0].push(await time(ours, counts[0]))
    times[1].push(await time(theirs, counts[1]))
  }
  return { ours: betterFifth(times[0]), theirs: betterFifth(times[1]) }
}

async function batchOf(work: Work): Promise<number> {
  let count = 1
  while ((await time(work, count)) * count < BATCH_US && count < 1e6) count *= 2
  return count
}

/** Microseconds per call. */
async function time(work: Work, count: number): Promise<number> {
  const start = performance.now()
  for (let i = 0; i < count; i++) {
    const result = work()
    if (result instanceof Promise) await result
  }
  return ((performance.now() - start) * 1000) / count
}

function betterFifth(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 5)]!
}

function scan(unrelated: number): Work {
  const random = seeded(7)
  const index = createPoolIndex({ weth: WETH, hubs: [WETH] })
  const id = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
  for (let i = 0; i < 9; i++) index.add(randomPool(random, id(i + 1)))
  for (let i = 0; i < unrelated; i++) {
    index.add({ ...randomPool(random, id(1000 + i)), token0: id(50_000 + i), token1: WETH })
  }
  const request = {
    tokenIn: token0.address as Address,
    tokenOut: token1.address as Address,
    amountIn: 10n ** 9n,
  }
  return () => findRoutes({ index, crypto }, request)
}
