import type { HostedAgent } from '@pit/agents'
import { openTestPaper, TERMS } from '@pit/agents/test/paperWorld'
import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  addMarks,
  at,
  call,
  DAY,
  ETH,
  emptyStore,
  enterSigned,
  FIRST_S,
  HOUR,
  type LeagueWorld,
  newWallet,
  openLeagueWorld,
  read,
  refusal,
  register,
  season,
  TOKENS,
  type Wallet,
} from '../../test/leagueWorld.ts'
import { admitEntry } from '../operator/admitEntry.ts'

withDb('the practice board', (db) => {
  let world: LeagueWorld
  let paper: ReturnType<typeof openTestPaper>
  let alice: Wallet
  let bob: Wallet
  const first = season(1)
  const price = (token: string) => (token === TOKENS.cbBTC ? 60_000 : token === TOKENS.PARTNER ? 0.5 : 2_500)
  const order = (wallet: Wallet, body: object) =>
    call(world, 'paper.order', wallet, { token_in: 'USDG', token_out: 'ETH', ...body } as never)
  const book = (wallet: Wallet) => world.league.paperBook(wallet.player)
  const standings = async () =>
    read({ league: world.open() }, 'league.standings', { query: { season: 1, board: 'practice' } })

  beforeEach(async () => {
    await emptyStore(db)
    paper = openTestPaper(db)
    world = await openLeagueWorld(db, { nowS: FIRST_S - DAY, paper, clock: paper.clock })
    alice = await newWallet(db, 'alice')
    bob = await newWallet(db, 'bob')
    register(world, '5', { owner: alice.address })
    register(world, '6', { owner: bob.address })
    await addMarks(db, { fromS: first.startsAtS, toS: first.endsAtS }, price)
  })
  const enterPractice = (wallet: Wallet, agentId: string) =>
    call(world, 'league.enter', wallet, { agent_id: agentId, board: 'practice' })

  it('admits a late entry to the running season, once and only here', async () => {
    const admit = (entryId: number) => db.transaction((sql) => admitEntry(sql, { entryId }))
    await expect(admit(1)).rejects.toThrow('no season is running')
    await world.runAt(first.startsAtS + 60)
    const entry = await enterPractice(alice, '5')
    expect(entry).toMatchObject({ from_season: 2, playing: false })
    expect(await admit(entry.entry_id)).toEqual({ entry_id: entry.entry_id, season: 1 })
    await world.runAt(first.startsAtS + 120)
    expect(await book(alice)).toMatchObject({ season: 1, equity_usd: 10_000 })
    expect((await standings()).rows).toMatchObject([{ agent_id: '5', trades: 0 }])
    await expect(admit(entry.entry_id)).rejects.toThrow('already plays season 1')

    const prize = await enterSigned(world, bob, '6')
    await expect(admit(prize.entry_id)).rejects.toThrow('only the practice board')
    const late = await enterPractice(bob, '6')
    await call(world, 'league.leave', bob, { board: 'practice' })
    await expect(admit(late.entry_id)).rejects.toThrow('left the board')
    await expect(admit(999_999)).rejects.toThrow('does not exist')
  })

  describe('an account', () => {
    it('trades 10,000 USDG at real quotes from its first season on', async () => {
      expect(await refusal(order(alice, { notional_usd: 100 }))).toBe('NOT_ENTERED')
      expect(await refusal(book(alice))).toBe('NOT_ENTERED')
      await enterPractice(alice, '5')
      const early = order(alice, { notional_usd: 100 })
      await expect(early).rejects.toMatchObject({ code: 'SEASON_CLOSED', status: 409 })
      await expect(early).rejects.toMatchObject({
        extras: { why: 'it plays from season 1, which starts 2026-01-05T00:00:00Z' },
      })
      expect(await book(alice)).toMatchObject({ season: null, balances: {}, equity_usd: null })

      // The season has started but is not opened yet.
      world.goTo(first.startsAtS)
      expect(await refusal(order(alice, { notional_usd: 100 }))).toBe('SEASON_CLOSED')
      await world.runAt(first.startsAtS + 60)
      expect(await book(alice)).toMatchObject({
        season: 1,
        balances: { USDG: '10000000000' },
        equity_usd: 10_000,
        profit_usd: 0,
      })
      const fill = await order(alice, { notional_usd: 1_000 })
      expect(fill).toMatchObject({
        season: 1,
        token_in: 'USDG',
        token_out: 'ETH',
        amount_in: '1000000000',
        fee_bps: 25,
      })
      expect(fill.price_usd).toBeGreaterThan(2_400)
      const sold = await order(alice, { token_in: 'ETH', token_out: 'USDG', amount_in: fill.amount_out })
      expect(sold).toMatchObject({ token_in: 'ETH', amount_in: fill.amount_out })
      const now = await book(alice)
      expect(now.balances['ETH']).toBeUndefined()
      expect(now.profit_usd).toBeLessThan(0)
      expect(now.fills.map(({ order_id }) => order_id)).toEqual([sold.order_id, fill.order_id])
    })

    it('trades the board’s tokens only, and no entrant’s own', async () => {
      await enterPractice(alice, '5')
      await world.runAt(first.startsAtS + 60)
      const token = world.vault.agents.get('5')!.token
      expect(await refusal(order(alice, { token_out: token, notional_usd: 10 }))).toBe('PARTICIPANT_TOKEN')
      expect(await refusal(order(alice, { token_out: at(0xf0), notional_usd: 10 }))).toBe(
        'TOKEN_NOT_ALLOWED token_out',
      )
      expect(await refusal(order(alice, { token_out: 'NVDA', notional_usd: 10 }))).toBe(
        'TOKEN_NOT_ALLOWED token_out',
      )
      expect(await refusal(order(alice, { notional_usd: 0.5 }))).toBe('MIN_NOTIONAL notional_usd')
      expect(await refusal(order(alice, { notional_usd: 10_001 }))).toBe('MAX_NOTIONAL notional_usd')
      expect(await refusal(order(alice, { token_in: 'ETH', token_out: 'USDG', notional_usd: 10 }))).toBe(
        'SIMULATION_FAILED',
      )
      expect(await refusal(order(alice, { token_out: 'USDG', notional_usd: 10 }))).toBe(
        'SAME_TOKEN token_out',
      )
    })

    it('fills an order with a client_id once, and repeats its response', async () => {
      await enterPractice(alice, '5')
      await enterPractice(bob, '6')
      await world.runAt(first.startsAtS + 60)
      const body = { notional_usd: 10, client_id: 'a-1' }
      const [one, two] = await Promise.all([order(alice, body), order(alice, body)])
      expect(two).toEqual(one)
      expect(await refusal(order(alice, { ...body, notional_usd: 11 }))).toBe('BAD_REQUEST client_id')
      expect(await order(bob, body)).not.toMatchObject({ order_id: one.order_id })
      expect((await order(alice, { ...body, client_id: 'a-2' })).order_id).not.toBe(one.order_id)
      expect(await db.query('select 1 from paper_fills')).toHaveLength(3)
      // Also when the season is over.
      world.goTo(first.endsAtS)
      expect(await order(alice, body)).toEqual(one)
    })

    it('refuses orders from the second its season ends', async () => {
      await enterPractice(alice, '5')
      await world.runAt(first.startsAtS + 60)
      world.goTo(first.endsAtS)
      expect(await refusal(order(alice, { notional_usd: 10 }))).toBe('SEASON_CLOSED')
      // A quote requested in time that arrives late is not booked.
      world.goTo(first.endsAtS - 1)
      const slow = await openLeagueWorld(db, {
        nowS: first.endsAtS - 1,
        clock: paper.clock,
        paper: {
          ...paper,
          fill: (request) => {
            world.goTo(first.endsAtS)
            return paper.fill(request)
          },
        },
      })
      const late = call(slow, 'paper.order', alice, { token_in: 'USDG', token_out: 'ETH', notional_usd: 10 })
      await expect(late).rejects.toMatchObject({
        code: 'SEASON_CLOSED',
        extras: { why: 'season 1 ended while the order was priced' },
      })
      expect(await db.query('select 1 from paper_fills')).toEqual([])
    })
  })

  it('ranks by profit, records the end, and starts everyone with a new book', async () => {
    await enterPractice(alice, '5')
    await enterPractice(bob, '6')
    await world.runAt(first.startsAtS + 60)
    await order(alice, { notional_usd: 5_000 })
    await world.runAt(first.startsAtS + 2 * HOUR)
    expect(await standings()).toMatchObject({
      outcome: null,
      places: 0,
      amounts_atoms: [],
      amounts_basis: null,
    })
    const { rows } = await standings()
    expect(rows).toMatchObject([
      {
        rank: 1,
        kind: 'account',
        profit_usd: 0,
        trades: 0,
        eligibility: null,
        place: null,
        prize_atoms: null,
      },
      { rank: 2, trades: 1, active_days: 1, left: false, live: true },
    ])
    // ETH is worth a fifth more at the end.
    await db.query(`update marks set price_e18 = price_e18 * 12 / 10 where token = $1 and minute_s > $2`, [
      ETH,
      first.endsAtS - DAY,
    ])
    await world.runAt(first.endsAtS + HOUR, 3)
    const ended = await standings()
    expect(ended.rows).toMatchObject([
      { rank: 1, label: `${alice.address.slice(0, 6)}...${alice.address.slice(-4)}`, live: false },
      { rank: 2, profit_usd: 0 },
    ])
    expect(ended.rows[0]?.profit_usd).toBeGreaterThan(950)
    expect(await book(alice)).toMatchObject({ season: 2, equity_usd: 10_000, fills: [] })
  })

  it('records curves of its first entries, for everyone', async () => {
    await enterPractice(alice, '5')
    await enterPractice(bob, '6')
    await world.runAt(first.startsAtS + 60)
    await order(alice, { notional_usd: 5_000 })
    await world.runAt(first.startsAtS + 180)
    await world.runAt(first.startsAtS + 300)
    const { entries } = await world.league.curves(1, 'practice')
    expect(entries.map(({ rank, label, points }) => [rank, label.slice(0, 2), points.length])).toEqual([
      [1, '0x', 3],
      [2, '0x', 3],
    ])
    const { rows } = await standings()
    for (const [i, { points, entry_id }] of entries.entries()) {
      expect(rows[i]).toMatchObject({ entry_id, return_pct: points.at(-1)![1] })
      expect(points[0]).toEqual([first.startsAtS + 60, 0])
    }
    expect((await world.league.curves(1, 'prize')).entries).toEqual([])
    await expect(world.league.curves(7, 'practice')).rejects.toMatchObject({ code: 'NO_SEASON' })
    // Another process reads the same.
    expect(await world.open().curves(1, 'practice')).toMatchObject({ entries })
  })

  it('counts no fill of a tick that outlived the season', async () => {
    await enterPractice(alice, '5')
    await world.runAt(first.startsAtS + 60)
    await order(alice, { notional_usd: 1_000 })
    const [row] = await db.query<{ book_id: number }>('select book_id from league_practice_books')
    const fill = {
      bookId: row!.book_id,
      wallet: alice.address,
      terms: TERMS,
      size: { microUsd: 2_000_000_000n },
    }
    world.goTo(first.endsAtS - 60)
    const before = (await standings()).rows[0] as { equity: number }
    world.goTo(first.endsAtS + 5)
    await paper.fill({ ...fill, tokenIn: 'USDG', tokenOut: 'cbBTC' })
    await world.runAt(first.endsAtS + HOUR, 3)
    expect((await standings()).rows[0]).toMatchObject({ trades: 1, equity: before.equity })
  })

  it('shows a book unvalued while a price is missing', async () => {
    await enterPractice(alice, '5')
    await world.runAt(first.startsAtS + 60)
    await order(alice, { notional_usd: 5_000 })
    await db.query('delete from marks where token = $1', [ETH])
    expect((await standings()).rows[0]).toMatchObject({ equity: null, profit_usd: null, score: null })
  })

  describe('a hosted agent’s tick', () => {
    beforeEach(async () => {
      await db.query(
        `insert into hosted_agents (id, wallet, key_id, name, brain, params, interval_s, pairs, tokens,
           max_trade_micro_usd, max_day_micro_usd, max_position_micro_usd, mode, status, created_at_s)
         values ('h1', $1, 1, 'Grid bot', 'dca', '{}', 300, '{}', '[]', 1, 1, 1, 'paper', 'active', 0)`,
        [alice.address],
      )
      world.hosted.set('h1', {
        id: 'h1',
        wallet: alice.address,
        mode: 'paper',
        status: 'active',
        pairs: ['ETH/USDG'],
        intervalS: 300,
        deletedAtS: null,
      } as unknown as HostedAgent)
    })
    it('is the season’s, once it plays, and held between seasons', async () => {
      const gate = () => world.league.practiceGate('h1')
      expect(await gate()).toBeNull()
      await call(world, 'league.enter', alice, { agent_id: '5', hosted_id: 'h1' })
      expect(await gate()).toBeNull()
      world.goTo(first.startsAtS)
      expect(await gate()).toMatchObject({ hold: 'SEASON_CLOSED' })
      await db.query(
        `insert into league_seasons (number, starts_at_s, ends_at_s, state) values (1, $1, $2, 'open')`,
        [first.startsAtS, first.endsAtS],
      )
      expect(await gate()).toMatchObject({ hold: 'LEAGUE_BOOK_PENDING' })
      await world.runAt(first.startsAtS + 60)
      const { bookId } = (await gate()) as { bookId: number }
      await paper.fill({
        bookId,
        wallet: alice.address,
        tokenIn: 'USDG',
        tokenOut: 'ETH',
        size: { microUsd: 100_000_000n },
        terms: TERMS,
      })
      expect((await standings()).rows).toMatchObject([{ kind: 'hosted', label: 'Grid bot', trades: 1 }])
      world.goTo(first.endsAtS)
      expect(await gate()).toMatchObject({ hold: 'SEASON_CLOSED' })
      await world.runAt(first.endsAtS + 60)
      expect(await gate()).toMatchObject({ bookId: expect.any(Number) })
      expect(await gate()).not.toEqual({ bookId })
      await world.league.leaveHosted('h1')
      expect(await gate()).toBeNull()
    })
  })

  it('is apart from the prize board', async () => {
    await enterSigned(world, alice, '5')
    await enterPractice(alice, '5')
    await world.runAt(first.startsAtS + 60)
    expect(await read({ league: world.open() }, 'league')).toMatchObject({
      entrants: 1,
      practice_entrants: 1,
    })
  })
})
