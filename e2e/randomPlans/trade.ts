import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { feeOf } from '@pit/protocol'
import type { Random } from '../fuzz/random.ts'
import { type Answered, balanceOf, type Plan, receiptOf } from '../trading/trader.ts'
import { type Coin, codeOf, holds, isEth, lower, type RandomMarket, type Wallet } from './market.ts'
import { judgeRefusal } from './refusals.ts'
import { type Ask, drawRequest } from './request.ts'
import { type Mined, tradedBetween } from './touchedPools.ts'

/** Result of one random plan. */
export interface Outcome {
  kind: Ask['kind']
  end: 'mined' | 'refused' | 'unfunded' | 'reverted'
  /** Properties of the trade, counted at the end. */
  marks: string[]
  code?: string
  /** Faults: empty in a good run. */
  faults: string[]
  /** Compared with its simulation to the atom. */
  exact: boolean
  /** Share of its gas limit that the swap used. */
  gasShare?: number
}

const PAID_APART = 'fee_transfer'
const LATE = new Set(['SEQUENCER_UNREACHABLE', 'LIVE_UNAVAILABLE'])

/** Draws a plan, signs and mines it, and compares the chain with the promises. */
export async function tradeOnce(random: Random, market: RandomMarket, wallet: Wallet): Promise<Outcome> {
  const request = await drawRequest(random, market, wallet)
  const askedAt = Number(await market.world.devnet.rpc<Hex>('eth_blockNumber'))
  const answer = await askFor(random, request, wallet)
  const done = (end: Outcome['end'], rest: Partial<Outcome> = {}): Outcome => {
    const faults = (rest.faults ?? []).map((fault) => `${fault}\n  ${JSON.stringify({ ...request.body })}`)
    return { kind: request.kind, end, marks: [], exact: false, ...rest, faults }
  }
  if (answer.status !== 200) {
    const fault = await judgeRefusal(market, { request, wallet, answer })
    return done('refused', { code: codeOf(answer), faults: fault === null ? [] : [fault] })
  }
  const plan = answer.body
  if (!plan.ready) {
    // Prices of unpriced tokens are a guess: a request may exceed the holding.
    const lacks = (await holds(market, wallet, request.tokenIn)) < BigInt(plan.amount_in)
    return done('unfunded', { faults: lacks ? [] : ['not ready, though the wallet holds the input'] })
  }
  const before = await balances(market, wallet, request)
  const mined = await mine(market, wallet, plan)
  if ('fault' in mined) return done('refused', { faults: [mined.fault] })
  const after = await balances(market, wallet, request)
  const swap = mined.all[mined.all.length - 1]!
  const { logs: between, block } = await tradedBetween(market.world.devnet, plan, mined.all, askedAt)
  const marks = marksOf(request, plan)
  const gasOf = (coin: Coin) => (isEth(coin.address) ? mined.gasWei : 0n)
  const paid = before.in - after.in - gasOf(request.tokenIn)
  const got = after.out - before.out + gasOf(request.tokenOut)
  const income = after.fee - before.fee
  const where = `${swap.transactionHash} in ${swap.blockNumber}`
  if (swap.status !== '0x1') {
    const faults = between > 0 ? [] : [`it reverted without other trades since block ${block}`]
    // Close to its limit it ran out of gas, independent of other trades.
    if (BigInt(swap.gasUsed) * 50n > BigInt(plan.tx!.gas) * 49n)
      faults.push(`${request.path} gave it ${plan.tx!.gas} gas, and it used ${BigInt(swap.gasUsed)}`)
    if (paid !== 0n && plan.execution === 'router') faults.push(`it reverted, and ${paid} was paid`)
    return done('reverted', { marks, faults: faults.map((fault) => `${fault} (${where})`) })
  }
  remember(wallet, request, { before: before.in, paid })
  const faults = [
    ...promiseFaults(request, plan, { paid, got }),
    ...feeFaults(request, plan, { got, income }),
    ...(between > 0 ? [] : simulationFaults(plan, { got, income })),
  ]
  return done('mined', {
    marks,
    gasShare: Number(swap.gasUsed) / Number(plan.tx!.gas),
    exact: between === 0 && plan.simulation !== undefined && plan.simulation !== null,
    faults: faults.map((fault) => `${fault} (${where})`),
  })
}

async function askFor(random: Random, request: Ask, wallet: Wallet): Promise<Answered<Plan>> {
  if (request.otherRoute) {
    const { token_in, token_out, notional_usd, amount_in } = request.body
    const quoted = await wallet.post<{ routes: { id: string; ok: boolean }[] }>('live/quote', {
      token_in,
      token_out,
      ...(amount_in === undefined ? { notional_usd } : { amount_in }),
    })
    const routes = quoted.status === 200 ? quoted.body.routes.filter(({ ok }) => ok) : []
    if (routes.length > 0) Object.assign(request.body, { route_id: random.pick(routes).id })
  }
  if (request.floor !== 'none') {
    const first = await wallet.post<Plan>(request.path, request.body)
    if (first.status !== 200) return first
    const expected = BigInt(first.body.amount_out_expected)
    const under = (expected * BigInt(9_000 + random.below(1_000))) / 10_000n
    const floors = { under: under > 0n ? under : 1n, exact: expected, over: expected + expected / 50n + 1n }
    Object.assign(request.body, { min_amount_out: floors[request.floor].toString() })
  }
  return wallet.plan(request.body, request.path)
}

async function balances({ world, recipient }: RandomMarket, wallet: Wallet, { tokenIn, tokenOut }: Ask) {
  const of = (token: Hex, owner: Hex) => balanceOf(world.devnet, token, owner)
  const [sold, bought, feeIn, feeOut] = await Promise.all([
    of(tokenIn.address, wallet.wallet),
    of(tokenOut.address, wallet.wallet),
    of(tokenIn.address, recipient),
    of(tokenOut.address, recipient),
  ])
  return { in: sold, out: bought, fee: feeIn + feeOut }
}

/** Signs every step as it was built and sends them in order. */
async function mine(
  { world }: RandomMarket,
  wallet: Wallet,
  plan: Plan,
): Promise<{ all: Mined[]; gasWei: bigint } | { fault: string }> {
  const steps = plan.steps.flatMap(({ kind, tx }) => (tx ? [{ kind, ...wallet.sign(tx) }] : []))
  const together = steps.some(({ kind }) => kind === PAID_APART)
  const bodies = together
    ? [{ raw_txs: steps.map(({ raw }) => raw) }]
    : steps.map(({ raw }) => ({ raw_tx: raw }))
  for (const body of bodies) {
    let sent = await wallet.post('live/submit', body)
    // On a busy machine store or sequencer may be late; the same bytes can be sent again safely.
    for (let tries = 0; LATE.has(codeOf(sent)) && tries < 20; tries++) {
      await sleep(1_000)
      sent = await wallet.post('live/submit', body)
    }
    if (sent.status !== 200) return { fault: `submit: ${JSON.stringify(sent.body.error)}` }
  }
  const all: Mined[] = []
  for (const { hash } of steps) all.push((await receiptOf(world.devnet, hash, 60_000)) as Mined)
  const gasWei = all.reduce((sum, one) => sum + BigInt(one.gasUsed) * BigInt(one.effectiveGasPrice), 0n)
  return { all, gasWei }
}

function promiseFaults({ tokenIn }: Ask, plan: Plan, { paid, got }: { paid: bigint; got: bigint }): string[] {
  const faults: string[] = []
  const least = BigInt(plan.amount_out_min)
  if (got < least) faults.push(`${got} arrived, less than the minimum of ${least}`)
  const off = paid - BigInt(plan.amount_in)
  const near = tokenIn.rebases ? 2n : 0n
  if (off > near || off < -near) faults.push(`${paid} was paid, not ${plan.amount_in}`)
  return faults
}

/** The recipient's income by the rule of the fee's side, from the chain alone. */
function feeFaults(
  { tokenIn, tokenOut, body }: Ask,
  plan: Plan,
  { got, income }: { got: bigint; income: bigint },
): string[] {
  const { side, bps, token } = plan.fee
  const faults: string[] = []
  const feeCoin = side === 'input' ? tokenIn : tokenOut
  if (lower(token) !== feeCoin.address) faults.push(`the fee is in ${token}`)
  const isMajor = [tokenIn, tokenOut].every((coin) => coin.core || coin.stock)
  const shieldBps = body['shield'] ? 10 : 0
  const rates = isMajor ? [25, 20, 15, 10] : [50]
  if (!rates.some((rate) => rate + shieldBps === bps)) faults.push(`a fee of ${bps} bps`)
  const fixed = plan.fee.amount === undefined ? null : BigInt(plan.fee.amount)
  let due: bigint
  if (side === 'input') due = feeOf(BigInt(plan.amount_in), bps)
  // A separate fee is a share of the expected output; an included fee is a share of the actual output, which
  // is the wallet's part plus the fee.
  else if (fixed !== null) due = feeOf(BigInt(plan.amount_out_expected) + fixed, bps)
  else due = feeOf(got + income, bps)
  if (fixed !== null && fixed !== due) faults.push(`a fee of ${fixed} was answered, ${due} is due`)
  const arrives = due - feeOf(due, feeCoin.transferTaxBps)
  const off = income - arrives
  const near = feeCoin.rebases ? 2n : 0n
  if (off > near || off < -near) faults.push(`the recipient got ${income}, ${arrives} is due`)
  return faults
}

function simulationFaults({ simulation }: Plan, { got, income }: { got: bigint; income: bigint }): string[] {
  if (!simulation) return []
  const faults: string[] = []
  if (BigInt(simulation.amount_out) !== got)
    faults.push(`${simulation.amount_out} was simulated, ${got} arrived`)
  if (BigInt(simulation.fee_transfer) !== income)
    faults.push(`a fee of ${simulation.fee_transfer} was simulated, ${income} came`)
  return faults
}

/** Remaining assets to sell later. */
function remember(
  wallet: Wallet,
  { tokenIn, tokenOut, usd }: Ask,
  sold: { before: bigint; paid: bigint },
): void {
  const left = wallet.held.get(tokenIn.address)
  if (left && sold.before > 0n) left.usd *= Number(sold.before - sold.paid) / Number(sold.before)
  if (tokenOut.core && !tokenOut.stock) return
  const bought = wallet.held.get(tokenOut.address) ?? { coin: tokenOut, usd: 0 }
  bought.usd += usd * 0.95
  wallet.held.set(tokenOut.address, bought)
}

function marksOf({ kind, tokenIn, tokenOut, body, floor, path, otherRoute }: Ask, plan: Plan): string[] {
  const kinds = new Set(plan.steps.map(({ kind }) => kind))
  return [
    `by ${plan.execution}`,
    `fee of the ${plan.fee.side}`,
    `fee of ${plan.fee.bps} bps`,
    ...(kind === 'core' ? [] : [tokenIn.kind === kind ? 'sells' : 'buys']),
    body['notional_usd'] === undefined ? 'size in atoms' : 'size in dollars',
    `approval ${body['approval_mode']}${kinds.has('approve') ? '' : ' (none needed)'}`,
    ...(isEth(tokenIn.address) ? [] : [`permit by ${body['permit_mode']} for ${body['permit_scope']}`]),
    ...(body['shield'] ? ['shield'] : []),
    ...(floor === 'none' ? [] : [`own minimum ${floor}`]),
    ...(otherRoute ? ['a route of a quote'] : []),
    ...(tokenIn.core || tokenOut.core ? [] : ['neither end core']),
    path === 'live/build' ? 'built' : 'prepared',
  ]
}
