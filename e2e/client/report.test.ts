import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NATIVE } from '@pit/chain'
import { type ReportFile, readReportFile } from '@pit/reports'
import { type Hex, keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cosignerOf, openSessionWorld, type SessionWorld } from '../session/world.ts'
import { balanceOf, openTrader, receiptOf } from '../trading/trader.ts'
import { openPit, type Pit } from './runPit.ts'

// `pit report` on a real devnet, computed again from receipts and balances.

const DOMAIN = 'pit.test'
const ETH = 10n ** 18n
/** `deposit()` of WETH. */
const DEPOSIT = '0xd0e30db0'
const KEY = keccak256(stringToHex('report trader'))
const wallet = privateKeyToAccount(KEY).address.toLowerCase() as Hex

let world: SessionWorld
let pit: Pit
/** Mined transactions of `pit trade`, in order. */
const traded: { hash: Hex; gasWei: bigint; block: bigint }[] = []

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: DOMAIN } })
  pit = openPit(world, DOMAIN, await cosignerOf(world.server.url))
  await world.fund(wallet, { wei: ETH })
})
afterAll(async () => {
  pit?.close()
  await world?.close()
})

async function run(...args: string[]) {
  const ran = await pit(args, { env: { PIT_PRIVATE_KEY: KEY } })
  expect(ran.code, ran.stdout + ran.stderr).toBe(0)
  return ran
}
async function trade(...args: string[]): Promise<{ amount_out: string }> {
  const answer = (await run('trade', ...args, '--yes', '--json')).json()
  await mined(answer.tx_hash)
  return answer
}
async function mined(hash: Hex): Promise<string> {
  const { gasUsed, effectiveGasPrice, blockNumber, status } = await receiptOf(world.devnet, hash)
  traded.push({ hash, gasWei: BigInt(gasUsed) * BigInt(effectiveGasPrice), block: BigInt(blockNumber) })
  return status
}
/** Of the wallet: approvals share the block of their trade. */
async function gasInBlock(block: bigint): Promise<bigint> {
  const full = [`0x${block.toString(16)}`, true]
  const { transactions } = await world.devnet.rpc<{ transactions: { hash: Hex; from: Hex }[] }>(
    'eth_getBlockByNumber',
    full,
  )
  let sum = 0n
  for (const { hash, from } of transactions) {
    if (from.toLowerCase() !== wallet) continue
    const { gasUsed, effectiveGasPrice } = await receiptOf(world.devnet, hash)
    sum += BigInt(gasUsed) * BigInt(effectiveGasPrice)
  }
  return sum
}
/** Sent by the wallet itself, so that the server does not list it. */
async function wrap(amount: bigint): Promise<bigint> {
  const trader = await openTrader(world.server.url, { privateKey: KEY })
  const nonce = Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [wallet, 'latest']))
  const { raw, hash } = trader.sign({
    ...{ chain_id: 4663, from: wallet, to: world.core('WETH'), value: String(amount) },
    ...{ data: DEPOSIT, gas: '100000', nonce },
    ...{ max_fee_per_gas: '100000000000', max_priority_fee_per_gas: '1' },
  })
  await world.devnet.rpc('eth_sendRawTransaction', [raw])
  const { gasUsed, effectiveGasPrice, status } = await receiptOf(world.devnet, hash)
  expect(status).toBe('0x1')
  return BigInt(gasUsed) * BigInt(effectiveGasPrice)
}
/** Atoms of decimal text. */
const atoms = (text: string, decimals: number): bigint => {
  const [whole = '0', part = ''] = text.replace('-', '').split('.')
  return BigInt(whole + part.padEnd(decimals, '0')) * (text.startsWith('-') ? -1n : 1n)
}
const balance = (token: string, block?: bigint) =>
  balanceOf(world.devnet, token, wallet, block === undefined ? 'latest' : `0x${block.toString(16)}`)
const signOf = ({ row, kind }: ReportFile['rows'][number]): bigint =>
  row === 'received' || (row === 'flow' && kind === 'in') ? 1n : -1n
const movedBy = (
  { row, token, amount }: ReportFile['rows'][number],
  of: string,
  decimals: Record<string, number>,
) =>
  token === of && ['received', 'gave', 'gas', 'flow'].includes(row) ? atoms(amount, decimals[of] ?? 18) : 0n
const rowsOf = ({ rows }: ReportFile, row: string, kind?: string) =>
  rows.filter((one) => one.row === row && (kind === undefined || one.kind === kind))

it('reports trades, the wallet’s own wrap, a deposit and a reverted trade as the chain shows them', async () => {
  const usdg = world.core('USDG')
  await trade('ETH', 'USDG', '--amount', String(ETH / 10n))
  const wrapGasWei = await wrap(ETH / 20n)
  await world.fund(wallet, { usdg: 50_000_000n })
  await trade('USDG', 'NVDA', '--usd', '20', '--non-us')
  await trade('USDG', 'ETH', '--usd', '30')
  const trader = await openTrader(world.server.url, { privateKey: KEY })
  const amount_in = ((await balance(world.core('NVDA'))) / 2n).toString()
  const sale = { token_in: 'NVDA', token_out: 'USDG', amount_in, owner_attests_non_us: true }
  const { body: plan } = await trader.plan(sale)
  const steps = plan.steps.flatMap(({ tx }) => (tx ? [tx] : []))
  for (const step of steps) {
    // A paused token reverts the approval too.
    if (step === steps.at(-1)) await world.devnet.rpc('devnet_pauseStock', ['NVDA', true])
    const { status, body } = await trader.post<{ tx_hash: Hex }>('live/submit', {
      raw_tx: trader.sign(step).raw,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    const outcome = await receiptOf(world.devnet, body.tx_hash)
    if (step === steps.at(-1)) expect([await mined(body.tx_hash), outcome.status]).toEqual(['0x0', '0x0'])
  }
  await world.devnet.rpc('devnet_pauseStock', ['NVDA', false])

  const files = ['report.csv', 'report.json'].map((name) => join(pit.folder, name))
  const shown = await run('report', '--csv', files[0]!, '--json', files[1]!)
  const [csv, json] = files.map((file) => readReportFile(readFileSync(file, 'utf8'))!)
  expect(shown.stdout + shown.stderr).toContain(json!.hash)
  expect([csv!.hash, csv!.computed, json!.computed]).toEqual([json!.hash, json!.hash, json!.hash])
  expect(csv!.rows).toEqual(json!.rows)
  expect((await run('report', 'check', ...files)).stdout.trim()).toBe(json!.hash)
  const report = json!

  // Holdings are the balances.
  const decimals: Record<string, number> = { [NATIVE]: 18, [usdg]: 6 }
  for (const row of rowsOf(report, 'holding')) {
    expect(atoms(row.amount, decimals[row.token] ?? 18), row.symbol).toBe(await balance(row.token))
  }
  expect(
    rowsOf(report, 'holding')
      .map(({ symbol }) => symbol)
      .sort(),
  ).toEqual(['ETH', 'NVDA', 'USDG', 'WETH'])

  // Each trade by the balances around its block.
  const trades = rowsOf(report, 'trade')
  for (const { hash, gasWei, block } of traded) {
    const of = (row: string) => report.rows.filter((one) => one.row === row && one.transaction === hash)
    expect(of('trade'), hash).toHaveLength(1)
    expect(atoms(of('gas')[0]!.amount, 18)).toBe(gasWei)
    for (const token of [NATIVE, usdg]) {
      const change = (await balance(token, block)) - (await balance(token, block - 1n))
      const moved = [...of('received'), ...of('gave')]
        .filter((row) => row.token === token)
        .reduce((sum, row) => sum + (row.row === 'gave' ? -1n : 1n) * atoms(row.amount, decimals[token]!), 0n)
      expect(moved - (token === NATIVE ? await gasInBlock(block) : 0n), hash).toBe(change)
    }
  }
  expect(trades.filter(({ note }) => note.includes('reverted'))).toHaveLength(1)
  expect(rowsOf(report, 'finding')).toEqual([])

  // Approvals that the server does not list, each with its gas.
  const approvals = trades.filter(({ kind }) => kind === 'approval')
  expect(new Set(approvals.map(({ note }) => note.split(';')[0]))).toContain('approval of USDG to Permit2')
  for (const { transaction } of approvals) {
    const { gasUsed, effectiveGasPrice } = await receiptOf(world.devnet, transaction as Hex)
    const paid = report.rows.find(({ row, transaction: of }) => row === 'gas' && of === transaction)!
    expect(atoms(paid.amount, 18)).toBe(BigInt(gasUsed) * BigInt(effectiveGasPrice))
  }

  // The first ETH, the wrap, and the deposit of 50 USDG; the cost of the first ETH is unknown, also wrapped.
  const flows = rowsOf(report, 'flow', 'in')
  expect(flows.map(({ symbol, amount, cost_usd, note }) => [symbol, amount, cost_usd, note])).toEqual([
    ['ETH', '1', '0', '1 unknown'],
    ['WETH', '0.05', '0', '1 unknown'],
    ['USDG', '50', '50', ''],
  ])
  // The wrapped ETH left, and the gas of transactions that the server does not list.
  const [wrapped, ...unlistedGas] = rowsOf(report, 'flow', 'out')
  expect([wrapped!.symbol, wrapped!.amount]).toEqual(['ETH', '0.05'])
  expect(unlistedGas.every(({ token }) => token === NATIVE)).toBe(true)
  expect(atoms(unlistedGas[0]!.amount, 18)).toBeGreaterThanOrEqual(wrapGasWei)
  expect(rowsOf(report, 'disposal', 'trade').map(({ transaction }) => transaction)).toEqual([traded[0]!.hash])
  // Flows, trades and gas of the report add up to each balance.
  for (const token of [NATIVE, usdg, world.core('WETH'), world.core('NVDA')]) {
    const sum = report.rows.reduce((all, one) => all + signOf(one) * movedBy(one, token, decimals), 0n)
    expect(sum, token).toBe(await balance(token))
  }
  expect(rowsOf(report, 'total', 'realised')[0]!.note).toBe('1 unknown')
  const gas = rowsOf(report, 'total', 'gas')[0]!
  expect(atoms(gas.amount, 18)).toBeGreaterThanOrEqual(traded.reduce((sum, one) => sum + one.gasWei, 0n))
})

it('rejects another method for a year that was reported', async () => {
  const ran = await pit(['report', '--method', 'lifo'], { env: { PIT_PRIVATE_KEY: KEY } })
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('REPORT_METHOD')
})

it('names a node that does not respond', async () => {
  const ran = await pit(['--rpc-url', 'http://127.0.0.1:1', 'report'], { env: { PIT_PRIVATE_KEY: KEY } })
  expect(ran.code).not.toBe(0)
  expect(ran.stderr).toContain('RPC_UNAVAILABLE')
})
