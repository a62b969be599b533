import { createHash } from 'node:crypto'
import type { Address } from '@pit/chain'
import { TREASURY_BUCKETS } from '@pit/protocol'
import { expect, it } from 'vitest'
import { withDb } from '../../../test/withDb.ts'
import { WEEK_S } from './rules/weeks.ts'
import {
  BUCKETS,
  ETHER,
  MEME,
  MONDAY_S,
  NVDA,
  openTestTreasury,
  PLATFORM,
  STRANGER,
  TRADER,
  USD_E18,
  USDG,
} from './test/openTestTreasury.ts'

const WEEKS = 52

/** Numbers that are the same in every run. */
function createRandom(seed: string) {
  let n = 0
  return (below: number): number => {
    const digest = createHash('sha256').update(`${seed} ${n++}`).digest()
    return digest.readUIntBE(0, 6) % below
  }
}

withDb('a year of the treasury', (db) => {
  it('accounts for every atom of every token each week, recomputed from the trades and the chain alone', async () => {
    const world = await openTestTreasury(db, { everyS: 3_600 })
    const { chain, clock, treasury } = world
    const random = createRandom('a year')
    const tokens: Address[] = [ETHER, USDG, NVDA, MEME]
    /** What the record must come to, by token: kept by addition as things happen. */
    const raw = new Map(tokens.map((token) => [token, { fees: 0n, gifts: 0n, trades: 0, out: 0n, gas: 0n }]))
    clock.atS = MONDAY_S
    chain.mineTo(chain.blockAt(MONDAY_S))
    await treasury.closeDueWeeks()

    for (let week = 0; week < WEEKS; week++) {
      const startS = MONDAY_S + week * WEEK_S
      for (let n = 0; n < 6 + random(6); n++) {
        const token = tokens[random(tokens.length)]!
        const atoms = BigInt(1 + random(10 ** 6)) * (token === ETHER ? 10n ** BigInt(3 + random(9)) : 1n)
        // The job has read the first hour by now.
        const block = chain.blockAt(startS + 7_200 + random(WEEK_S - 7_200))
        const sums = raw.get(token)!
        if (random(5) === 0 && token !== MEME) {
          world.gift({ token, atoms, block })
          sums.gifts += atoms
        } else {
          await world.trade({ token, atoms, block })
          sums.fees += atoms
          sums.trades++
        }
      }
      // Some weeks a price is missing, or so low that the pool is dust.
      for (const [i, token] of [ETHER, USDG, NVDA].entries()) {
        if ((week + i) % 5 === 3) continue
        const dollars = token === USDG ? USD_E18 : BigInt(1 + random(3_000)) * USD_E18
        await world.mark(token, startS + WEEK_S - 60, dollars)
      }
      // The job is late every seventh week, and then has two to do.
      if (week % 7 === 6) continue
      clock.atS = startS + WEEK_S + 3_700
      chain.mineTo(chain.blockAt(clock.atS))
      await treasury.closeDueWeeks()
      if (week % 6 === 5) {
        const { totals } = await world.answer()
        const usdg = totals.find(({ token }) => token === USDG)!
        const owed = BigInt(usdg.owed.buybacks)
        if (owed <= 0n) continue
        const move = { token: USDG, from: PLATFORM, to: BUCKETS.buybacks, atoms: owed }
        const { hash } = chain.add({ from: PLATFORM, to: USDG, moves: [move] })
        raw.get(USDG)!.out += owed
        raw.get(ETHER)!.gas += 21_000n * 7n
        await treasury.recordTransfer({ bucket: 'buybacks', txHash: hash, reason: null })
      }
    }

    clock.atS = MONDAY_S + WEEKS * WEEK_S + 3_700
    chain.mineTo(chain.blockAt(clock.atS))
    await treasury.closeDueWeeks()
    const { weeks, integrity, totals } = await world.answer()
    expect(integrity.ok).toBe(true)
    const recorded = weeks.filter(({ status }) => status !== 'preview').reverse()
    expect(recorded.filter(({ kind }) => kind === 'week')).toHaveLength(WEEKS)
    expect(recorded.some(({ kind }) => kind === 'transfer')).toBe(true)

    // Each week against the ledger's own rows, and each token's carries against the weeks before.
    const carried = new Map<string, bigint>()
    for (const row of recorded) {
      if (row.kind === 'week') {
        const fees = await db.query<{ token: string; atoms: string; trades: number }>(
          `select token, sum(atoms) as atoms, count(*)::int4 as trades from fees
           where block_time_s >= $1 and block_time_s < $2 group by token order by token`,
          [row.week.start, row.week.end],
        )
        const lines = row.tokens.filter(({ trades }) => trades > 0)
        expect(lines.map(({ token, received, trades }) => ({ token, atoms: received, trades }))).toEqual(fees)
        expect(row.reconciliation).toMatchObject({ status: 'agrees', counts: { differences: 0 } })
      }
      for (const line of row.tokens) {
        const pool = BigInt(line.received) + BigInt(line.outside) + (carried.get(line.token) ?? 0n)
        const shares = TREASURY_BUCKETS.reduce((sum, bucket) => sum + BigInt(line.booked[bucket]), 0n)
        expect(BigInt(line.pool)).toBe(pool)
        expect(shares + BigInt(line.carried_out)).toBe(pool)
        carried.set(line.token, BigInt(line.carried_out))
      }
    }
    for (const [token, { fees, gifts, trades, out, gas }] of raw) {
      const own = totals.find((each) => each.token === token)!
      expect([own.received, own.outside, own.trades]).toEqual([String(fees), String(gifts), trades])
      const booked = TREASURY_BUCKETS.reduce((sum, bucket) => sum + BigInt(own.booked[bucket]), 0n)
      const moved = TREASURY_BUCKETS.reduce((sum, bucket) => sum + BigInt(own.moved[bucket]), 0n)
      expect(booked + carried.get(token)!).toBe(fees + gifts)
      expect(moved).toBe(out)
      // And what the chain holds is what the record says is left, but for the gas of what was sent.
      expect(own.held).toBe(String(booked + carried.get(token)! - moved - gas))
    }
    expect([...new Set(recorded.flatMap((row) => row.tokens.map(({ status }) => status)))].sort()).toEqual([
      'dust',
      'nothing',
      'split',
      'unpriced',
    ])
    expect([TRADER, STRANGER].some((each) => JSON.stringify(weeks).includes(each))).toBe(false)
  }, 180_000)
})
