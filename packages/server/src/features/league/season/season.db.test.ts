import { RULES } from '@pit/league'
import type { ChainProfile } from '@pit/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { withDb } from '../../../../test/withDb.ts'
import {
  LeagueRefused,
  readStart,
  recordPayout,
  recordWithdrawal,
  reviewRule,
  settleSeason,
} from '../index.ts'
import {
  addMarks,
  addTrade,
  at,
  call,
  DAY,
  E18,
  ETH,
  emptyStore,
  enterSigned,
  FIRST_S,
  HOUR,
  type LeagueWorld,
  newWallet,
  openLeagueWorld,
  PROFILE,
  read,
  register,
  season,
  still,
  TOKENS,
  usd,
  type Wallet,
} from '../test/leagueWorld.ts'

withDb('a season', (db) => {
  let world: LeagueWorld
  let players: Wallet[]
  const first = season(1)
  const inSeason = (days: number) => first.startsAtS + Math.round(days * DAY)
  const standings = async (number = 1) =>
    read({ league: world.open('reader') }, 'league.standings', { query: { season: number } })
  const rowOf = async (i: number, number = 1) => {
    const { rows } = await standings(number)
    const row = rows.find((each) => 'wallet' in each && each.wallet === players[i]!.address)
    if (!row || !('wallet' in row)) throw new Error(`player ${i} has no row`)
    return row
  }
  const ruleOf = async (i: number, rule: string) =>
    (await rowOf(i)).eligibility?.rules.find((each) => each.rule === rule)
  /** A few plain trades on three days, good for this profit. */
  async function play(i: number, profit: number, days = [1.1, 2.1, 3.1]) {
    const wallet = players[i]!.address
    for (const [n, day] of days.entries()) {
      // Nobody right after another: that would be copying.
      const atS = inSeason(day) + i * 120
      const bought = { tokenIn: TOKENS.USDG, amountIn: usd(1_000), tokenOut: ETH, amountOut: E18 / 2n }
      const sold = { tokenIn: ETH, amountIn: E18 / 2n, tokenOut: TOKENS.USDG }
      const back = usd(1_000) + (n === 0 ? usd(profit) : 0n)
      await addTrade(db, wallet, { ...bought, atS })
      await addTrade(db, wallet, { ...sold, atS: atS + 2 * HOUR, amountOut: back })
    }
  }
  const marksOfSeason = (
    priceOf: Parameters<typeof addMarks>[2] = still,
    span = { fromS: first.startsAtS - HOUR, toS: first.endsAtS },
  ) => addMarks(db, span, priceOf)
  const value = () => world.runAt(first.endsAtS + HOUR)
  const decide = () => world.runAt(first.endsAtS + RULES.reviewS + HOUR, 3)

  /** Twelve owners, entered before the first season. */
  beforeEach(async () => {
    await emptyStore(db)
    world = await openLeagueWorld(db, { nowS: FIRST_S - DAY })
    world.vault.perSecond = E18 / 1_000n
    players = []
    for (let i = 0; i < 12; i++) {
      const wallet = await newWallet(db, `player ${i}`)
      players.push(wallet)
      await enterSigned(world, wallet, String(100 + i))
      world.chain.fundings.set(wallet.address, { from: at(0xf000 + i), block: 1_000 + i })
    }
    await world.runAt(FIRST_S + 60)
  })

  it('opens, ends, is valued, reviewed, decided and settled, each once however often it is run', async () => {
    expect((await read(world, 'league')).season).toMatchObject({
      number: 1,
      state: 'open',
      status: 'open',
      day: 1,
    })
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    await world.runAt(inSeason(7), 3)
    expect((await standings()).rows[0]).toMatchObject({
      rank: 1,
      wallet: players[11]!.address,
      score: '11.000000',
      profit_usd: 11,
      trades: 6,
      active_days: 3,
      capital_usd: 1_000,
      return_pct: 1.1,
      live: true,
      place: null,
    })
    // Copies are told at the end, so nobody is eligible yet.
    expect((await standings()).outcome).toMatchObject({ pays: true, eligible_agents: 0, active_clusters: 12 })

    world.goTo(first.endsAtS)
    expect((await read({ league: world.open() }, 'league')).season).toMatchObject({
      number: 2,
      state: 'open',
    })
    await world.runAt(first.endsAtS + 1)
    expect(await standings()).toMatchObject({
      status: 'closing',
      decided: false,
      amounts_basis: 'provisional',
    })
    await value()
    expect(await standings()).toMatchObject({ status: 'provisional', decided: false })
    const { rows } = await standings()
    expect(rows.slice(0, 4).map(({ place }) => place)).toEqual([1, 2, 3, null])

    const other = world.open('two')
    await Promise.all([world.league.runDue(), other.runDue()])
    world.goTo(first.endsAtS + RULES.reviewS)
    await Promise.all([world.league.runDue(), other.runDue(), world.league.runDue()])
    expect(await standings()).toMatchObject({ status: 'decided', decided: true, amounts_basis: 'decided' })
    const record = await read({ league: world.open() }, 'league.season', { params: { n: 1 } })
    // Two weeks at a thousandth a second earn 1,209.6; half of it is the reserve, a third of that the budget.
    expect(record.ledger).toMatchObject({
      status: 'provisional',
      gain: String((1_209_600n * E18) / 1_000n),
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
    await db.transaction((sql) => settleSeason(sql, { season: 1, profile: PROFILE, atS: world.nowS() }))
    expect((await read({ league: world.open() }, 'league.seasons')).seasons).toMatchObject([
      { number: 2, status: 'open', decided: false },
      { number: 1, status: 'settled', decided: true, pays: true, entrants: 12 },
    ])
    expect((await read({ league: world.open() }, 'league.reserve')).rows).toMatchObject([
      { season: 1, status: 'settled', reserve_after: String((403_200n * E18) / 1_000n) },
    ])
    // Settled twice is refused; run again changes nothing.
    await expect(
      db.transaction((sql) => settleSeason(sql, { season: 1, profile: PROFILE, atS: world.nowS() })),
    ).rejects.toThrow(LeagueRefused)
    const before = JSON.stringify((await standings()).rows)
    await world.league.runDue()
    expect(JSON.stringify((await standings()).rows)).toBe(before)
  })

  it('takes a trade mined at its last second, and leaves one at the next second to the next season', async () => {
    await marksOfSeason(still, { fromS: first.startsAtS, toS: first.endsAtS + DAY })
    await addTrade(db, players[0]!.address, { atS: first.endsAtS - 1 })
    await addTrade(db, players[0]!.address, { atS: first.endsAtS })
    await addTrade(db, players[1]!.address, { atS: first.startsAtS })
    await addTrade(db, players[1]!.address, { atS: first.startsAtS - 1 })
    await value()
    expect(await rowOf(0)).toMatchObject({ trades: 1 })
    expect(await rowOf(1)).toMatchObject({ trades: 1 })
    expect(await rowOf(0, 2)).toMatchObject({ trades: 1 })
  })

  it('waits for what was relayed before its end to become final', async () => {
    await marksOfSeason()
    const open = await addTrade(db, players[0]!.address, {
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

  it('counts the gas of a reverted trade, and nothing else of it', async () => {
    await marksOfSeason()
    const { hash } = await addTrade(db, players[0]!.address, { atS: inSeason(2), status: 'reverted' })
    world.chain.gas.set(hash, E18 / 1_000n)
    await world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ trades: 0, active_days: 0, profit_usd: -2, active: false })
  })

  it('leaves a book unvalued where a price was missing, and never at nothing', async () => {
    // No ETH price for half a day.
    await marksOfSeason((token, atS) =>
      token === ETH && atS > inSeason(2) && atS < inSeason(2.5) ? null : still(token),
    )
    const sale = { tokenIn: ETH, amountIn: E18, tokenOut: TOKENS.USDG, amountOut: usd(2_000) }
    await addTrade(db, players[0]!.address, { ...sale, atS: inSeason(2.4) })
    await addTrade(db, players[1]!.address, { ...sale, atS: inSeason(2.6) })
    await world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ profit_usd: null, score: null, unvalued: 1 })
    expect(await ruleOf(0, 'UNVALUED')).toMatchObject({ status: 'flag' })
    expect(await rowOf(1)).toMatchObject({ profit_usd: 0, unvalued: 0 })
    const { rows } = await standings()
    expect(rows.at(-1)).toMatchObject({ wallet: players[0]!.address })
  })

  it('values nothing that is held when no price can be read now', async () => {
    await marksOfSeason((token, atS) => (atS > inSeason(3) ? null : still(token)))
    await addTrade(db, players[0]!.address, { atS: inSeason(2) })
    await world.runAt(inSeason(4))
    expect(await rowOf(0)).toMatchObject({ profit_usd: null, unvalued: 1, trades: 1 })
  })

  it('flags trading back and forth, copying, and strangers’ prices', async () => {
    await marksOfSeason()
    for (let i = 0; i < 6; i++) {
      const atS = inSeason(1 + i)
      await addTrade(db, players[0]!.address, { atS })
      await addTrade(db, players[0]!.address, {
        atS: atS + 60,
        tokenIn: ETH,
        amountIn: E18 / 20n,
        tokenOut: TOKENS.USDG,
        amountOut: usd(99),
      })
      await addTrade(db, players[1]!.address, { atS: atS + 5 })
    }
    await addTrade(db, players[2]!.address, { atS: inSeason(3), amountOut: E18 / 40n })
    await value()
    expect(await ruleOf(0, 'WASH')).toMatchObject({ status: 'flag', reason: '6 round trips within minutes' })
    expect(await ruleOf(1, 'COPY_TRADING')).toMatchObject({ status: 'flag' })
    expect((await rowOf(2)).price_outliers).toBe(1)
    expect(await ruleOf(2, 'PRICE_OUTLIERS')).toMatchObject({ status: 'flag' })
    expect(await ruleOf(0, 'COPY_TRADING')).toMatchObject({ status: 'pass' })
  })

  it('fails who trades its own agent’s token, and flags who trades another entrant’s', async () => {
    await marksOfSeason()
    const own = world.vault.agents.get('100')!.token
    await addTrade(db, players[0]!.address, { atS: inSeason(2), tokenOut: own, amountOut: 5n })
    await addTrade(db, players[1]!.address, { atS: inSeason(2), tokenOut: own, amountOut: 5n })
    await addTrade(db, players[2]!.address, { atS: inSeason(2), tokenOut: at(0x777), amountOut: 5n })
    await world.runAt(inSeason(3))
    expect(await ruleOf(0, 'PARTICIPANT_TOKEN')).toMatchObject({ status: 'fail' })
    expect(await ruleOf(1, 'PARTICIPANT_TOKEN')).toMatchObject({ status: 'flag' })
    expect(await ruleOf(2, 'PARTICIPANT_TOKEN')).toMatchObject({ status: 'pass' })
    // At cost while held, written off at the end.
    expect(await rowOf(2)).toMatchObject({ profit_usd: 0, open_unpriced: 1 })
    await value()
    expect(await rowOf(2)).toMatchObject({ profit_usd: -100, open_unpriced: 1 })
  })

  it('pays one of two entrants of one owner', async () => {
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    // Whoever first funded player 11 funded player 10 too; player 9's agent token went to player 8.
    await db.query('update league_funders set funder = $1 where address = any($2::text[])', [
      at(0xf999),
      [players[10]!.address, players[11]!.address],
    ])
    const token = world.vault.agents.get('109')!.token
    world.chain.transfers.push({
      token,
      from: players[9]!.address,
      to: players[8]!.address,
      block: world.head() + 10,
    })
    await value()
    expect(await rowOf(11)).toMatchObject({ cluster_size: 2, cluster_links: ['funder'], place: 1 })
    expect(await rowOf(10)).toMatchObject({ cluster_size: 2, cluster_links: ['funder'], place: null })
    expect(await ruleOf(10, 'ONE_PER_CLUSTER')).toMatchObject({ status: 'fail' })
    expect(await rowOf(9)).toMatchObject({ cluster_links: ['transfer'], place: 2 })
    expect(await rowOf(8)).toMatchObject({ cluster_links: ['transfer'], place: null })
    expect(await rowOf(7)).toMatchObject({ cluster_size: 1, cluster_links: [], place: 3 })
    expect((await standings()).outcome).toMatchObject({
      active_clusters: 10,
      pays: true,
      eligible_owners: 10,
    })
  })

  it('does not pay a field of fewer than ten owner clusters', async () => {
    await marksOfSeason()
    for (const i of players.keys()) if (i < 9) await play(i, i)
    await decide()
    const record = await standings()
    expect(record.outcome).toMatchObject({ active_clusters: 9, pays: false })
    expect(record.rows.every(({ place }) => place === null)).toBe(true)
    // Nothing is owed: it settles itself, and the reserve keeps what was added.
    expect((await read({ league: world.open() }, 'league.reserve')).rows).toMatchObject([
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
    for (const i of players.keys()) await play(i, i)
    await db.query(
      'update league_entries set confirmed_at_s = null, confirmation = null where wallet = any($1)',
      [[players[11]!.address, players[10]!.address]],
    )
    const confirm = async (i: number) => {
      const wallet = players[i]!
      const made = await call(world, 'league.statement', wallet, { agent_id: String(100 + i) })
      const signature = await wallet.sign(made.message)
      await call(world, 'league.confirm', wallet, { agent_id: String(100 + i), signature, nonce: made.nonce })
    }
    await value()
    expect(await ruleOf(11, 'CONFIRMED')).toMatchObject({ status: 'fail' })
    expect((await rowOf(9)).place).toBe(1)
    await confirm(11)
    expect((await rowOf(11)).place).toBe(1)
    await call(world, 'league.leave', players[8]!, {})
    await db.query('update league_entries set confirmed_at_s = null where wallet = $1', [players[8]!.address])
    expect(await ruleOf(8, 'CONFIRMED')).toMatchObject({ status: 'fail' })
    // It left after the season's end: that season is still its own to confirm.
    await confirm(8)
    expect(await ruleOf(8, 'CONFIRMED')).toMatchObject({ status: 'pass' })
    await decide()
    await expect(confirm(8)).rejects.toMatchObject({ code: 'NOT_ENTERED' })
    await confirm(10)
    await world.runAt(world.nowS() + DAY)
    expect((await rowOf(11)).place).toBe(1)
    expect((await rowOf(9)).place).toBe(2)
    expect(await rowOf(10)).toMatchObject({ place: null })
  })

  it('passes a disqualified winner’s place on, and reviews neither confirmation nor sanctions', async () => {
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    await value()
    const { entry_id: entryId } = await rowOf(11)
    const reviewed = (rule: string, status: 'pass' | 'fail', reason = 'looked at') =>
      db.transaction((sql) =>
        reviewRule(sql, { season: 1, entryId, rule, status, reason, operator: 'op', atS: world.nowS() }),
      )
    for (const rule of ['CONFIRMED', 'SANCTIONS', 'NO_SUCH'])
      await expect(reviewed(rule, 'pass')).rejects.toThrow(LeagueRefused)
    await expect(reviewed('WASH', 'fail', ' ')).rejects.toThrow('needs a reason')
    await reviewed('WASH', 'fail', 'traded with itself through two wallets')
    expect(await rowOf(11)).toMatchObject({ place: null, eligibility: { status: 'fail', eligible: false } })
    expect(await ruleOf(11, 'WASH')).toMatchObject({ reviewed: true, status: 'fail' })
    expect((await rowOf(10)).place).toBe(1)
    world.sanctioned.add(players[10]!.address)
    await decide()
    expect((await rowOf(10)).place).toBeNull()
    expect((await rowOf(9)).place).toBe(1)
    await expect(reviewed('WASH', 'pass')).rejects.toThrow('stays as it was decided')
    await expect(db.query('update league_reviews set status = $1', ['pass'])).rejects.toThrow('only added')
  })

  it('gives a book to who entered before the start and was written down after it', async () => {
    await marksOfSeason()
    // The taker knows the field by now.
    await addTrade(db, players[0]!.address, { atS: FIRST_S + 30 })
    await world.runAt(FIRST_S + 600)
    const late = await newWallet(db, 'late')
    players.push(late)
    world.goTo(FIRST_S - 1)
    await enterSigned(world, late, '200')
    await addTrade(db, late.address, { atS: FIRST_S + 700 })
    const token = world.vault.agents.get('200')!.token
    await addTrade(db, players[0]!.address, { atS: FIRST_S + 900, tokenOut: token, amountOut: 5n })
    await world.runAt(FIRST_S + HOUR, 3)
    expect(await rowOf(12)).toMatchObject({ trades: 1 })
    expect(await ruleOf(0, 'PARTICIPANT_TOKEN')).toMatchObject({ status: 'flag' })
  })

  it('reads transfers again after an outage, and marks only what the node refuses, for an hour', async () => {
    const scans = (where: string) => db.query(`select 1 from league_transfer_scans where ${where}`)
    const minutes = (n: number) => inSeason(1) + n * 60
    world.chain.dropsOnLogs = true
    for (let i = 0; i < 12; i++) {
      world.chain.answering = true
      await world.runAt(minutes(i))
    }
    expect(await scans('unreadable')).toHaveLength(0)
    world.chain.dropsOnLogs = false
    world.chain.answering = true
    world.chain.noLogsOf.add(world.vault.agents.get('100')!.token)
    for (let i = 12; i < 24; i++) await world.runAt(minutes(i))
    expect(await scans('unreadable')).toHaveLength(1)
    expect(await ruleOf(0, 'TRANSFERS')).toMatchObject({ status: 'flag' })
    expect(await ruleOf(1, 'TRANSFERS')).toMatchObject({ status: 'pass' })
    world.chain.noLogsOf.clear()
    await world.runAt(minutes(30))
    expect(await scans('unreadable')).toHaveLength(1)
    await world.runAt(minutes(90), 6)
    expect(await scans('unreadable')).toHaveLength(0)
    expect(await ruleOf(0, 'TRANSFERS')).toMatchObject({ status: 'pass' })
  })

  it('wins nothing for an agent whose wallet the registry moved to a listed address', async () => {
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    const listed = at(0xbad)
    world.sanctioned.add(listed)
    register(world, '111', { owner: players[11]!.address, agentWallet: listed })
    register(world, '110', { owner: players[10]!.address, beneficiary: listed })
    await value()
    expect(await ruleOf(11, 'SANCTIONS')).toMatchObject({
      status: 'fail',
      reason: 'the agent wallet is on the sanctions list',
    })
    expect(await ruleOf(10, 'SANCTIONS')).toMatchObject({ status: 'fail' })
    await decide()
    expect((await rowOf(9)).place).toBe(1)
  })

  it('holds back a payout to a recipient that was listed after the decision', async () => {
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    await decide()
    const atS = world.nowS()
    await db.transaction((sql) => settleSeason(sql, { season: 1, profile: PROFILE, atS }))
    const pay = () =>
      db.transaction((sql) => recordPayout(sql, { season: 1, place: 1, txHash: `0x${'ab'.repeat(32)}`, atS }))
    world.sanctioned.add(players[11]!.address)
    await world.league.runDue()
    await expect(pay()).rejects.toThrow('sanctions list')
    world.sanctioned.clear()
    await world.league.runDue()
    await pay()
  })

  it('is not decided while a winner is in question, until two weeks are over', async () => {
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    world.chain.archive = false
    await db.query(`update league_funders set status = 'pending', looked_at_s = 0, block = null`)
    await decide()
    expect(await ruleOf(11, 'FUNDER')).toMatchObject({
      status: 'flag',
      reason: 'the first funders could not be read',
    })
    expect((await standings()).decided).toBe(false)
    await world.runAt(first.endsAtS + RULES.reviewLatestS, 3)
    expect((await standings()).decided).toBe(true)
    expect((await standings()).rows.every(({ place }) => place === null)).toBe(true)
  })

  it('is decided by no outage of the registry, however long', async () => {
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    await value()
    world.vault.answering = false
    await world.runAt(world.nowS() + HOUR)
    expect(await ruleOf(11, 'OWNER')).toMatchObject({ status: 'pass' })
    await world.runAt(first.endsAtS + RULES.reviewLatestS + DAY, 3)
    expect(await ruleOf(11, 'OWNER')).toMatchObject({ status: 'flag' })
    expect((await standings()).decided).toBe(false)
    world.vault.answering = true
    await world.runAt(world.nowS() + HOUR, 3)
    expect((await standings()).decided).toBe(true)
    expect((await rowOf(11)).place).toBe(1)
  })

  it('marks payouts mined only when the chain shows exactly that transfer', async () => {
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    await decide()
    const atS = world.nowS()
    const pay = (place: number, txHash: string) =>
      db.transaction((sql) => recordPayout(sql, { season: 1, place, txHash, atS }))
    const hash = (n: number) => `0x${n.toString(16).padStart(64, 'e')}`
    await expect(pay(1, hash(1))).rejects.toThrow('settle it first')
    const planned = await db.transaction((sql) => settleSeason(sql, { season: 1, profile: PROFILE, atS }))
    expect(planned.map(({ place, status }) => [place, status])).toEqual([
      [1, 'planned'],
      [2, 'planned'],
      [3, 'planned'],
    ])
    expect(planned[0]?.recipient).toBe(players[11]!.address)
    const transfer = (to: string, amount: bigint, status = '0x1') => ({
      status,
      from: at(0xd15),
      blockNumber: '0x10',
      logs: [
        {
          address: TOKENS.PARTNER,
          topics: [
            '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
            `0x${at(0xd15).slice(2).padStart(64, '0')}`,
            `0x${to.slice(2).padStart(64, '0')}`,
          ],
          data: `0x${amount.toString(16)}`,
        },
      ],
    })
    const [one, two] = planned
    world.chain.receipts.set(hash(1), null)
    world.chain.receipts.set(hash(2), transfer(two!.recipient, BigInt(two!.amount) - 1n))
    world.chain.receipts.set(hash(3), transfer(planned[2]!.recipient, BigInt(planned[2]!.amount), '0x0'))
    for (const place of [1, 2, 3]) await pay(place, hash(place))
    await world.league.runDue()
    const payouts = async () =>
      (await read({ league: world.open() }, 'league.season', { params: { n: 1 } })).payouts.map(
        ({ place, status, tx_hash }) => [place, status, tx_hash],
      )
    expect(await payouts()).toEqual([
      [1, 'planned', hash(1)],
      [2, 'planned', hash(2)],
      [3, 'planned', hash(3)],
    ])
    expect(await world.league.prizePayouts()).toEqual([])
    world.chain.receipts.set(hash(1), transfer(one!.recipient, BigInt(one!.amount)))
    world.chain.receipts.set(hash(4), transfer(two!.recipient, BigInt(two!.amount)))
    await pay(2, hash(4))
    await db.transaction((sql) =>
      recordWithdrawal(sql, { season: 1, txHash: hash(9), amount: 7n, atS, note: 'for the prizes' }),
    )
    await world.league.runDue()
    expect((await payouts()).map(([, status]) => status)).toEqual(['mined', 'mined', 'planned'])
    await expect(pay(1, hash(5))).rejects.toThrow('is paid')
    const [paid] = await world.league.prizePayouts()
    expect(paid).toMatchObject({
      season: { id: 1 },
      symbol: 'PARTNER',
      distributor: at(0xd15),
      recipients: [
        { rank: 1, share_bps: 5_000, tx_hash: hash(1) },
        { rank: 2, share_bps: 3_000, tx_hash: hash(4) },
      ],
      stake_withdrawal: { amount: '7', note: 'for the prizes' },
      note: '1 more are planned',
    })
  })

  it('keeps an incomplete ledger until what lacks is there, or an operator says it', async () => {
    await marksOfSeason((token, atS) =>
      token === TOKENS.PARTNER && atS > inSeason(13) ? null : still(token),
    )
    for (const i of players.keys()) await play(i, i)
    await decide()
    const ledger = async () => (await read({ league: world.open() }, 'league.reserve')).rows[0]
    expect(await ledger()).toMatchObject({
      status: 'incomplete',
      budget: null,
      shares: [],
      partner_usd: null,
    })
    expect((await ledger())?.why).toContain('no mark')
    const atS = world.nowS()
    await expect(
      db.transaction((sql) => settleSeason(sql, { season: 1, profile: PROFILE, atS })),
    ).rejects.toThrow('incomplete')
    const partnerPriceE18 = E18 / 4n
    await db.transaction((sql) => settleSeason(sql, { season: 1, profile: PROFILE, atS, partnerPriceE18 }))
    expect(await ledger()).toMatchObject({ status: 'settled', mark_source: 'manual', partner_usd: 0.25 })
    expect((await rowOf(11)).prize_atoms).toBe(String((100_800n * E18) / 1_000n))
  })

  it('counts gains that were taken out of the stake during the season', async () => {
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    await world.runAt(inSeason(5))
    world.vault.withdrawals.push({ block: world.head() + 100, amount: 300n * E18 })
    await world.runAt(inSeason(6))
    const estimate = (await read({ league: world.open() }, 'league')).reserve.estimate
    expect(estimate).toMatchObject({ status: 'estimate', reserve_before: '0' })
    expect(BigInt(estimate!.gain_so_far!)).toBeGreaterThan((6n * 86_000n * E18) / 1_000n)
    await decide()
    expect((await read({ league: world.open() }, 'league.reserve')).rows[0]).toMatchObject({
      gain: String((1_209_600n * E18) / 1_000n),
    })
  })

  it('marks seasons missed that nobody opened, and goes on with the one that runs', async () => {
    await world.runAt(season(4).startsAtS + DAY, 3)
    expect((await read({ league: world.open() }, 'league.seasons')).seasons).toMatchObject([
      { number: 4, status: 'open', missed: false, entrants: 12 },
      { number: 3, status: 'settled', missed: true, pays: false, entrants: 0 },
      { number: 2, missed: true },
      { number: 1, missed: false },
    ])
    expect((await standings(3)).rows).toEqual([])
  })

  it('leaves who left out of the prizes, and its later trades out of its book', async () => {
    await marksOfSeason()
    for (const i of players.keys()) await play(i, i)
    await world.runAt(inSeason(4))
    await call(world, 'league.leave', players[11]!, {})
    await addTrade(db, players[11]!.address, { atS: inSeason(5) })
    await value()
    expect(await rowOf(11)).toMatchObject({ left: true, trades: 6, place: null, live: false })
    expect(await ruleOf(11, 'STAYED')).toMatchObject({ status: 'fail' })
    expect((await rowOf(10)).place).toBe(1)
    expect((await standings(2)).rows).toHaveLength(11)
  })

  it('comes to the same when trades become final late, and one after the other', async () => {
    await marksOfSeason((token, atS) => (token === ETH ? 2_000 + ((atS / 1_800) % 97) : still(token)))
    const late = await addTrade(db, players[0]!.address, { atS: inSeason(1), settled: false })
    await addTrade(db, players[0]!.address, { atS: inSeason(2) })
    await addTrade(db, players[1]!.address, { atS: inSeason(1) })
    await addTrade(db, players[1]!.address, { atS: inSeason(2) })
    await world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ trades: 1 })
    expect(await rowOf(1)).toMatchObject({ trades: 2 })
    await db.query('update trades set settled = true where id = $1', [late.id])
    await world.runAt(inSeason(4))
    const [a, b] = [await rowOf(0), await rowOf(1)]
    expect({ ...a, profit_usd: b.profit_usd }).toMatchObject({
      trades: 2,
      score: b.score,
      max_dd_pct: b.max_dd_pct,
      capital_usd: b.capital_usd,
    })
  })

  it('does not take a lost receipt’s gas for nothing', async () => {
    await marksOfSeason()
    const { hash } = await addTrade(db, players[0]!.address, { atS: inSeason(2) })
    world.chain.gas.set(hash, null)
    await world.runAt(inSeason(2) + 600)
    expect(await rowOf(0)).toMatchObject({ trades: 0 })
    await world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ trades: 1, profit_usd: null, unvalued: 1 })
  })

  it('goes on where the chain was silent', async () => {
    await marksOfSeason()
    await addTrade(db, players[0]!.address, { atS: inSeason(2) })
    world.chain.answering = false
    await world.runAt(inSeason(3))
    expect(await rowOf(0)).toMatchObject({ trades: 0 })
    world.chain.answering = true
    await world.runAt(inSeason(3) + 60)
    expect(await rowOf(0)).toMatchObject({ trades: 1 })
  })

  it('starts where it is told, and not elsewhere once it was played', async () => {
    const ask = (setting: string | null, kind = 'devnet', first: string | null = null) => {
      const profile = { ...PROFILE, kind, league: { ...PROFILE.league, first_season: first } } as ChainProfile
      return readStart({ db, clock: world.clock, profile, setting })
    }
    expect(await ask('2026-01-05')).toBe(FIRST_S)
    expect(await ask(null, 'mainnet', '2026-01-05')).toBe(FIRST_S)
    expect(await ask(null, 'mainnet')).toBeNull()
    await expect(ask('2026-01-06')).rejects.toThrow('not a Monday')
    await expect(ask('2026-01-12')).rejects.toThrow('season 1 began on 2026-01-05')
    // A devnet keeps the week its store first saw.
    expect(await ask(null)).toBe(FIRST_S)
    world.goTo(FIRST_S + 30 * DAY)
    expect(await ask(null)).toBe(FIRST_S)
  })

  describe('an owner', () => {
    it('who sold the agent is flagged', async () => {
      await marksOfSeason()
      register(world, '100', { owner: at(0xabc) })
      world.vault.agents.delete('101')
      await world.runAt(inSeason(1))
      expect(await ruleOf(0, 'OWNER')).toMatchObject({ status: 'flag' })
      expect(await ruleOf(1, 'OWNER')).toMatchObject({ status: 'fail' })
      world.vault.answering = false
      await world.runAt(inSeason(2))
      expect(await ruleOf(2, 'OWNER')).toMatchObject({
        status: 'flag',
        reason: 'the registry could not be read',
      })
    })
  })
})
