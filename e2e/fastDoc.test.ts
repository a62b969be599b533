import { readFileSync, writeFileSync } from 'node:fs'
import { type Address, readSwap } from '@pit/chain'
import { type ChainProfile, type FastTable, fastRoutesOf } from '@pit/protocol'
import { encodeFunctionData, type Hex, maxUint160, maxUint256, parseAbi } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildFromTerms, signPermit, signTransaction } from '../packages/trading/test/fastClient.ts'
import { type DevnetProcess, startDevnetProcess } from './devnetProcess.ts'
import { privateKeyOf } from './fast/fastTrader.ts'
import { receiptOf } from './trading/trader.ts'

/** The examples of docs/reference/fast.md are what the text says they are: built from the table, read, and executed. */

const FILE = 'docs/reference/fast.md'
const SECTION = /(<!-- examples -->\n)[\s\S]*(<!-- \/examples -->)/
const ACCOUNT = 9
const FEE_BPS = 25
/** In 2100, so that the documented bytes stay valid. */
const DEADLINE = 4_102_444_800

interface Example {
  pair: string
  wallet: string
  amount_in: string
  min_out: string
  fee_bps: number
  deadline: number
  permit: { amount: string; expiration: number; nonce: number; sig_deadline: number; signature: Hex } | null
  value: string
  data: Hex
}

/** Amounts that fit a devnet's first prices: ETH 2,500, NVDA 180. */
const TRADES: { title: string; pair: string; amountIn: bigint; minOut: bigint; permit: boolean }[] = [
  { title: 'ETH in, v4', pair: 'ETH/USDG', amountIn: 10n ** 16n, minOut: 24_000_000n, permit: false },
  {
    title: 'A token in, v3, the router allowed before',
    pair: 'WETH/USDG',
    amountIn: 10n ** 16n,
    minOut: 24_000_000n,
    permit: false,
  },
  {
    title: 'A token in, v3, with a permit',
    pair: 'USDG/NVDA',
    amountIn: 25_000_000n,
    minOut: 13n * 10n ** 16n,
    permit: true,
  },
  {
    title: 'A token out that pays the fee, v3',
    pair: 'NVDA/USDG',
    amountIn: 10n ** 17n,
    minOut: 17_000_000n,
    permit: false,
  },
  { title: 'ETH out, v4', pair: 'USDG/ETH', amountIn: 25_000_000n, minOut: 96n * 10n ** 14n, permit: true },
  {
    title: 'ETH in for a stock, v4 across',
    pair: 'ETH/NVDA',
    amountIn: 10n ** 16n,
    minOut: 13n * 10n ** 16n,
    permit: false,
  },
]

let devnet: DevnetProcess
let table: FastTable
const privateKey = privateKeyOf(ACCOUNT)
const wallet = privateKeyToAddress(privateKey).toLowerCase() as Address
let examples: Example[]

beforeAll(async () => {
  devnet = await startDevnetProcess({ MARKET: 'off' })
  const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
  table = fastRoutesOf(profile)
  if (process.env['UPDATE_FAST_DOC']) await writeExamples()
  examples = readExamples()
  for (const symbol of ['USDG', 'WETH', 'NVDA']) await approve(symbol)
})
afterAll(async () => {
  await devnet?.stop()
})

it('has an example of every shape', () => {
  expect(examples.map(({ pair, permit }) => [pair, permit !== null])).toEqual(
    TRADES.map(({ pair, permit }) => [pair, permit]),
  )
})

describe.each(TRADES.map(({ pair }, i) => [pair, i] as const))('%s', (pair, i) => {
  it('is built from the terms alone, and parses as documented', () => {
    const example = examples[i]!
    const built = buildFromTerms(table, {
      pair,
      amountIn: BigInt(example.amount_in),
      minOut: BigInt(example.min_out),
      deadline: example.deadline,
      feeBps: example.fee_bps,
      ...(example.permit && { permit: example.permit }),
    })
    expect(built.data, 'UPDATE_FAST_DOC=1 rewrites it').toBe(example.data)
    expect(String(built.value)).toBe(example.value)
    const row = table.pairs[pair]!
    const weth = table.pairs['WETH/USDG']!.token_in.address as Address
    expect(readSwap(example.data, { weth })).toMatchObject({
      tokenIn: row.token_in.address,
      tokenOut: row.token_out.address,
      amountIn: BigInt(example.amount_in),
      amountOutMin: BigInt(example.min_out),
      deadlineS: BigInt(example.deadline),
      valueWei: BigInt(example.value),
      fee: { side: row.fee.side, recipient: row.fee.recipient, bps: example.fee_bps },
    })
  })

  it('is executed: the wallet has its minimum, the recipient its fee to the atom', async () => {
    const example = examples[i]!
    const row = table.pairs[pair]!
    expect(example.wallet).toBe(wallet)
    const out = row.token_out.address
    const before = [await balance(out, wallet), await balance(row.fee.token, row.fee.recipient)] as const
    const receipt = await send({ to: table.router!, data: example.data, value: BigInt(example.value) })
    expect(receipt.status).toBe('0x1')
    const gas = BigInt(out) === 0n ? BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) : 0n
    const got = (await balance(out, wallet)) - before[0] + gas
    const fee = (await balance(row.fee.token, row.fee.recipient)) - before[1]
    expect(got).toBeGreaterThanOrEqual(BigInt(example.min_out))
    const base = row.fee.side === 'input' ? BigInt(example.amount_in) : got + fee
    expect(fee).toBe((base * BigInt(example.fee_bps)) / 10_000n)
  })
})

const erc20 = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'function deposit() payable',
])
const permit2 = parseAbi([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
])

/**
 * Steps that the text leaves to the reader: approving the token for Permit2, and the router unless there is a
 * permit.
 */
async function approve(symbol: string): Promise<void> {
  const token = Object.values(table.pairs).find(({ token_in }) => token_in.symbol === symbol)!.token_in
    .address as Hex
  const contract = table.permit2 as Hex
  if (symbol === 'WETH') {
    await send({
      to: token,
      data: encodeFunctionData({ abi: erc20, functionName: 'deposit' }),
      value: 10n ** 17n,
    })
  }
  const approval = encodeFunctionData({ abi: erc20, functionName: 'approve', args: [contract, maxUint256] })
  await send({ to: token, data: approval })
  if (symbol === 'USDG') return
  const args = [token, table.router as Hex, maxUint160, 2 ** 47] as const
  await send({ to: contract, data: encodeFunctionData({ abi: permit2, functionName: 'approve', args }) })
}

async function send({ to, data, value = 0n }: { to: string; data: Hex; value?: bigint }) {
  const nonce = Number(await devnet.rpc<Hex>('eth_getTransactionCount', [wallet, 'pending']))
  const block = await devnet.rpc<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', ['latest', false])
  const maxFeePerGas = BigInt(block.baseFeePerGas) * 4n
  const { raw, hash } = await signTransaction(privateKey, {
    nonce,
    to,
    data,
    value,
    gas: 500_000n,
    maxFeePerGas,
  })
  await devnet.rpc('eth_sendRawTransaction', [raw])
  return receiptOf(devnet, hash)
}

async function balance(token: string, owner: string): Promise<bigint> {
  if (BigInt(token) === 0n) return BigInt(await devnet.rpc<Hex>('eth_getBalance', [owner, 'latest']))
  const data = encodeFunctionData({ abi: erc20, functionName: 'balanceOf', args: [owner as Hex] })
  return BigInt(await devnet.rpc<Hex>('eth_call', [{ to: token, data }, 'latest']))
}

function readExamples(): Example[] {
  const section = SECTION.exec(readFileSync(FILE, 'utf8'))![0]
  return [...section.matchAll(/```json\n([\s\S]*?)\n```/g)].map((match) => JSON.parse(match[1]!) as Example)
}

async function writeExamples(): Promise<void> {
  const parts: string[] = []
  const nonces = new Map<string, number>()
  for (const { title, pair, amountIn, minOut, permit } of TRADES) {
    const row = table.pairs[pair]!
    const token = row.token_in.address
    const nonce = nonces.get(token) ?? 0
    const terms = { amount: amountIn, expiration: DEADLINE, nonce, sig_deadline: DEADLINE }
    const place = { permit2: table.permit2, router: table.router!, token }
    const signedPermit = permit
      ? { ...terms, amount: String(amountIn), signature: await signPermit(privateKey, place, terms) }
      : null
    if (permit) nonces.set(token, nonce + 1)
    const trade = { pair, amountIn, minOut, deadline: DEADLINE, feeBps: FEE_BPS }
    const { data, value } = buildFromTerms(table, { ...trade, ...(signedPermit && { permit: signedPermit }) })
    const names = [...(permit ? [row.permit!.input] : []), ...row.inputs].map(({ name }) => name)
    const example: Example = {
      pair,
      wallet,
      amount_in: String(amountIn),
      min_out: String(minOut),
      fee_bps: FEE_BPS,
      deadline: DEADLINE,
      permit: signedPermit,
      value: String(value),
      data,
    }
    const commands = permit ? row.permit!.commands : row.commands
    parts.push(
      `### ${title}: ${pair}\n\n\`${commands}\`: ` +
        `${names.join(', ')}.\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`,
    )
  }
  const text = readFileSync(FILE, 'utf8')
  writeFileSync(
    FILE,
    text.replace(SECTION, (_, open: string, close: string) => `${open}\n${parts.join('\n')}\n${close}`),
  )
}
