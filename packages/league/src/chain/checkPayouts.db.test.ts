import type { Address, Hex } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { at, TOKENS } from '../../test/leagueWorld.ts'
import { playedSeason } from '../../test/playedSeason.ts'

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, 'e')}`
const payer = at(0xd15)
type Move = { from: Address; to: Address; atoms: bigint }

withDb('payouts on chain', (db) => {
  const game = playedSeason(db)

  it('count once they are deep, from another sender, and independently of each other', async () => {
    await game.marksOfSeason()
    for (const i of game.players.keys()) await game.play(i, i)
    await game.decide()
    const { world } = game
    const atS = world.nowS()
    const planned = await game.settle()
    const [one, two] = planned.map(({ recipient, amount }) => ({
      to: recipient as Address,
      atoms: BigInt(amount),
    }))
    const mine = (tx: Hex, moves: Move[], own: { from?: Address; block?: number } = {}) =>
      world.chain.add(
        {
          hash: tx,
          from: own.from ?? payer,
          moves: moves.map((move) => ({ token: TOKENS.PARTNER, ...move })),
        },
        own.block ?? 16,
      )
    const { pay } = game
    const look = async () => {
      await world.runDue()
      return db.query<{ status: string; problem: string | null }>(
        'select status, problem from league_payouts where season = 1 order by place limit 2',
      )
    }

    mine(hash(1), [{ from: payer, ...one! }], { block: world.chain.head() - 5 })
    mine(hash(2), [{ from: two!.to, ...two! }])
    await pay(1, hash(1))
    await pay(2, hash(2))
    expect(await look()).toEqual([
      { status: 'planned', problem: null },
      { status: 'planned', problem: `it moved 0 atoms to the recipient, not ${two!.atoms}` },
    ])
    mine(hash(3), [{ from: payer, ...two! }], { from: two!.to })
    await pay(2, hash(3))
    expect((await look())[1]).toEqual({ status: 'planned', problem: 'the recipient sent it itself' })
    mine(hash(4), [
      { from: payer, ...two! },
      { from: two!.to, to: payer, atoms: 1n },
    ])
    await pay(2, hash(4))
    expect((await look())[1]?.problem).toContain(`it moved ${two!.atoms - 1n} atoms`)

    world.node.failing.add(hash(1))
    mine(hash(5), [{ from: payer, ...two! }])
    await pay(2, hash(5))
    expect((await look()).map(({ status }) => status)).toEqual(['planned', 'mined'])
    world.node.failing.clear()
    world.goTo(atS + 600)
    expect((await look()).map(({ status }) => status)).toEqual(['mined', 'mined'])
  })
})
