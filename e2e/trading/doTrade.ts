import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { until } from '@pit/platform/test/until'
import { feeOf } from '@pit/protocol'
import { expect } from 'vitest'
import type { DevnetProcess } from '../devnetProcess.ts'
import { type Answered, balanceOf, type Plan, type Receipt, receiptOf, type Trader } from './trader.ts'

export interface TradeRow {
  id: number
  status: string
  code?: string
  path: string
  token_in: { token: string; address: Hex }
  token_out: { token: string; address: Hex }
  amount_in: string | null
  amount_out: string | null
  amount_out_kind: string | null
  amount_out_min: string | null
  tx_hash: Hex | null
  block: number | null
}

/** A mined trade, with the resulting balances on the chain. */
export interface DoneTrade {
  plan: Plan
  /** Receipt of the swap. */
  hash: Hex
  /** Receipt of the transaction that paid the fee. */
  feeHash: Hex
  /** Increase of the wallet's output balance over all steps, gas excluded. */
  received: bigint
  /** Increase of the fee recipient's balance. */
  income: bigint
  row: TradeRow
}

interface Ends {
  tokenIn: string
  tokenOut: string
}

/**
 * Plans, signs, sends and waits; then compares the plan, its simulation and the wallet's row with the
 * balances.
 */
export async function doTrade(
  devnet: DevnetProcess,
  trader: Trader,
  { tokenIn, tokenOut }: Ends,
  request: object,
): Promise<DoneTrade> {
  const plan = await planNow(trader, request)
  expect(plan).toMatchObject({ ready: true, policy_ok: true, simulation: { ok: true } })
  const before = await devnet.rpc<Hex>('eth_blockNumber')
  const { hashes, answer } = await sendAll(trader, plan)
  expect(answer, JSON.stringify(answer.body.error)).toMatchObject({ status: 200, body: { as_built: true } })
  const hash = hashes[hashes.length - 1]!
  expect(answer.body.tx_hash).toBe(hash)

  const receipts: Receipt[] = []
  for (const one of hashes) receipts.push(await receiptOf(devnet, one))
  expect(receipts.map((receipt) => receipt.status)).toEqual(receipts.map(() => '0x1'))
  const after = receipts[receipts.length - 1]!.blockNumber
  const gasWei = receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
    0n,
  )
  const grown = async (token: string, owner: Hex) =>
    (await balanceOf(devnet, token, owner, after)) - (await balanceOf(devnet, token, owner, before))
  const ofWallet = async (token: string) =>
    (await grown(token, trader.wallet)) + (BigInt(token) === 0n ? gasWei : 0n)

  const received = await ofWallet(tokenOut)
  const income = await grown(plan.fee.token, plan.fee.recipient)
  const { bps, side } = plan.fee
  expect(await ofWallet(tokenIn), 'amount paid by the wallet').toBe(-BigInt(plan.amount_in))
  expect(income, 'the fee').toBe(feeOf(side === 'input' ? BigInt(plan.amount_in) : received + income, bps))
  expect(income).toBeGreaterThan(0n)
  expect(BigInt(plan.simulation!.amount_out), 'as simulated').toBe(received)
  expect(BigInt(plan.simulation!.fee_transfer), 'the fee as simulated').toBe(income)
  expect(received).toBeGreaterThanOrEqual(BigInt(plan.amount_out_min))

  const row = await settledRow(trader, hash)
  expect(row).toMatchObject({
    status: 'mined',
    path: 'agent',
    token_in: { address: tokenIn },
    token_out: { address: tokenOut },
    amount_in: plan.amount_in,
    amount_out: received.toString(),
    amount_out_kind: 'actual',
    amount_out_min: plan.amount_out_min,
    block: Number(after),
  })
  const kinds = plan.steps.map(({ kind }) => kind)
  const feeHash = kinds.includes('fee_transfer') ? hashes[kinds.indexOf('fee_transfer')]! : hash
  return { plan, hash, feeHash, received, income, row }
}

/**
 * A plan made after the market has seen the previous trade. The quote fixes a curve's fee, and the market
 * learns of a block a moment after the chain: until then the quote differs from the simulation.
 */
async function planNow(trader: Trader, request: object): Promise<Plan> {
  for (const until = Date.now() + 20_000; ; await sleep(100)) {
    const { status, body: plan } = await trader.plan(request)
    expect(status, JSON.stringify(plan.error)).toBe(200)
    const isQuoted = plan.amount_out_expected === plan.simulation?.amount_out
    if (plan.execution === 'router' || isQuoted || Date.now() > until) return plan
  }
}

/** Every step signed and sent in order, as one submission if the fee is separate. */
async function sendAll(trader: Trader, plan: Plan): Promise<{ hashes: Hex[]; answer: Answered<Sent> }> {
  const signed = plan.steps.map(({ tx }) => trader.sign(tx!))
  const hashes = signed.map(({ hash }) => hash)
  if (plan.steps.some(({ kind }) => kind === 'fee_transfer')) {
    const answer = await trader.post<Sent>('live/submit', { raw_txs: signed.map(({ raw }) => raw) })
    if (answer.status === 200) expect(answer.body).toMatchObject({ tx_hashes: hashes, fee_first: true })
    return { hashes, answer }
  }
  for (const { raw } of signed.slice(0, -1)) {
    const { status, body } = await trader.post('live/submit', { raw_tx: raw })
    expect(status, JSON.stringify(body.error)).toBe(200)
  }
  return { hashes, answer: await trader.post<Sent>('live/submit', { raw_tx: signed.at(-1)!.raw }) }
}
interface Sent {
  tx_hash: Hex
  as_built: boolean
}

/** All of the wallet's trades, page by page, newest first. */
export async function tradesOf(trader: Trader, query = ''): Promise<TradeRow[]> {
  const all: TradeRow[] = []
  for (let before: number | null = null; ; ) {
    const { trades, next_before } = await pageOf(
      trader,
      `${query}${before === null ? '' : `&before=${before}`}`,
    )
    all.push(...trades)
    if (next_before === null) return all
    before = next_before
  }
}
async function pageOf(trader: Trader, query = '') {
  type Page = { trades: TradeRow[]; next_before: number | null }
  const { status, body } = await trader.get<Page>(`me/trades?limit=100${query}`)
  expect(status, JSON.stringify(body.error)).toBe(200)
  return body
}

/** A row of me/trades once its receipt was read. */
export const settledRow = (trader: Trader, hash: Hex, withinMs = 30_000): Promise<TradeRow> =>
  until(async () => (await pageOf(trader)).trades.find(({ tx_hash }) => tx_hash === hash), {
    holds: (row) => row !== undefined && row.status !== 'pending',
    withinMs,
    everyMs: 100,
    said: () => hash,
  })
