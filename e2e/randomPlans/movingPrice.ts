import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { expect } from 'vitest'
import { type Plan, receiptOf, submitPlan, type Trader } from '../trading/trader.ts'
import type { RandomMarket } from './market.ts'

interface TailToken {
  address: Hex
  venues: string[]
  depth_usd: number
  observations?: number
}
interface Quote {
  policy_ok: boolean
  marks: Record<string, { source: string; age_s: number; price_usd: number }>
  routes: { ok: boolean; guard_bps: number | null }[]
}

const STEPS = 20
const STEP_S = 30
const UP = 1.15
const SLOT0 = '0x3850c7bd'

/**
 * Buys a long-tail token up by 15% in ten minutes of chain time, each time with a fresh plan, and sells some
 * at the end. Returns the factor of the rise, and the reference's largest lag.
 */
export async function buyUp({
  world: { devnet },
  wallets,
}: RandomMarket): Promise<{ rose: number; worstBps: number; plans: number }> {
  const info = await devnet.rpc<{ long_tail: TailToken[] }>('devnet_info')
  const { address } = info.long_tail
    .filter(({ observations, venues }) => observations && venues.length === 1)
    .toSorted((a, b) => b.depth_usd - a.depth_usd)[0]!
  const token = address.toLowerCase() as Hex
  const trader = wallets[0]!
  const record = await trader.get<{
    venues: { address: Hex }[]
    liquidity_usd: number
    risks: { code: string; severity: string }[]
  }>(`tokens/${token}`)
  const accept_risks = record.body.risks.flatMap(({ code, severity }) =>
    severity === 'severe' ? [code] : [],
  )
  const pool = record.body.venues[0]!.address
  const priceNow = async () => {
    const slot0 = await devnet.rpc<Hex>('eth_call', [{ to: pool, data: SLOT0 }, 'latest'])
    return (Number(BigInt(slot0.slice(0, 66))) / 2 ** 96) ** 2
  }
  const start = await priceNow()
  const rise = (price: number) => Math.max(price / start, start / price)
  const each = UP ** (1 / STEPS)
  let usd = record.body.liquidity_usd / 500
  let [rose, worstBps, plans] = [1, 0, 0]
  while (rose < UP) {
    await devnet.rpc('evm_increaseTime', [STEP_S])
    await devnet.rpc('evm_mine')
    const before = rose
    // The market learns of a block a moment after the chain.
    await sleep(300)
    const request = {
      token_out: token,
      token_in: 'ETH',
      notional_usd: Math.min(10_000, round(usd)),
      accept_risks,
    }
    worstBps = Math.max(worstBps, await lagOf(trader, request, token))
    await trade(trader, request)
    plans += 1
    rose = rise(await priceNow())
    expect(plans, 'it hardly moves').toBeLessThan(4 * STEPS)
    usd *= Math.min(3, Math.max(1 / 3, (each - 1) / (rose / before - 1)))
  }
  await sleep(300)
  await trade(trader, { token_in: token, token_out: 'ETH', notional_usd: 100, accept_risks })
  return { rose, worstBps, plans: plans + 1 }

  async function trade(by: Trader, request: object): Promise<void> {
    const { status, body } = await by.plan(request)
    expect(status, `plan ${plans}, ${rose}: ${JSON.stringify(body.error)}`).toBe(200)
    expect(body).toMatchObject({ ready: true, policy_ok: true } satisfies Partial<Plan>)
    const sent = await submitPlan(by, body)
    expect(sent.status, JSON.stringify(sent.body.error)).toBe(200)
    expect((await receiptOf(devnet, sent.body.tx_hash)).status).toBe('0x1')
  }
}

/** Distance of the quote's best route below the reference, which must be a fresh mean. */
async function lagOf(trader: Trader, request: object, token: Hex): Promise<number> {
  const { body } = await trader.post<Quote>('live/quote', request)
  expect(body.marks[token]).toMatchObject({ source: 'twap' })
  expect(body.marks[token]!.age_s).toBeLessThanOrEqual(60)
  return body.routes.find(({ ok }) => ok)?.guard_bps ?? 0
}

const round = (usd: number): number => Math.round(usd * 100) / 100
