import type { Address, Hex } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { at, E18, read, TOKENS } from '../../test/leagueWorld.ts'
import { playedSeason, seasonMark } from '../../test/playedSeason.ts'
import { recordWithdrawal } from '../index.ts'

withDb('the reserve', (db) => {
  const game = playedSeason(db)
  const { inSeason, rowOf, play, marksOfSeason, decide } = game

  it('marks payouts mined only when the chain shows exactly that transfer', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    await decide()
    const atS = game.world.nowS()
    const { pay } = game
    const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, 'e')}`
    await expect(pay(1, hash(1))).rejects.toThrow('settle it first')
    const planned = await game.settle()
    expect(planned.map(({ place, status }) => [place, status])).toEqual([
      [1, 'planned'],
      [2, 'planned'],
      [3, 'planned'],
    ])
    expect(planned[0]?.recipient).toBe(game.players[11]!.address)
    const transfer = (n: number, { recipient, amount }: { recipient: string; amount: string }, own = {}) => {
      const move = { from: at(0xd15), to: recipient as Address, atoms: BigInt(amount) }
      const moves = [{ token: TOKENS.PARTNER, ...move }]
      game.world.chain.add({ hash: hash(n), from: at(0xd15), moves, ...own }, 16)
    }
    const [one, two] = planned
    game.world.node.gas.set(hash(1), null)
    transfer(2, { ...two!, amount: String(BigInt(two!.amount) - 1n) })
    transfer(3, planned[2]!, { reverted: true })
    for (const place of [1, 2, 3]) await pay(place, hash(place))
    await game.world.runDue()
    const payouts = async () =>
      (await read({ league: game.world.open() }, 'league.season', { params: { n: 1 } })).payouts.map(
        ({ place, status, tx_hash }) => [place, status, tx_hash],
      )
    expect(await payouts()).toEqual([
      [1, 'planned', hash(1)],
      [2, 'planned', hash(2)],
      [3, 'planned', hash(3)],
    ])
    expect(await game.world.league.prizePayouts()).toEqual([])
    transfer(1, one!)
    transfer(4, two!)
    await pay(2, hash(4))
    await db.transaction((sql) =>
      recordWithdrawal(sql, { season: 1, txHash: hash(9), amount: 7n, atS, note: 'for the prizes' }),
    )
    await game.world.runDue()
    expect((await payouts()).map(([, status]) => status)).toEqual(['mined', 'mined', 'planned'])
    await expect(pay(1, hash(5))).rejects.toThrow('is paid')
    const [paid] = await game.world.league.prizePayouts()
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
    const { before, added, paid: sum, after } = paid!.reserve
    expect(BigInt(after)).toBe(BigInt(before) + BigInt(added) - BigInt(sum))
  })

  it('holds back a payout to a recipient that was listed after the decision', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    await decide()
    await game.settle()
    const pay = () => game.pay(1, `0x${'ab'.repeat(32)}`)
    game.world.sanctioned.add(game.players[11]!.address)
    // By the list as it is now, and by the jobs' mark, whichever is first.
    await expect(pay()).rejects.toThrow('sanctions list')
    await game.world.runDue()
    game.world.sanctioned.clear()
    await expect(pay()).rejects.toThrow('sanctions list')
    game.world.sanctioned.clear()
    await game.world.runDue()
    await pay()
  })

  it('keeps an incomplete ledger until the missing value is read or supplied by an operator', async () => {
    await marksOfSeason((token, atS) =>
      token === TOKENS.PARTNER && atS > inSeason(13) ? null : seasonMark(token, atS),
    )
    for (const i of game.players.keys()) await play(i, i)
    await decide()
    const ledger = async () => (await read({ league: game.world.open() }, 'league.reserve')).rows[0]
    expect(await ledger()).toMatchObject({
      status: 'incomplete',
      budget: null,
      shares: [],
      partner_usd: null,
    })
    expect((await ledger())?.why).toContain('no mark')
    await expect(game.settle()).rejects.toThrow('incomplete')
    const partnerPriceE18 = E18 / 4n
    await game.settle({ partnerPriceE18 })
    expect(await ledger()).toMatchObject({ status: 'settled', mark_source: 'manual', partner_usd: 0.25 })
    expect((await rowOf(11)).prize_atoms).toBe(String((100_800n * E18) / 1_000n))
  })

  it('counts gains that were taken out of the stake during the season', async () => {
    await marksOfSeason()
    for (const i of game.players.keys()) await play(i, i)
    await game.world.runAt(inSeason(5))
    game.world.vault.withdrawals.push({ block: game.world.chain.head() + 100, amount: 300n * E18 })
    await game.world.runAt(inSeason(6))
    const estimate = (await read({ league: game.world.open() }, 'league')).reserve.estimate
    expect(estimate).toMatchObject({ status: 'estimate', reserve_before: '0' })
    expect(BigInt(estimate!.gain_so_far!)).toBeGreaterThan((6n * 86_000n * E18) / 1_000n)
    await decide()
    expect((await read({ league: game.world.open() }, 'league.reserve')).rows[0]).toMatchObject({
      gain: String((1_209_600n * E18) / 1_000n),
    })
  })
})
