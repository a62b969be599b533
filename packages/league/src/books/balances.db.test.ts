import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { addTrade, DAY, E18, ETH, HOUR, read, still, TOKENS, usd } from '../../test/leagueWorld.ts'
import { playedSeason } from '../../test/playedSeason.ts'

withDb('what wallets were seen to hold', (db) => {
  const game = playedSeason(db)
  const { first, inSeason, marksOfSeason, rowOf, ruleOf, standings, value } = game
  const rising = (token: typeof ETH, atS: number) =>
    token === ETH && atS > inSeason(5) ? 2_200 : still(token)
  const buy = (i: number, atS: number) =>
    addTrade(db, game.players[i]!.address, { atS, amountIn: usd(500), amountOut: E18 / 4n })
  const callsAt = () => game.world.chain.asked.filter(({ method }) => method === 'eth_call').length

  it('bounds a book: 500 dollars booked forty times make what 500 dollars make', async () => {
    await marksOfSeason(rising)
    // Bought here, moved out, sold elsewhere and brought back: never more than the last of it is there.
    game.world.node.balanceOf = ({ token, wallet }) => {
      if (wallet !== game.players[0]!.address) return 10n ** 24n
      return token === ETH ? E18 / 4n : 0n
    }
    for (let i = 0; i < 40; i++) await buy(0, inSeason(2) + i * 60)
    await buy(1, inSeason(2))
    await value()
    expect(await rowOf(1)).toMatchObject({ profit_usd: 50, capital_usd: 500 })
    expect(await rowOf(0)).toMatchObject({ profit_usd: 50, trades: 40 })
    expect(await ruleOf(0, 'BALANCES')).toMatchObject({
      status: 'flag',
      reason: '19500 dollars of its book left the wallet before a sample saw them',
    })
    expect(await ruleOf(1, 'BALANCES')).toMatchObject({ status: 'pass' })
  })

  it('are read once an hour, all entrants at one block in one call', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await buy(i, inSeason(2) + i)
    await game.world.runAt(inSeason(2) + 1_000)
    const before = callsAt()
    await game.world.runAt(inSeason(2) + HOUR + 20, 3)
    expect(callsAt() - before).toBe(1)
    await game.world.runAt(inSeason(2) + HOUR + 1_000, 3)
    expect(callsAt() - before).toBe(1)
    const samples = await db.query<{ at_s: number; block: number }>(
      'select at_s, block from league_samples where block is not null',
    )
    // A block every ten seconds: the last before the hour.
    expect(samples).toEqual([{ at_s: inSeason(2) + HOUR, block: expect.any(Number) }])
    expect(game.world.chain.timeOf(samples[0]!.block)).toBe(inSeason(2) + HOUR - 10)
    const rows = await db.query('select 1 from league_balances')
    expect(rows).toHaveLength(game.players.length)
  })

  it('delay a trade mined after an hour that was not sampled', async () => {
    await marksOfSeason()
    await buy(0, inSeason(2))
    await buy(0, inSeason(2) + HOUR + 1)
    await game.world.runAt(inSeason(2) + 600)
    game.world.node.forgetsBalances = true
    await game.world.runAt(inSeason(2) + HOUR + 300)
    expect(await rowOf(0)).toMatchObject({ trades: 1 })
    game.world.node.forgetsBalances = false
    await game.world.runAt(inSeason(2) + HOUR + 330)
    expect(await rowOf(0)).toMatchObject({ trades: 2 })
  })

  it('leave a gap if the node refuses, and are retried for a day at the end', async () => {
    await marksOfSeason((token, atS) =>
      token === ETH && atS > inSeason(4) && atS < inSeason(6) ? 1_500 : still(token),
    )
    await buy(0, inSeason(2))
    await buy(1, inSeason(3.5))
    await game.world.runAt(inSeason(3.6))
    game.world.node.forgetsBalances = true
    await value()
    expect((await standings()).status).toBe('closing')
    // No sample while the price was low: that leaves a gap, not a drawdown.
    expect(await rowOf(0)).toMatchObject({ profit_usd: 0, max_dd_pct: 0 })
    await game.world.runAt(first.endsAtS + DAY + 60)
    expect((await standings()).status).toBe('provisional')
    expect(await rowOf(0)).toMatchObject({ profit_usd: null, unvalued: 1 })
    expect(await ruleOf(0, 'UNVALUED')).toMatchObject({ status: 'flag' })
  })
})

withDb('a season’s end', (db) => {
  const game = playedSeason(db)
  const { first, marksOfSeason, rowOf, ruleOf, play, decide } = game

  it('is valued at the median of its last day, and flags a last mark far from it', async () => {
    // Both are pushed in the last two hours.
    await marksOfSeason((token, atS) =>
      atS < first.endsAtS - 2 * HOUR ? still(token) : token === ETH ? 2_600 : still(token) / 4,
    )
    for (const i of game.players.keys()) await play(i, i)
    const late = { atS: first.endsAtS - 5 * HOUR, amountIn: usd(500), amountOut: E18 / 4n }
    await addTrade(db, game.players[3]!.address, { ...late, tokenIn: TOKENS.USDG })
    await decide()
    expect(await rowOf(3)).toMatchObject({ profit_usd: 3 })
    expect(await ruleOf(3, 'END_MARKS')).toMatchObject({
      status: 'flag',
      reason: '1 holding more than 1000 bps from the day’s median',
    })
    expect(await ruleOf(4, 'END_MARKS')).toMatchObject({ status: 'pass' })
    const record = await read({ league: game.world.open() }, 'league.season', { params: { n: 1 } })
    expect(record.ledger).toMatchObject({
      partner_usd: 0.5,
      cap: String(10_000n * E18),
      mark_source: 'marks',
      mark_diverges: true,
    })
  })
})
