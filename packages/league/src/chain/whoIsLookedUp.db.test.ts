import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { call, ETH, HOUR } from '../../test/leagueWorld.ts'
import { playedSeason } from '../../test/playedSeason.ts'

withDb('the chain is asked', (db) => {
  const game = playedSeason(db)

  it('again soon after an outage, and after an hour if it could not answer', async () => {
    const { world } = game
    const statuses = async () =>
      (await db.query<{ status: string }>('select distinct status from league_funders')).map(
        ({ status }) => status,
      )
    await db.query(
      `update league_funders set status = 'pending', funder = null, block = null, looked_at_s = 0`,
    )
    world.chain.isDown = true
    await world.runAt(game.inSeason(1))
    expect(await statuses()).toEqual(['pending'])
    world.chain.isDown = false
    await world.runAt(game.inSeason(1) + 60)
    expect(await statuses()).toEqual(['read'])
    await db.query(
      `update league_funders set status = 'pending', funder = null, block = null, looked_at_s = 0`,
    )
    world.chain.stateFrom = Number.POSITIVE_INFINITY
    await world.runAt(game.inSeason(1) + 120)
    expect(await statuses()).toEqual(['unreadable'])
    world.chain.stateFrom = 0
    await world.runAt(game.inSeason(1) + 240)
    expect(await statuses()).toEqual(['unreadable'])
    await world.runAt(game.inSeason(1) + 120 + 2 * HOUR)
    expect(await statuses()).toEqual(['read'])
  })

  it('about entrants who play or may still win, and not about those who left long ago', async () => {
    const { world, first } = game
    const leaver = game.players[0]!
    // Not funded yet: it is looked up again every hour.
    world.chain.setBalance(ETH, leaver.address, 0n)
    await db.query(
      `update league_funders set status = 'read', funder = null, block = null where address = $1`,
      [leaver.address],
    )
    const seen = async () => {
      const [row] = await db.query<{ looked: number; scanned: number }>(
        `select f.looked_at_s as looked, s.scanned_to_s as scanned from league_funders f
         join league_transfer_scans s on s.address = f.address where f.address = $1`,
        [leaver.address],
      )
      return row!
    }
    await world.runAt(game.inSeason(1), 6)
    const running = await seen()
    expect(running.looked).toBe(game.inSeason(1))
    await call(world, 'league.leave', leaver, {})
    // Its season is not decided yet.
    await game.value()
    await world.runAt(first.endsAtS + 2 * HOUR, 6)
    const undecided = await seen()
    expect(undecided.looked).toBeGreaterThan(running.looked)
    expect(undecided.scanned).toBeGreaterThan(running.scanned)
    await game.decide()
    const decided = await seen()
    await world.runAt(world.nowS() + 5 * HOUR, 6)
    expect(await seen()).toEqual(decided)
  })
})
