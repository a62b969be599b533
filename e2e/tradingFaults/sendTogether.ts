import type { Hex } from '@pit/chain'
import { expect } from 'vitest'
import type { DevnetProcess } from '../devnetProcess.ts'
import { settledRow, type TradeRow } from '../trading/doTrade.ts'
import { balanceOf, type Plan, receiptOf, type Trader } from '../trading/trader.ts'

const NATIVE = `0x${'0'.repeat(40)}`
const PATIENCE_MS = 120_000
const sum = (values: readonly (string | bigint | null)[]): bigint =>
  values.reduce<bigint>((all, value) => all + BigInt(value ?? 0), 0n)

/**
 * Signs plans of one swap each with consecutive nonces, sends them all at once, and compares the wallet's
 * rows with its balances. Returns the rows and the total that the fee recipient received.
 */
export async function sendTogether(
  devnet: DevnetProcess,
  trader: Trader,
  plans: readonly Plan[],
  { tokenIn, tokenOut }: { tokenIn: string; tokenOut: string },
): Promise<{ rows: TradeRow[]; income: bigint }> {
  expect(plans.map(({ steps }) => steps.length)).toEqual(plans.map(() => 1))
  const before = await devnet.rpc<Hex>('eth_blockNumber')
  const first = Number(await devnet.rpc<Hex>('eth_getTransactionCount', [trader.wallet, 'pending']))
  const signed = plans.map(({ tx }, i) => trader.sign(tx!, { nonce: first + i }))
  // The last first: a transaction that waits for an earlier nonce is not refused.
  const answers = await Promise.all(
    signed.toReversed().map(({ raw }) => trader.post('live/submit', { raw_tx: raw })),
  )
  expect(answers.map(({ status, body }) => body.error ?? status)).toEqual(answers.map(() => 200))

  const receipts = await Promise.all(signed.map(({ hash }) => receiptOf(devnet, hash, PATIENCE_MS)))
  expect(receipts.map(({ status }) => status)).toEqual(receipts.map(() => '0x1'))
  const rows: TradeRow[] = []
  for (const { hash } of signed) rows.push(await settledRow(trader, hash, PATIENCE_MS))
  const states = rows.map(({ status, amount_out_kind }) => `${status} ${amount_out_kind}`)
  expect(states).toEqual(rows.map(() => 'mined actual'))

  const after = receipts.at(-1)!.blockNumber
  const gasWei = sum(receipts.map((one) => BigInt(one.gasUsed) * BigInt(one.effectiveGasPrice)))
  const grown = async (token: string, owner: Hex) =>
    (await balanceOf(devnet, token, owner, after)) - (await balanceOf(devnet, token, owner, before))
  const ofWallet = async (token: string) =>
    (await grown(token, trader.wallet)) + (token === NATIVE ? gasWei : 0n)
  expect(await ofWallet(tokenOut)).toBe(sum(rows.map(({ amount_out }) => amount_out)))
  expect(await ofWallet(tokenIn)).toBe(-sum(rows.map(({ amount_in }) => amount_in)))
  const { token, recipient } = plans[0]!.fee
  return { rows, income: await grown(token, recipient) }
}
