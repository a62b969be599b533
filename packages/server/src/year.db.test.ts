import { recordPayout, recordWithdrawal, reviewRule, settleSeason } from '@pit/league'
import { RULES } from '@pit/league/rules'
import {
  addMarks,
  at,
  call,
  DAY,
  E18,
  ETH,
  enterSigned,
  FIRST_S,
  HOUR,
  newWallet,
  read,
  register,
  season,
  TOKENS,
  type Wallet,
} from '@pit/league/test/leagueWorld'
import {
  countPlainly,
  countReservePlainly,
  type PlainEntrant,
  type PlainWorld,
} from '@pit/league/test/plainSeason'
import { withDb } from '@pit/platform/test/withStore'
import { LEAGUE, TREASURY_BUCKETS } from '@pit/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { countedRow, shownRow } from '../test/year/compareRows.ts'
import { atomsOf, createRandom, priceOf } from '../test/year/market.ts'
import { moveAbout } from '../test/year/moveAbout.ts'
import {
  BLOCK_S,
  BUCKETS,
  DECIMALS,
  DISTRIBUTOR,
  MEME,
  openYear,
  PLATFORM,
  REGISTRY,
  STRANGER,
  type Year,
  type YearTrade,
} from '../test/year/openYear.ts'
import { countWeekPlainly, type PlainPlace } from '../test/year/plainTreasury.ts'

// A year of league and treasury on one clock: trades earn fees, weeks are split, seasons decided and paid out
// of the reserve. LEAGUE_YEAR_SEASONS=26 LEAGUE_YEAR_ENTRANTS=200 runs the full year.

const SEASONS = Number(process.env['LEAGUE_YEAR_SEASONS'] ?? 4)
const ENTRANTS = Number(process.env['LEAGUE_YEAR_ENTRANTS'] ?? 12)
const TRADES = Number(process.env['LEAGUE_YEAR_TRADES'] ?? 6)
/** All of it on one engine; the other runs less. */
const SHORT = Math.min(SEASONS, 2)
const WEEK = 7 * DAY

const TRADED = [ETH, TOKENS.USDG, TOKENS.cbBTC, TOKENS.PARTNER, TOKENS.WETH, MEME]

withDb('a year of league and treasury', (db) => {
  const seasons = db.engine === 'pglite' ? SHORT : SEASONS
  const random = createRandom(4663)
  const gas = new Map<string, bigint>()
  const players: { wallet: Wallet; plain: PlainEntrant; from: number }[] = []
  let year: Year
  const plainWorld: PlainWorld = {
    decimals: DECIMALS,
    usdg: TOKENS.USDG,
    eth: ETH,
    partner: TOKENS.PARTNER,
    gasOf: (hash) => gas.get(hash)!,
    balanceOf: (wallet, token, atS) => year.balanceOf(wallet as typeof ETH, token as typeof ETH, atS),
    minOwners: LEAGUE.minOwnerClusters,
    capUsd: BigInt(RULES.prizeCapUsd),
  }
  const plainTreasury: PlainPlace = {
    db,
    wallet: PLATFORM,
    decimals: DECIMALS,
    mined: () =>
      year.chain.mined().map(({ block, reverted, ...tx }) => ({
        ...tx,
        timeS: year.chain.timeOf(block),
        reverted: !!reverted,
      })),
  }
  /** Sent from the platform wallet by token, its gas cost, and all of the stake. */
  const sent = new Map<string, bigint>()
  let gasSpent = 0n
  let reserve = 0n
  let unclaimed = 0n
  const prizes: { season: number; ledger: ReturnType<typeof countReservePlainly>; before: bigint }[] = []

  async function join(n: number, from: number) {
    // Every seventh shares the previous one's owner; every fifth never confirms.
    const wallet = await newWallet(db, `year ${n}`)
    const owner = n % 7 === 6 ? players[n - 1]!.wallet : wallet
    const agentId = String(1_000 + n)
    register(year, agentId, { owner: owner.address })
    const confirmed = n % 5 !== 4 || owner !== wallet
    const entry = confirmed
      ? await enterSigned(year, wallet, agentId, owner)
      : await call(year, 'league.enter', wallet, { agent_id: agentId })
    const [funder, to] = [at(0xf0000 + n), wallet.address]
    year.chain.add({ from: funder, to, moves: [{ token: ETH, from: funder, to, atoms: 1n }] }, 10 + n)
    // Enough to trade with for a while.
    for (const token of TRADED) year.chain.setBalance(token, to, atomsOf(token, 20_000, FIRST_S), 20 + n)
    const plain: PlainEntrant = {
      id: entry.entry_id,
      wallet: wallet.address,
      owner: owner.address,
      token: year.vault.agents.get(agentId)!.token,
      leftAtS: null,
      confirmed,
      sanctioned: false,
    }
    players.push({ wallet, plain, from })
  }

  /** Trades of one week, in relay order, which is not quite the order they were mined in. */
  async function trade(number: number, startS: number) {
    const trades: YearTrade[] = []
    // Skip what was already processed.
    const fromS = Math.max(startS + 2 * HOUR, Math.ceil(year.nowS() / HOUR) * HOUR + HOUR)
    for (const { wallet, from } of players) {
      if (from > number) continue
      const count = random.below(TRADES * 2)
      for (let i = 0; i < count; i++) trades.push(randomTrade(wallet, fromS, startS + WEEK))
    }
    await relay(trades)
    for (const { wallet } of players)
      moveAbout(year, random, wallet, { tokens: TRADED, fromS, toS: startS + WEEK - DAY })
    for (let i = 0; i < 3; i++) {
      const token = random.pick([ETH, TOKENS.USDG, TOKENS.PARTNER, TOKENS.NVDA])
      const atoms = BigInt(1 + random.below(token === TOKENS.NVDA ? 10 : 10 ** 6))
      year.gift(token, atoms, within(fromS, startS + WEEK))
    }
  }
  const within = (fromS: number, toS: number): number =>
    fromS + random.below((toS - fromS) / BLOCK_S) * BLOCK_S

  async function relay(trades: readonly YearTrade[]) {
    for (const { hash, trade } of await year.relay(trades)) gas.set(hash, year.gasOf(trade.gas))
  }

  function randomTrade({ address: wallet }: Wallet, fromS: number, toS: number): YearTrade {
    // Some in the last block before a week's end.
    const atS = random.below(40) === 0 ? toS - BLOCK_S : within(fromS, toS)
    const tokenIn = random.pick(TRADED)
    let tokenOut = random.pick(TRADED)
    while (tokenOut === tokenIn) tokenOut = random.pick(TRADED)
    if (random.below(150) === 0) tokenOut = random.pick(players).plain.token as typeof ETH
    const dollars = 20 + random.next() * 2_000
    const slip = random.below(60) === 0 ? 0.8 : 0.985 + random.next() * 0.02
    return {
      wallet,
      atS,
      kind: random.below(12) === 0 ? 'approve' : 'swap',
      status: random.below(15) === 0 ? 'reverted' : 'mined',
      tokenIn,
      tokenOut,
      amountIn: atomsOf(tokenIn, dollars, atS),
      amountOut: atomsOf(tokenOut, dollars * slip, atS),
      gas: BigInt(random.below(1_000_000)) * 10n ** 8n,
    }
  }

  /** Marks of tokens that are not traded here; some weeks have none at their end. */
  async function markWeekEnd(endS: number, week: number) {
    for (const [i, token] of [TOKENS.USDG, TOKENS.NVDA].entries()) {
      if ((week + i) % 5 === 3) continue
      await db.query(
        `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
         values ($1, $2, $3, 'fixed', 1, $2, false)`,
        [token, endS - 60, String(E18)],
      )
    }
  }

  async function judgeFlags(number: number) {
    const { rows } = await read({ league: year.open() }, 'league.standings', { query: { season: number } })
    for (const { entry_id: entryId, eligibility } of rows) {
      for (const { rule, status } of eligibility?.rules ?? []) {
        if (status !== 'flag') continue
        const review = { season: number, entryId, rule, status: 'fail', reason: 'not allowed' } as const
        await db.transaction((sql) => reviewRule(sql, { ...review, operator: 'op', atS: year.nowS() }))
      }
    }
  }

  /** Takes the prizes out of the stake and sends them, as an operator would. */
  async function payPrizes(number: number) {
    const atS = year.nowS()
    const planned = await db.transaction((sql) => settleSeason(sql, { ...year, season: number, atS }))
    const amount = planned.reduce((sum, payout) => sum + BigInt(payout.amount), 0n)
    const token = TOKENS.PARTNER
    const withdrawal = year.chain.add({
      from: DISTRIBUTOR,
      to: REGISTRY,
      moves: [{ token, from: REGISTRY, to: DISTRIBUTOR, atoms: amount }],
    })
    year.vault.withdrawals.push({ block: withdrawal.block, amount })
    const note = `prizes of season ${number}`
    await db.transaction((sql) =>
      recordWithdrawal(sql, { season: number, txHash: withdrawal.hash, amount, atS, note }),
    )
    for (const { place, recipient, amount: atoms } of planned) {
      const to = recipient as typeof ETH
      const move = { token, from: DISTRIBUTOR, to, atoms: BigInt(atoms) }
      const { hash: txHash } = year.chain.add({ from: DISTRIBUTOR, to: token, moves: [move] })
      const { isSanctioned } = year
      await db.transaction((sql) => recordPayout(sql, { season: number, place, txHash, atS, isSanctioned }))
    }
    await year.runAt(atS + HOUR, 1)
  }

  /** Sends a bucket its share. */
  async function payBucket(token: typeof ETH, bucket: keyof typeof BUCKETS) {
    const { totals } = await year.answer()
    const owed = BigInt(totals.find((each) => each.token === token)?.owed[bucket] ?? 0)
    if (owed <= 0n) return
    const move = { token, from: PLATFORM, to: BUCKETS[bucket], atoms: owed }
    const { hash } = year.chain.add({ from: PLATFORM, to: token, moves: [move] })
    sent.set(token, (sent.get(token) ?? 0n) + owed)
    gasSpent += 21_000n * 7n
    await year.treasury.recordTransfer({ bucket, txHash: hash, reason: null })
  }

  beforeAll(async () => {
    year = await openYear(db)
    year.vault.perSecond = (3n * E18) / 1_000n
    for (let n = 0; n < ENTRANTS; n++) await join(n, 1)
    await addMarks(db, { fromS: FIRST_S, toS: season(1).endsAtS }, priceOf)
    year.goTo(FIRST_S)
    await year.treasury.closeDueWeeks()
    // Part of the chain is read in each run.
    await year.runAt(FIRST_S + 60, 1 + Math.ceil(ENTRANTS / 20))
  }, 600_000)

  describe('season by season', () => {
    for (let number = 1; number <= seasons; number++) {
      it(`${number} comes to the same, counted from the raw rows`, async () => {
        const span = season(number)
        const middleS = span.startsAtS + WEEK
        // Marks come by the minute: those of the days in which this season is reviewed belong to the next
        // one.
        const next = { fromS: span.endsAtS, toS: season(number + 1).endsAtS, everyS: HOUR / 2 }
        await addMarks(db, next, priceOf)
        await markWeekEnd(middleS, 2 * number)
        await markWeekEnd(span.endsAtS, 2 * number + 1)
        await trade(number, span.startsAtS)
        await year.runAt(middleS + HOUR + 100, 1)
        // The job is sometimes late, and then has two weeks to process.
        if (number % 4 !== 3) await year.treasury.closeDueWeeks()
        // One leaves sometimes, and enters again for the next season.
        if (number % 6 === 3) {
          const leaver = players[number % ENTRANTS]!
          await call(year, 'league.leave', leaver.wallet, {})
          leaver.plain = { ...leaver.plain, leftAtS: year.nowS() }
        }
        await trade(number, middleS)
        // Late jobs: sometimes there is none before the end.
        if (random.below(3) > 0) await year.runAt(span.endsAtS - 2 * HOUR, 1)
        // Mined at the exact second: belongs to the next season and week.
        await relay([{ ...randomTrade(players[0]!.wallet, span.startsAtS, span.endsAtS), atS: span.endsAtS }])
        await year.runAt(span.endsAtS + HOUR + 100, 2)
        await year.treasury.closeDueWeeks()
        if (number % 3 === 0) await payBucket(TOKENS.USDG, random.pick(TREASURY_BUCKETS))
        if (number % 3 === 1) await payBucket(TOKENS.PARTNER, 'buybacks')
        // Entries in question do not pass: a person decides before the review is over.
        await judgeFlags(number)
        await year.runAt(span.endsAtS + RULES.reviewS, 2)

        const entrants = players.filter(({ from }) => from <= number).map(({ plain }) => plain)
        const expected = await countPlainly(db, plainWorld, span, entrants)
        const record = await read({ league: year.open() }, 'league.season', { params: { n: number } })
        expect(record.decided).toBe(true)
        expect(record.rows.map(shownRow)).toEqual(expected.rows.map(countedRow))
        expect(record.outcome).toMatchObject({ pays: expected.pays, active_clusters: expected.active })

        const gain = BigInt(14 * DAY) * year.vault.perSecond
        const { partnerPrice, won } = expected
        const ledger = countReservePlainly(reserve, gain, partnerPrice!, plainWorld.capUsd, won)
        expect(record.ledger).toMatchObject({
          reserve_before: String(reserve),
          gain: String(gain),
          cap: String(ledger.cap),
          added: String(ledger.added),
          kept_staked: String(gain - ledger.added),
          reserve: String(ledger.reserve),
          budget: String(ledger.budget),
          shares: ledger.shares.map(String),
          paid: ledger.paid.map(String),
          reserve_after: String(ledger.after),
        })
        expect(record.payouts.map(({ amount }) => amount)).toEqual(ledger.paid.map(String))
        if (won > 0) prizes.push({ season: number, ledger, before: reserve })
        reserve = ledger.after
        unclaimed += gain - ledger.added
        if (won > 0) await payPrizes(number)

        // An entrant that left may return.
        for (const player of players) {
          if (player.plain.leftAtS === null) continue
          const agentId = String(1_000 + players.indexOf(player))
          const owner = players.find(({ plain }) => plain.wallet === player.plain.owner)!.wallet
          const entry = await enterSigned(year, player.wallet, agentId, owner)
          player.from = entry.from_season
          player.plain = { ...player.plain, id: entry.entry_id, leftAtS: null, confirmed: true }
        }
      }, 600_000)
    }

    it('accounts for every atom of the fees, week by week', async () => {
      const { weeks, integrity, totals } = await year.answer()
      expect(integrity.ok).toBe(true)
      const recorded = weeks.filter(({ status }) => status !== 'preview').reverse()
      const rows = recorded.filter(({ kind }) => kind === 'week')
      expect(rows.map(({ week }) => week.start)).toEqual(
        Array.from({ length: 2 * seasons }, (_, i) => FIRST_S + i * WEEK),
      )
      const carried = new Map<string, bigint>()
      for (const { week, tokens, reconciliation } of rows) {
        const expected = await countWeekPlainly(plainTreasury, week, carried)
        expect(tokens.map((line) => only(line, expected[0] ?? {}))).toEqual(expected)
        expect(reconciliation).toMatchObject({ status: 'agrees', counts: { differences: 0 } })
      }
      const preview = weeks.filter(({ status }) => status === 'preview')
      for (const own of totals) {
        const sum = (shares: Record<(typeof TREASURY_BUCKETS)[number], string>) =>
          TREASURY_BUCKETS.reduce((total, bucket) => total + BigInt(shares[bucket]), 0n)
        const came = (list: typeof rows) =>
          list
            .flatMap(({ tokens }) => tokens.filter(({ token }) => token === own.token))
            .reduce((total, { received, outside }) => total + BigInt(received) + BigInt(outside), 0n)
        expect(sum(own.booked) + (carried.get(own.token) ?? 0n)).toBe(came(rows))
        expect(sum(own.moved)).toBe(sent.get(own.token) ?? 0n)
        expect(BigInt(own.received) + BigInt(own.outside)).toBe(came(rows) + came(preview))
        // The chain holds all income minus transfers, except for their gas.
        if (!(own.token in DECIMALS)) continue
        const held = came(rows) + came(preview) - sum(own.moved) - (own.token === ETH ? gasSpent : 0n)
        expect(own.held).toBe(String(held))
      }
      if (seasons === SEASONS) {
        const statuses = new Set(rows.flatMap(({ tokens }) => tokens.map(({ status }) => status)))
        expect([...statuses].sort()).toEqual(expect.arrayContaining(['dust', 'split', 'unpriced']))
      }
      expect(sent.size).toBeGreaterThan(0)
      const text = JSON.stringify(weeks)
      expect(
        [STRANGER, ...players.map(({ plain }) => plain.wallet)].some((each) => text.includes(each)),
      ).toBe(false)
    }, 600_000)

    it('accounts for every atom of the stake: paid to the winners, in the reserve, or unclaimed', async () => {
      expect(prizes.length).toBeGreaterThan(seasons / 2)
      const { prize_payouts } = await year.answer()
      expect(
        prize_payouts.map(({ season: { id }, ...rest }) => [id, rest.reserve, rest.stake_withdrawal]),
      ).toEqual(
        [...prizes].reverse().map(({ season: id, ledger, before }) => {
          const paid = String(ledger.paid.reduce((sum, share) => sum + share, 0n))
          return [
            id,
            {
              before: String(before),
              added: String(ledger.added),
              ceiling: String(ledger.cap * 3n),
              payout: String(ledger.budget),
              paid,
              after: String(ledger.after),
            },
            { tx_hash: expect.any(String), amount: paid, note: `prizes of season ${id}` },
          ]
        }),
      )
      const winners = prize_payouts.flatMap(({ recipients }) => recipients)
      expect(winners.map(({ amount }) => amount)).toEqual(
        [...prizes].reverse().flatMap(({ ledger }) => ledger.paid.map(String)),
      )
      const paidTotal = winners.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
      const wallets = new Set(winners.map(({ wallet }) => wallet))
      const moves = year.chain.mined().flatMap((tx) => tx.moves)
      const reached = moves.filter(
        ({ token, from, to }) => token === TOKENS.PARTNER && from === DISTRIBUTOR && wallets.has(to),
      )
      expect(reached.reduce((sum, { atoms }) => sum + atoms, 0n)).toBe(paidTotal)
      expect(year.chain.balance(TOKENS.PARTNER, DISTRIBUTOR)).toBe(0n)
      // Of the stake earned since the first season began: the unpaid part is the reserve, or stayed.
      const earned = BigInt(seasons * 14 * DAY) * year.vault.perSecond
      expect(earned).toBe(paidTotal + reserve + unclaimed)
      const withdrawn = year.vault.withdrawals.reduce((sum, { amount }) => sum + amount, 0n)
      expect(earned - withdrawn).toBe(reserve + unclaimed)
    })
  })
})

/** The fields of one object that another has. */
const only = (all: object, like: object): object =>
  Object.fromEntries(Object.keys(like).map((key) => [key, (all as Record<string, unknown>)[key]]))
