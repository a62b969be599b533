import { ERC20_TRANSFER_TOPIC } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { at, TOKENS } from '../../test/leagueWorld.ts'
import { playedSeason } from '../../test/playedSeason.ts'

const word = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`
const hash = (n: number): string => `0x${n.toString(16).padStart(64, 'e')}`
const payer = at(0xd15)
type Move = { from: string; to: string; amount: bigint }

withDb('payouts on chain', (db) => {
  const game = playedSeason(db)

  it('count once they are deep, from somebody else, and whatever happens to the others', async () => {
    await game.marksOfSeason()
    for (const i of game.players.keys()) await game.play(i, i)
    await game.decide()
    const { world } = game
    const atS = world.nowS()
    const planned = await game.settle()
    const [one, two] = planned.map(({ recipient, amount }) => ({ to: recipient, amount: BigInt(amount) }))
    const mine = (tx: string, moves: Move[], own: { from?: string; block?: number } = {}) =>
      world.chain.receipts.set(tx, {
        status: '0x1',
        from: own.from ?? payer,
        blockNumber: `0x${(own.block ?? 16).toString(16)}`,
        logs: moves.map(({ from, to, amount }) => ({
          address: TOKENS.PARTNER,
          topics: [ERC20_TRANSFER_TOPIC, word(from), word(to)],
          data: `0x${amount.toString(16)}`,
        })),
      })
    const { pay } = game
    const look = async () => {
      await world.league.runDue()
      return db.query<{ status: string; problem: string | null }>(
        'select status, problem from league_payouts where season = 1 order by place limit 2',
      )
    }

    mine(hash(1), [{ from: payer, ...one! }], { block: world.head() - 5 })
    mine(hash(2), [{ from: two!.to, ...two! }])
    await pay(1, hash(1))
    await pay(2, hash(2))
    expect(await look()).toEqual([
      { status: 'planned', problem: null },
      { status: 'planned', problem: `it moved 0 atoms to the recipient, not ${two!.amount}` },
    ])
    mine(hash(3), [{ from: payer, ...two! }], { from: two!.to })
    await pay(2, hash(3))
    expect((await look())[1]).toEqual({ status: 'planned', problem: 'the recipient sent it itself' })
    mine(hash(4), [
      { from: payer, ...two! },
      { from: two!.to, to: payer, amount: 1n },
    ])
    await pay(2, hash(4))
    expect((await look())[1]?.problem).toContain(`it moved ${two!.amount - 1n} atoms`)

    world.chain.failing.add(hash(1))
    mine(hash(5), [{ from: payer, ...two! }])
    await pay(2, hash(5))
    expect((await look()).map(({ status }) => status)).toEqual(['planned', 'mined'])
    world.chain.failing.clear()
    world.goTo(atS + 600)
    expect((await look()).map(({ status }) => status)).toEqual(['mined', 'mined'])
  })
})
