import type { Address } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { describe, expect, it } from 'vitest'
import { addTrade, at, call, DAY, E18, ETH, read, register, TOKENS, usd } from '../../test/leagueWorld.ts'
import { playedSeason } from '../../test/playedSeason.ts'
import { LeagueRefused, reviewRule } from '../index.ts'

withDb('who may win a season', (db) => {
  const game = playedSeason(db)
  const { inSeason, standings, rowOf, ruleOf, play, marksOfSeason, value, decide } = game
  const transfer = (move: { token: Address; from: Address; to: Address }) => {
    const { chain } = game.world
    chain.add({ from: at(0xcafe), gasUsed: 0n, moves: [{ ...move, atoms: 1n }] }, chain.head() + 10)
  }

  it('flags trading back and forth, copying, and strangers’ prices', async () => {
    await marksOfSeason()
    for (let i = 0; i < 6; i++) {
      const atS = inSeason(1 + i)
      await addTrade(db, game.players[0]!.address, { atS })
      await addTrade(db, game.players[0]!.address, {
        atS: atS + 60,
        tokenIn: ETH,
        amountIn: E18 / 20n,
        tokenOut: TOKENS.USDG,
        amountOut: usd(99),
      })
      await addTrade(db, game.players[1]!.address, { atS: atS + 5 })
    }
    await addTrade(db, game.players[2]!.address, { atS: inSeason(3), amountOut: E18 / 40n })
    await value()
    expect(await ruleOf(0, 'WASH')).toMatchObject({ status: 'flag', reason: '6 round trips within minutes' })
    expect(await ruleOf(1, 'COPY_TRADING')).toMatchObject({ status: 'flag' })
    expect((await rowOf(2)).price_outliers).toBe(1)
    expect(await ruleOf(2, 'PRICE_OUTLIERS')).toMatchObject({ status: 'flag' })
    expect(await ruleOf(0, 'COPY_TRADING')).toMatchObject({ status: 'pass' })
  })

  it('fails trades of the own agent’s token, and flags trades of another entrant’s', async () => {
    await marksOfSeason()
    const own = game.world.vault.agents.get('100')!.token
    await addTrade(db, game.players[0]!.address, { atS: inSeason(2), tokenOut: own, amountOut: 5n })
    await addTrade(db, game.players[1]!.address, { atS: inSeason(2), tokenOut: own, amountOut: 5n })
    await addTrade(db, game.players[2]!.address, { atS: inSeason(2), tokenOut: at(0x777), amountOut: 5n })
    await game.world.runAt(inSeason(3))
    expect(await ruleOf(0, 'PARTICIPANT_TOKEN')).toMatchObject({ status: 'fail' })
    expect(await ruleOf(1, 'PARTICIPANT_TOKEN')).toMatchObject({ status: 'flag' })
    expect(await ruleOf(2, 'PARTICIPANT_TOKEN')).toMatchObject({ status: 'pass' })
    // At cost while held, written off at the end.
    expect(await rowOf(2)).toMatchObject({ profit_usd: 0, open_unpriced: 1 })
    await value()
    expect(await rowOf(2)).toMatchObject({ profit_usd: -100, open_unpriced: 1 })
  })

  it('ranks by profit less what no mark confirms, shows that part and keeps the flag', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) if (i > 0) await play(i, i)
    // Its own pool pays 40 dollars more than the mark.
    await addTrade(db, game.players[0]!.address, { atS: inSeason(5) })
    const sold = { tokenIn: ETH, amountIn: E18 / 20n, tokenOut: TOKENS.USDG, amountOut: usd(140) }
    await addTrade(db, game.players[0]!.address, { atS: inSeason(5.1), ...sold })
    await value()
    expect(await rowOf(0)).toMatchObject({ profit_usd: 40, score: '40.000000', beyond_marks_usd: 40 })
    expect((await rowOf(0)).rank).toBe(12)
    expect(await rowOf(11)).toMatchObject({ rank: 1, profit_usd: 11, beyond_marks_usd: 0 })
    expect(await ruleOf(0, 'BEYOND_MARKS')).toMatchObject({ status: 'flag' })
  })

  it('judges a season by the rules it was opened with', async () => {
    await db.query('update league_seasons set rules_version = 1')
    await marksOfSeason()
    await play(1, 11)
    await addTrade(db, game.players[0]!.address, { atS: inSeason(5) })
    const sold = { tokenIn: ETH, amountIn: E18 / 20n, tokenOut: TOKENS.USDG, amountOut: usd(140) }
    await addTrade(db, game.players[0]!.address, { atS: inSeason(5.1), ...sold })
    await value()
    expect((await rowOf(0)).rank).toBe(1)
    expect(await rowOf(0)).not.toHaveProperty('beyond_marks_usd')
    await game.world.runAt(game.first.endsAtS + DAY)
    const opened = await db.query('select number, rules_version from league_seasons order by number')
    expect(opened).toEqual([
      { number: 1, rules_version: 1 },
      { number: 2, rules_version: 2 },
    ])
  })

  it('uses the first sender of a core token as the funder of a wallet without ETH, or flags it', async () => {
    await marksOfSeason()
    const wallets = [0, 1, 2, 3].map((i) => game.players[i]!.address)
    for (const wallet of wallets) game.world.chain.setBalance(ETH, wallet, 0n)
    const send = (to: Address, from: Address, atoms: bigint, block: number) =>
      game.world.chain.add({ from, gasUsed: 0n, moves: [{ token: TOKENS.USDG, from, to, atoms }] }, block)
    // Zero transfers can be logged for any address.
    send(wallets[0]!, at(0xdead), 0n, 10)
    send(wallets[0]!, at(0xbeef), 5n, 20)
    send(wallets[1]!, at(0xbeef), 5n, 30)
    game.world.chain.code.set(at(0xd00d), '0x6000')
    send(wallets[2]!, at(0xd00d), 5n, 40)
    await db.query(
      `update league_funders set status = 'pending', funder = null, block = null, looked_at_s = 0
       where address = any($1)`,
      [wallets],
    )
    await game.world.runAt(inSeason(2), 3)
    expect(await rowOf(0)).toMatchObject({ cluster_size: 2, cluster_links: ['funder'] })
    expect(await rowOf(1)).toMatchObject({ cluster_size: 2, cluster_links: ['funder'] })
    expect(await ruleOf(0, 'FUNDER')).toMatchObject({ status: 'pass' })
    expect(await ruleOf(3, 'FUNDER')).toMatchObject({ status: 'pending' })
    await value()
    // One was paid by a contract, the other received nothing.
    expect(await ruleOf(2, 'FUNDER')).toMatchObject({ status: 'flag' })
    expect(await ruleOf(3, 'FUNDER')).toMatchObject({
      status: 'flag',
      reason: 'the trading wallet has no known funder',
    })
  })

  it('pays one of two entrants of one owner', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    // Players 10 and 11 have the same first funder; player 9's agent token went to player 8 and back.
    await db.query('update league_funders set funder = $1 where address = any($2::text[])', [
      at(0xf999),
      [game.players[10]!.address, game.players[11]!.address],
    ])
    const token = game.world.vault.agents.get('109')!.token
    const [nine, eight] = [game.players[9]!.address, game.players[8]!.address]
    transfer({ token, from: nine, to: eight })
    transfer({ token, from: eight, to: nine })
    await value()
    expect(await rowOf(11)).toMatchObject({ cluster_size: 2, cluster_links: ['funder'], place: 1 })
    expect(await rowOf(10)).toMatchObject({ cluster_size: 2, cluster_links: ['funder'], place: null })
    // A third party may have funded both: left for manual review.
    expect(await ruleOf(10, 'ONE_PER_CLUSTER')).toMatchObject({ status: 'flag' })
    expect(await rowOf(9)).toMatchObject({ cluster_links: ['transfer'], place: 2 })
    expect(await rowOf(8)).toMatchObject({ cluster_links: ['transfer'], place: null })
    expect(await ruleOf(8, 'ONE_PER_CLUSTER')).toMatchObject({ status: 'fail' })
    expect(await rowOf(7)).toMatchObject({ cluster_size: 1, cluster_links: [], place: 3 })
    expect((await standings()).outcome).toMatchObject({
      active_clusters: 10,
      pays: true,
      eligible_owners: 10,
    })
  })

  it('does not affect entrants whom another one names, funds, or sends a token', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    // The best of them, and everything it can do to the others without them.
    const [attacker, named, funded] = [11, 10, 9].map((i) => game.players[i]!.address)
    await db.query('update league_entries set beneficiary = $2 where wallet = $1', [attacker, named])
    await db.query('update league_funders set funder = $2 where address = $1', [funded, attacker])
    const token = game.world.vault.agents.get('111')!.token
    for (const { address } of game.players.slice(0, 11)) transfer({ token, from: attacker!, to: address })
    // A zero transfer, which anyone can make from any address.
    const forged = {
      token: game.world.vault.agents.get('110')!.token,
      from: named!,
      to: attacker!,
      atoms: 0n,
    }
    game.world.chain.add({ from: at(0xcafe), gasUsed: 0n, moves: [forged] }, game.world.chain.head() + 10)
    await value()
    expect((await standings()).outcome).toMatchObject({ active_clusters: 11, pays: true })
    expect(await rowOf(11)).toMatchObject({ place: null, eligibility: { status: 'flag' } })
    expect(await ruleOf(11, 'ONE_PER_CLUSTER')).toMatchObject({ status: 'flag' })
    for (const [i, place] of [
      [10, 1],
      [9, 2],
      [8, 3],
    ] as const) {
      expect(await rowOf(i)).toMatchObject({ place, eligibility: { status: 'pass' } })
    }
    // Undecided until reviewed, or until the review is over.
    await decide()
    expect((await standings()).decided).toBe(false)
    const { entry_id: entryId } = await rowOf(11)
    const review = { season: 1, entryId, rule: 'ONE_PER_CLUSTER', reason: 'sent them all of it' }
    await db.transaction((sql) =>
      reviewRule(sql, { ...review, status: 'fail', operator: 'op', atS: game.world.nowS() }),
    )
    await game.world.runAt(game.world.nowS() + DAY, 3)
    expect((await standings()).decided).toBe(true)
    expect((await rowOf(10)).place).toBe(1)
  })

  it('does not pay a field of fewer than ten owner clusters', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) if (i < 9) await play(i, i)
    await decide()
    const record = await standings()
    expect(record.outcome).toMatchObject({ active_clusters: 9, pays: false })
    expect(record.rows.every(({ place }) => place === null)).toBe(true)
    // Nothing is owed: it settles itself, and the reserve keeps what was added.
    expect((await read({ league: game.world.open() }, 'league.reserve')).rows).toMatchObject([
      {
        season: 1,
        status: 'settled',
        paid: [],
        paid_total: '0',
        reserve_after: String((604_800n * E18) / 1_000n),
      },
    ])
  })

  it('lets a late confirmation count until it is decided, and not after', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    await db.query(
      'update league_entries set confirmed_at_s = null, confirmation = null where wallet = any($1)',
      [[game.players[11]!.address, game.players[10]!.address]],
    )
    const confirm = async (i: number) => {
      const wallet = game.players[i]!
      const made = await call(game.world, 'league.statement', wallet, { agent_id: String(100 + i) })
      const signature = await wallet.sign(made.message)
      await call(game.world, 'league.confirm', wallet, {
        agent_id: String(100 + i),
        signature,
        nonce: made.nonce,
      })
    }
    await value()
    expect(await ruleOf(11, 'CONFIRMED')).toMatchObject({ status: 'fail' })
    expect((await rowOf(9)).place).toBe(1)
    await confirm(11)
    expect((await rowOf(11)).place).toBe(1)
    await call(game.world, 'league.leave', game.players[8]!, {})
    await db.query('update league_entries set confirmed_at_s = null where wallet = $1', [
      game.players[8]!.address,
    ])
    expect(await ruleOf(8, 'CONFIRMED')).toMatchObject({ status: 'fail' })
    // It left after the season's end: that season is still its own to confirm.
    await confirm(8)
    expect(await ruleOf(8, 'CONFIRMED')).toMatchObject({ status: 'pass' })
    await decide()
    await expect(confirm(8)).rejects.toMatchObject({ code: 'NOT_ENTERED' })
    await confirm(10)
    await game.world.runAt(game.world.nowS() + DAY)
    expect((await rowOf(11)).place).toBe(1)
    expect((await rowOf(9)).place).toBe(2)
    expect(await rowOf(10)).toMatchObject({ place: null })
  })

  it('passes a disqualified winner’s place on, and reviews neither confirmation nor sanctions', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    await value()
    const { entry_id: entryId } = await rowOf(11)
    const reviewed = (rule: string, status: 'pass' | 'fail', reason = 'looked at') =>
      db.transaction((sql) =>
        reviewRule(sql, { season: 1, entryId, rule, status, reason, operator: 'op', atS: game.world.nowS() }),
      )
    for (const rule of ['CONFIRMED', 'SANCTIONS', 'NO_SUCH'])
      await expect(reviewed(rule, 'pass')).rejects.toThrow(LeagueRefused)
    await expect(reviewed('WASH', 'fail', ' ')).rejects.toThrow('needs a reason')
    await reviewed('WASH', 'fail', 'traded with itself through two wallets')
    expect(await rowOf(11)).toMatchObject({ place: null, eligibility: { status: 'fail', eligible: false } })
    expect(await ruleOf(11, 'WASH')).toMatchObject({ reviewed: true, status: 'fail' })
    expect((await rowOf(10)).place).toBe(1)
    game.world.sanctioned.add(game.players[10]!.address)
    await decide()
    expect((await rowOf(10)).place).toBeNull()
    expect((await rowOf(9)).place).toBe(1)
    await expect(reviewed('WASH', 'pass')).rejects.toThrow('can no longer change')
    await expect(db.query('update league_reviews set status = $1', ['pass'])).rejects.toThrow('only added')
  })

  it('reads transfers again after an outage, and marks only what the node refuses, for an hour', async () => {
    const scans = (where: string) => db.query(`select 1 from league_transfer_scans where ${where}`)
    const minutes = (n: number) => inSeason(1) + n * 60
    game.world.node.dropsOnLogs = true
    for (let i = 0; i < 12; i++) {
      game.world.chain.isDown = false
      await game.world.runAt(minutes(i))
    }
    expect(await scans('unreadable')).toHaveLength(0)
    game.world.node.dropsOnLogs = false
    game.world.chain.isDown = false
    game.world.node.noLogsOf.add(game.world.vault.agents.get('100')!.token)
    for (let i = 12; i < 24; i++) await game.world.runAt(minutes(i))
    expect(await scans('unreadable')).toHaveLength(1)
    expect(await ruleOf(0, 'TRANSFERS')).toMatchObject({ status: 'flag' })
    expect(await ruleOf(1, 'TRANSFERS')).toMatchObject({ status: 'pass' })
    game.world.node.noLogsOf.clear()
    await game.world.runAt(minutes(30))
    expect(await scans('unreadable')).toHaveLength(1)
    await game.world.runAt(minutes(90), 6)
    expect(await scans('unreadable')).toHaveLength(0)
    expect(await ruleOf(0, 'TRANSFERS')).toMatchObject({ status: 'pass' })
  })

  it('wins nothing for an agent whose wallet the registry moved to a listed address', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    const listed = at(0xbad)
    game.world.sanctioned.add(listed)
    register(game.world, '111', { owner: game.players[11]!.address, agentWallet: listed })
    register(game.world, '110', { owner: game.players[10]!.address, beneficiary: listed })
    await value()
    expect(await ruleOf(11, 'SANCTIONS')).toMatchObject({
      status: 'fail',
      reason: 'the agent wallet is on the sanctions list',
    })
    expect(await ruleOf(10, 'SANCTIONS')).toMatchObject({ status: 'fail' })
    await decide()
    expect((await rowOf(9)).place).toBe(1)
  })

  describe('an owner', () => {
    it('who sold the agent is flagged', async () => {
      await marksOfSeason()
      register(game.world, '100', { owner: at(0xabc) })
      game.world.vault.agents.delete('101')
      await game.world.runAt(inSeason(1))
      expect(await ruleOf(0, 'OWNER')).toMatchObject({ status: 'flag' })
      expect(await ruleOf(1, 'OWNER')).toMatchObject({ status: 'fail' })
      game.world.vault.answering = false
      await game.world.runAt(inSeason(2))
      expect(await ruleOf(2, 'OWNER')).toMatchObject({
        status: 'flag',
        reason: 'the registry could not be read',
      })
    })
  })
})
