import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { addTrade, DAY, HOUR } from '../../test/leagueWorld.ts'
import { playedSeason } from '../../test/playedSeason.ts'

withDb('late trades', (db) => {
  const game = playedSeason(db)
  const { first } = game

  it('are waited for although our clock saw them after the end, when the chain’s may not have', async () => {
    await game.marksOfSeason()
    const wallet = game.players[0]!.address
    const { id } = await addTrade(db, wallet, { atS: first.endsAtS - 1, settled: false })
    await db.query('update trades set created_at_ms = $2 where id = $1', [id, (first.endsAtS + 20) * 1000])
    await game.value()
    expect((await game.standings()).status).toBe('closing')
    await db.query('update trades set settled = true where id = $1', [id])
    await game.value()
    expect((await game.standings()).status).toBe('provisional')
    expect(await game.rowOf(0)).toMatchObject({ trades: 1 })
  })
  it('count nowhere once the season was valued, and that is kept', async () => {
    await game.marksOfSeason()
    await game.value()
    const late = await addTrade(db, game.players[0]!.address, { atS: first.endsAtS - DAY })
    await game.world.runAt(first.endsAtS + 2 * HOUR)
    expect(await game.rowOf(0)).toMatchObject({ trades: 0 })
    expect(await db.query('select trade_id, season from league_late')).toEqual([
      { trade_id: late.id, season: 1 },
    ])
  })
})
