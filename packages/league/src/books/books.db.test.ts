import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { addTrade, E18, ETH, still, TOKENS, usd } from '../../test/leagueWorld.ts'
import { playedSeason } from '../../test/playedSeason.ts'
import { reviewRule } from '../index.ts'
import { type RelayedPage, relayedAfter } from './store.ts'

withDb('the books of a season', (db) => {
  const game = playedSeason(db)
  const { inSeason, standings, rowOf, ruleOf, marksOfSeason } = game

  it('counts the gas of a reverted trade, and nothing else of it', async () => {
    await marksOfSeason()
    const { hash } = await addTrade(db, game.players[0]!.address, { atS: inSeason(2), status: 'reverted' })
    game.world.node.gas.set(hash, E18 / 1_000n)
    await game.world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ trades: 0, active_days: 0, profit_usd: -2, active: false })
  })

  it('takes gas from the receipt that the relay read, without another request', async () => {
    await marksOfSeason()
    const { hash } = await addTrade(db, game.players[0]!.address, { atS: inSeason(2), gasWei: E18 / 1_000n })
    // The node has lost it since, or returns something else.
    game.world.node.failing.add(hash)
    await game.world.runAt(inSeason(2) + 600)
    expect(await rowOf(0)).toMatchObject({ trades: 1, profit_usd: -2 })
  })

  it('lists trades that were not taken, page by page', async () => {
    await marksOfSeason()
    const wallet = game.players[0]!.address
    for (let i = 0; i < 4; i++) await addTrade(db, wallet, { atS: inSeason(1) + i })
    await game.world.runAt(inSeason(2))
    const open: number[] = []
    for (let i = 0; i < 5; i++) {
      open.push((await addTrade(db, wallet, { atS: inSeason(2) + i, settled: false })).id)
    }
    await addTrade(db, `0x${'ee'.repeat(20)}`, { atS: inSeason(2) })
    const pages: number[][] = []
    for (let after: number | null = 0; after !== null; ) {
      const page: RelayedPage = await relayedAfter(db, after, 2)
      pages.push(page.trades.map(({ id }) => id))
      after = page.next
    }
    expect(pages).toEqual([open.slice(0, 2), open.slice(2, 4), open.slice(4)])
  })

  it('leaves a book unvalued if a price is missing, instead of counting zero', async () => {
    // No ETH price for half a day.
    await marksOfSeason((token, atS) =>
      token === ETH && atS > inSeason(2) && atS < inSeason(2.5) ? null : still(token),
    )
    const sale = { tokenIn: ETH, amountIn: E18, tokenOut: TOKENS.USDG, amountOut: usd(2_000) }
    await addTrade(db, game.players[0]!.address, { ...sale, atS: inSeason(2.4) })
    await addTrade(db, game.players[1]!.address, { ...sale, atS: inSeason(2.6) })
    await game.world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ profit_usd: null, score: null, unvalued: 1 })
    expect(await ruleOf(0, 'UNVALUED')).toMatchObject({ status: 'flag' })
    expect(await rowOf(1)).toMatchObject({ profit_usd: 0, unvalued: 0 })
    const { rows } = await standings()
    expect(rows.at(-1)).toMatchObject({ wallet: game.players[0]!.address })
  })

  it('does not value holdings while no price can be read', async () => {
    await marksOfSeason((token, atS) => (atS > inSeason(3) ? null : still(token)))
    await addTrade(db, game.players[0]!.address, { atS: inSeason(2) })
    await game.world.runAt(inSeason(4))
    expect(await rowOf(0)).toMatchObject({ profit_usd: null, unvalued: 1, trades: 1 })
  })

  it('has the same result if trades become final late, one after the other', async () => {
    await marksOfSeason((token, atS) => (token === ETH ? 2_000 + ((atS / 1_800) % 97) : still(token)))
    const late = await addTrade(db, game.players[0]!.address, { atS: inSeason(1), settled: false })
    await addTrade(db, game.players[0]!.address, { atS: inSeason(2) })
    await addTrade(db, game.players[1]!.address, { atS: inSeason(1) })
    await addTrade(db, game.players[1]!.address, { atS: inSeason(2) })
    await game.world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ trades: 1 })
    expect(await rowOf(1)).toMatchObject({ trades: 2 })
    await db.query('update trades set settled = true where id = $1', [late.id])
    await game.world.runAt(inSeason(4))
    const [a, b] = [await rowOf(0), await rowOf(1)]
    expect({ ...a, profit_usd: b.profit_usd }).toMatchObject({
      trades: 2,
      score: b.score,
      max_dd_pct: b.max_dd_pct,
      capital_usd: b.capital_usd,
    })
  })

  it('does not count the gas of a lost receipt as zero', async () => {
    await marksOfSeason()
    const { hash } = await addTrade(db, game.players[0]!.address, { atS: inSeason(2) })
    game.world.node.gas.set(hash, null)
    await game.world.runAt(inSeason(2) + 600)
    expect(await rowOf(0)).toMatchObject({ trades: 0 })
    await game.world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ trades: 1, profit_usd: 0, eligibility: { status: 'flag' } })
    // A review can accept it.
    const entryId = (await rowOf(0)).entry_id
    const review = { status: 'pass', reason: 'cents, by the explorer', operator: 'op', atS: 1 } as const
    expect(await game.ruleOf(0, 'UNVALUED')).toMatchObject({
      status: 'flag',
      reason: 'the gas of 1 transaction is not known',
    })
    await db.transaction((sql) => reviewRule(sql, { season: 1, entryId, rule: 'UNVALUED', ...review }))
    expect(await game.ruleOf(0, 'UNVALUED')).toMatchObject({ status: 'pass', reviewed: true })
  })

  it('continues after the chain was unreachable', async () => {
    await marksOfSeason()
    await addTrade(db, game.players[0]!.address, { atS: inSeason(2) })
    game.world.chain.isDown = true
    await game.world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ trades: 0 })
    game.world.chain.isDown = false
    await game.world.runAt(inSeason(3) + 60)
    expect(await rowOf(0)).toMatchObject({ trades: 1 })
  })
})
