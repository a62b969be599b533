import { withDb } from '@pit/platform/test/withStore'
import type { ChainProfile } from '@pit/protocol'
import { expect, it } from 'vitest'
import {
  addTrade,
  call,
  DAY,
  E18,
  enterSigned,
  FIRST_S,
  HOUR,
  newWallet,
  PROFILE,
  read,
  season,
  still,
} from '../../test/leagueWorld.ts'
import { playedSeason } from '../../test/playedSeason.ts'
import { LeagueRefused, readStart } from '../index.ts'
import { RULES } from '../rules/index.ts'
import { readSeason } from './store.ts'

withDb('a season', (db) => {
  const game = playedSeason(db)
  const { first, inSeason, standings, rowOf, ruleOf, play, marksOfSeason, value, decide } = game

  it('opens, ends, is valued, reviewed, decided and settled, each once however often it is run', async () => {
    expect((await read(game.world, 'league')).season).toMatchObject({
      number: 1,
      state: 'open',
      status: 'open',
      day: 1,
    })
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    await game.world.runAt(inSeason(7), 3)
    expect((await standings()).rows[0]).toMatchObject({
      rank: 1,
      wallet: game.players[11]!.address,
      score: '11.000000',
      profit_usd: 11,
      trades: 6,
      active_days: 3,
      capital_usd: 989,
      return_pct: 1.11,
      live: true,
      place: null,
    })
    // Copies are judged at the end, so no entry is eligible yet.
    expect((await standings()).outcome).toMatchObject({ pays: true, eligible_agents: 0, active_clusters: 12 })

    game.world.goTo(first.endsAtS)
    expect((await read({ league: game.world.open() }, 'league')).season).toMatchObject({
      number: 2,
      state: 'open',
    })
    await game.world.runAt(first.endsAtS + 1)
    expect(await standings()).toMatchObject({
      status: 'closing',
      decided: false,
      amounts_basis: 'provisional',
    })
    await value()
    expect(await standings()).toMatchObject({ status: 'provisional', decided: false })
    const { rows } = await standings()
    expect(rows.slice(0, 4).map(({ place }) => place)).toEqual([1, 2, 3, null])

    const other = game.world.open()
    await Promise.all([game.world.runDue(), game.world.runDue(other)])
    game.world.goTo(first.endsAtS + RULES.reviewS)
    await Promise.all([game.world.runDue(), game.world.runDue(other), game.world.runDue()])
    expect(await standings()).toMatchObject({ status: 'decided', decided: true, amounts_basis: 'decided' })
    const record = await read({ league: game.world.open() }, 'league.season', { params: { n: 1 } })
    // Two weeks at a thousandth a second earn 1,209.6; half of it is the reserve, a third of that the budget.
    expect(record.ledger).toMatchObject({
      status: 'provisional',
      gain: String((1_209_600n * E18) / 1_000n),
      half_gain: String((604_800n * E18) / 1_000n),
      added: String((604_800n * E18) / 1_000n),
      budget: String((201_600n * E18) / 1_000n),
      mark_source: 'marks',
      partner_usd: 0.5,
    })
    expect(record.winners.map(({ place, amount, status }) => [place, amount, status])).toEqual([
      [1, String((100_800n * E18) / 1_000n), 'planned'],
      [2, String((60_480n * E18) / 1_000n), 'planned'],
      [3, String((40_320n * E18) / 1_000n), 'planned'],
    ])
    expect(record.settled_at).toBeNull()
    expect(record.rows[0]).toMatchObject({ rank: 1, valued_at: expect.any(Number) })
    await game.settle()
    const settled = await read({ league: game.world.open() }, 'league.season', { params: { n: 1 } })
    expect(settled.settled_at).toBeGreaterThanOrEqual(first.endsAtS + RULES.reviewS)
    expect((await read({ league: game.world.open() }, 'league.seasons')).seasons).toMatchObject([
      { number: 2, status: 'open', decided: false },
      { number: 1, status: 'settled', decided: true, pays: true, entrants: 12 },
    ])
    expect((await read({ league: game.world.open() }, 'league.reserve')).rows).toMatchObject([
      { season: 1, status: 'settled', reserve_after: String((403_200n * E18) / 1_000n) },
    ])
    // Settled twice is refused; run again changes nothing.
    await expect(game.settle()).rejects.toThrow(LeagueRefused)
    const before = JSON.stringify((await standings()).rows)
    await game.world.runDue()
    expect(JSON.stringify((await standings()).rows)).toBe(before)
  })

  it('takes a trade mined at its last second, and leaves one a second later to the next season', async () => {
    await marksOfSeason(still, { fromS: first.startsAtS, toS: first.endsAtS + DAY })
    await addTrade(db, game.players[0]!.address, { atS: first.endsAtS - 1 })
    await addTrade(db, game.players[0]!.address, { atS: first.endsAtS })
    await addTrade(db, game.players[1]!.address, { atS: first.startsAtS })
    await addTrade(db, game.players[1]!.address, { atS: first.startsAtS - 1 })
    await value()
    expect(await rowOf(0)).toMatchObject({ trades: 1 })
    expect(await rowOf(1)).toMatchObject({ trades: 1 })
    expect(await rowOf(0, 2)).toMatchObject({ trades: 1 })
  })

  it('waits for what was relayed before its end to become final', async () => {
    await marksOfSeason()
    const open = await addTrade(db, game.players[0]!.address, {
      atS: first.endsAtS - 30,
      status: 'pending',
      settled: false,
    })
    await value()
    expect((await standings()).status).toBe('closing')
    await db.query(
      `update trades set status = 'mined', settled = true, mined_at_s = $2, block = 1 where id = $1`,
      [open.id, first.endsAtS - 20],
    )
    await value()
    expect((await standings()).status).toBe('provisional')
    expect(await rowOf(0)).toMatchObject({ trades: 1 })
  })

  it('is not decided while a winner is in question, until two weeks are over', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    await value()
    game.world.chain.stateFrom = Number.POSITIVE_INFINITY
    await db.query(`update league_funders set status = 'pending', looked_at_s = 0, block = null`)
    await decide()
    expect(await ruleOf(11, 'FUNDER')).toMatchObject({
      status: 'flag',
      reason: 'the first funders could not be read',
    })
    expect((await standings()).decided).toBe(false)
    await game.world.runAt(first.endsAtS + RULES.reviewLatestS, 3)
    expect((await standings()).decided).toBe(true)
    expect((await standings()).rows.every(({ place }) => place === null)).toBe(true)
  })

  it('is decided by no outage of the registry, however long', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    await value()
    game.world.vault.answering = false
    await game.world.runAt(game.world.nowS() + HOUR)
    expect(await ruleOf(11, 'OWNER')).toMatchObject({ status: 'pass' })
    await game.world.runAt(first.endsAtS + RULES.reviewLatestS + DAY, 3)
    expect(await ruleOf(11, 'OWNER')).toMatchObject({ status: 'flag' })
    expect((await standings()).decided).toBe(false)
    game.world.vault.answering = true
    await game.world.runAt(game.world.nowS() + HOUR, 3)
    expect((await standings()).decided).toBe(true)
    expect((await rowOf(11)).place).toBe(1)
  })

  it('marks unopened seasons as missed, and continues with the running one', async () => {
    await game.world.runAt(season(4).startsAtS + DAY, 3)
    expect((await read({ league: game.world.open() }, 'league.seasons')).seasons).toMatchObject([
      { number: 4, status: 'open', missed: false, entrants: 12 },
      { number: 3, status: 'settled', missed: true, pays: false, entrants: 0 },
      { number: 2, missed: true },
      { number: 1, missed: false },
    ])
    expect((await standings(3)).rows).toEqual([])
  })

  it('opens a book for an entrant who entered before the start and was stored after it', async () => {
    await marksOfSeason()
    // The taker knows the field by now.
    await addTrade(db, game.players[0]!.address, { atS: FIRST_S + 30 })
    await game.world.runAt(FIRST_S + 600)
    const late = await newWallet(db, 'late')
    game.players.push(late)
    game.world.goTo(FIRST_S - 1)
    await enterSigned(game.world, late, '200')
    await addTrade(db, late.address, { atS: FIRST_S + 700 })
    const token = game.world.vault.agents.get('200')!.token
    await addTrade(db, game.players[0]!.address, { atS: FIRST_S + 900, tokenOut: token, amountOut: 5n })
    await game.world.runAt(FIRST_S + HOUR, 3)
    expect(await rowOf(12)).toMatchObject({ trades: 1 })
    expect(await ruleOf(0, 'PARTICIPANT_TOKEN')).toMatchObject({ status: 'flag' })
  })

  it('excludes an entrant who left from prizes, and its later trades from its book', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    await game.world.runAt(inSeason(4))
    await call(game.world, 'league.leave', game.players[11]!, {})
    await addTrade(db, game.players[11]!.address, { atS: inSeason(5) })
    await value()
    expect(await rowOf(11)).toMatchObject({ left: true, trades: 6, place: null, live: false })
    expect(await ruleOf(11, 'STAYED')).toMatchObject({ status: 'fail' })
    expect((await rowOf(10)).place).toBe(1)
    expect((await standings(2)).rows).toHaveLength(11)
  })

  it('starts on the configured date, which cannot change once a season was played', async () => {
    const ask = (setting: string | null, kind = 'devnet', first: string | null = null) => {
      const profile = { ...PROFILE, kind, league: { ...PROFILE.league, first_season: first } } as ChainProfile
      return readStart({ db, clock: game.world.clock, profile, setting })
    }
    expect(await ask('2026-01-05')).toBe(FIRST_S)
    expect(await ask(null, 'mainnet', '2026-01-05')).toBe(FIRST_S)
    expect(await ask(null, 'mainnet')).toBeNull()
    await expect(ask('2026-01-06')).rejects.toThrow('not a Monday')
    await expect(ask('2026-01-12')).rejects.toThrow('season 1 began on 2026-01-05')
    // A devnet keeps the week its store first saw.
    expect(await ask(null)).toBe(FIRST_S)
    game.world.goTo(FIRST_S + 30 * DAY)
    expect(await ask(null)).toBe(FIRST_S)
  })

  it('is not found under a number that no season can have', async () => {
    expect(await readSeason(db, 900_719_925_474_099)).toBeNull()
  })
})
