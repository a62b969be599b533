import { setTimeout as sleep } from 'node:timers/promises'
import { RISK_CODES } from '@pit/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom } from './fuzz/random.ts'
import { openRandomMarket, type RandomMarket } from './randomPlans/market.ts'
import { buyUp } from './randomPlans/movingPrice.ts'
import { type Outcome, tradeOnce } from './randomPlans/trade.ts'
import type { Plan } from './trading/trader.ts'
import { openTradingWorld, type TradingWorld } from './trading/world.ts'

// Two thousand by hand: PLANS=2000 npx vitest run e2e/randomPlans.test.ts
const PLANS = Number(process.env['PLANS'] ?? 30)
const SEED = Number(process.env['PLANS_SEED'] ?? 4663)
/** The rest is traded beside a crowd. */
const ALONE = Math.ceil(PLANS * 0.6)
/** Pools without arbitrage drift away from the reference prices. */
const BRING_BACK_EVERY = 120
const PATIENCE_MS = 120_000 + PLANS * 5_000

const random = createRandom(SEED)
let world: TradingWorld
let market: RandomMarket
beforeAll(async () => {
  world = await openTradingWorld({ devnet: { MARKET_RATE: '10' }, server: { ROLE: 'api' } })
  market = await openRandomMarket(world)
})
afterAll(async () => {
  await world?.close()
})

async function setMarket(on: boolean): Promise<void> {
  await world.devnet.rpc('devnet_market', [{ on }])
  market.crowd = on
}

it(
  `executes ${ALONE} random plans as promised, to the atom`,
  async () => {
    const done = await tradeMany(ALONE, async (i) => {
      if (i === 0 || i % BRING_BACK_EVERY > 0) return
      await setMarket(true)
      await sleep(3_000)
      await setMarket(false)
      await sleep(1_000)
    })
    const mined = done.filter(({ end }) => end === 'mined')
    report(done)
    expect(faultsOf(done)).toEqual([])
    expect(done.filter(({ end }) => end === 'reverted')).toEqual([])
    expect(mined.length).toBeGreaterThan(ALONE / 2)
    // There are no other trades, so the mined result equals the simulation.
    expect(mined.filter(({ exact, marks }) => !exact && !marks.includes('built'))).toEqual([])
  },
  PATIENCE_MS,
)

it('quotes a taxed token’s sale after its tax, at any size', async () => {
  const [wallet] = market.wallets
  const taxed = market.coins.filter(({ kind }) => kind === 'taxed')
  expect(taxed).toHaveLength(4)
  for (const { symbol, address } of taxed) {
    for (const tokens of [400n, 28_000n]) {
      const { body } = await wallet!.post<Plan>('live/prepare', {
        wallet: wallet!.wallet,
        token_in: address,
        token_out: 'WETH',
        amount_in: (tokens * 10n ** 18n).toString(),
        accept_risks: RISK_CODES,
        permit_mode: 'transaction',
        fund: true,
      })
      expect(body, symbol).toMatchObject({ simulation: { amount_out: body.amount_out_expected } })
    }
  }
})

it(
  `keeps the promises of ${PLANS - ALONE} more while a crowd trades, and their amounts if their pools did not move`,
  async () => {
    await setMarket(true)
    const done = await tradeMany(PLANS - ALONE, async () => {})
    report(done)
    expect(faultsOf(done)).toEqual([])
    expect(done.filter(({ end }) => end === 'mined').length).toBeGreaterThan((PLANS - ALONE) / 2)
    expect(done.some(({ exact }) => exact)).toBe(true)
  },
  PATIENCE_MS,
)

it(
  'keeps planning while a price moves by 15% in ten minutes',
  async () => {
    await setMarket(false)
    const { rose, worstBps, plans } = await buyUp(market)
    console.log(
      `${plans} fresh plans, ${Math.round((rose - 1) * 100)}% up, at most ${worstBps} bps under the ` +
        'reference',
    )
    expect(rose).toBeGreaterThanOrEqual(1.15)
  },
  PATIENCE_MS,
)

/** The wallets in turn, each plan mined before the next is requested. */
async function tradeMany(count: number, between: (i: number) => Promise<void>): Promise<Outcome[]> {
  const done: Outcome[] = []
  for (let i = 0; i < count; i++) {
    await between(i)
    const outcome = await tradeOnce(random, market, market.wallets[i % market.wallets.length]!)
    for (const fault of outcome.faults) console.log(`plan ${i}: ${fault}`)
    done.push(outcome)
    if (i % 100 === 99) console.log(`${i + 1} of ${count}, faults in ${faultsOf(done).length}`)
  }
  return done
}

const faultsOf = (done: readonly Outcome[]): string[] => done.flatMap(({ faults }) => faults)

function report(done: readonly Outcome[]): void {
  const counted = (names: readonly string[]) => {
    const counts = new Map<string, number>()
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    return [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`)
  }
  const mined = done.filter(({ end }) => end === 'mined')
  const mostGas = (mark: string) => {
    const shares = mined.filter(({ marks }) => marks.includes(mark)).map(({ gasShare = 0 }) => gasShare)
    return `${mark} ${Math.round(100 * Math.max(0, ...shares))}%`
  }
  console.log(
    [
      `seed ${SEED}: ${done.length} plans`,
      counted(done.map(({ end }) => end)),
      `held against their simulation ${mined.filter(({ exact }) => exact).length}`,
      `most gas used of a limit: ${mostGas('prepared')}, ${mostGas('built')}`,
      `mined by kind: ${counted(mined.map(({ kind }) => kind))}`,
      `mined: ${counted(mined.flatMap(({ marks }) => marks))}`,
      `refused: ${counted(done.flatMap(({ code }) => code ?? []))}`,
    ].join('\n'),
  )
}
