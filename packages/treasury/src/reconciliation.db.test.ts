import { withDb } from '@pit/platform/test/withStore'
import type { Answer } from '@pit/protocol'
import { beforeEach, expect, it } from 'vitest'
import {
  bookFee,
  ETHER,
  MEME,
  MONDAY_S,
  NVDA,
  openTestTreasury,
  PLATFORM,
  STRANGER,
  type TestTreasury,
  TRADER,
  USD_E18,
  USDG,
} from '../test/openTestTreasury.ts'
import { WEEK_S } from './rules/weeks.ts'

const GWEI = 10n ** 9n

withDb('the ledger and the chain', (db) => {
  let world: TestTreasury
  /** A block this long after the first Monday. */
  const blockAt = (afterS: number) => world.chain.blockAt(MONDAY_S + afterS)
  /** The chain and the clock come to a time. */
  const goTo = (atS: number) => {
    world.clock.atS = atS
    world.chain.mineTo(world.chain.blockAt(atS))
  }
  const markAll = async (endS: number) => {
    await world.mark(ETHER, endS - 60, 2_000n * USD_E18)
    await world.mark(USDG, endS - 60, USD_E18)
  }
  const labels = ({ weeks }: Answer<'treasury'>) => weeks.map(({ week, status }) => `${week.label} ${status}`)
  const closeFirst = async () => {
    await markAll(MONDAY_S + WEEK_S)
    goTo(MONDAY_S + WEEK_S + 700)
    return world.treasury.closeDueWeeks()
  }
  beforeEach(async () => {
    world = await openTestTreasury(db)
    goTo(MONDAY_S)
    await world.treasury.closeDueWeeks()
  })

  it('hold a week open while they differ, until an operator says why', async () => {
    await world.trade({ token: ETHER, atoms: 3_000n * GWEI, arrives: 0n, block: blockAt(5_000) })
    await world.trade({ token: USDG, atoms: 1_000_000n, arrives: 999_000n, block: blockAt(6_000) })
    await world.trade({ token: USDG, atoms: 500_000n, block: blockAt(7_000) })
    expect(await closeFirst()).toMatchObject([{ kind: 'waits', differences: 2 }])
    // The running week is previewed on top of the one that waits.
    const waiting = await world.answer()
    expect(labels(waiting)).toEqual(['2026-W32 preview', '2026-W31 preview'])
    expect(waiting.weeks[1]?.reconciliation).toMatchObject({ status: null, counts: { differences: 2 } })

    const closing = await world.treasury.closeWeek({ accept: 'two fees went astray', early: false })
    expect(closing).toMatchObject({
      kind: 'closed',
      row: {
        reconciliation: {
          status: 'accepted',
          accepted: 'two fees went astray',
          counts: { agrees: 1, differences: 2, outside_ledger: 0 },
        },
      },
    })
    const { weeks, totals } = await world.answer()
    // Amounts that did not arrive are not split.
    expect(weeks[1]?.tokens.map(({ symbol, received }) => [symbol, received])).toEqual([
      ['ETH', '0'],
      ['USDG', '1499000'],
    ])
    expect(totals.find(({ symbol }) => symbol === 'USDG')).toMatchObject({ held: '1499000' })
  })

  it('count a fee once that is booked after its week: it came in as outside', async () => {
    const hash = await world.trade({ token: USDG, atoms: 1_000_000n, booked: false, block: blockAt(5_000) })
    await closeFirst()
    const [trade] = await db.query<{ id: number; block: number; mined_at_s: number }>(
      'select id, block, mined_at_s from trades',
    )
    await bookFee(db, {
      tradeId: trade!.id,
      token: USDG,
      atoms: 1_000_000n,
      hash,
      block: trade!.block,
      timeS: trade!.mined_at_s,
    })
    await world.trade({ token: USDG, atoms: 30_000n, block: blockAt(WEEK_S + 5_000) })
    await markAll(MONDAY_S + 2 * WEEK_S)
    goTo(MONDAY_S + 2 * WEEK_S + 700)
    await world.treasury.closeDueWeeks()
    const { weeks, totals } = await world.answer()
    expect(weeks[2]?.tokens).toMatchObject([{ received: '0', outside: '1000000' }])
    expect(weeks[1]?.tokens).toMatchObject([{ received: '30000', outside: '0', trades: 1 }])
    expect(weeks[1]?.reconciliation.ledger).toMatchObject({ late: 1 })
    expect(totals).toMatchObject([{ held: '1030000', received: '30000', outside: '1000000' }])
  })

  it('differ over a fee that is booked after its week and never came', async () => {
    const hash = await world.trade({
      token: USDG,
      atoms: 1_000_000n,
      arrives: 0n,
      booked: false,
      block: blockAt(5_000),
    })
    await closeFirst()
    const [trade] = await db.query<{ id: number; block: number; mined_at_s: number }>(
      'select id, block, mined_at_s from trades',
    )
    const { id: tradeId, block, mined_at_s: timeS } = trade!
    await bookFee(db, { tradeId, token: USDG, atoms: 1_000_000n, hash, block, timeS })
    goTo(MONDAY_S + 2 * WEEK_S + 700)
    expect(await world.treasury.closeDueWeeks()).toMatchObject([{ kind: 'waits', differences: 1 }])
  })

  it('carry tokens without a price and amounts below a cent until they can be split', async () => {
    await world.trade({ token: NVDA, atoms: 10n ** 16n, block: blockAt(5_000) })
    await world.trade({ token: MEME, atoms: 777n, arrives: 0n, block: blockAt(6_000) })
    await world.trade({ token: USDG, atoms: 9_999n, block: blockAt(7_000) })
    await closeFirst()
    const first = (await world.answer()).weeks[1]!
    expect(first.tokens.map(({ token, status, carried_out }) => [token, status, carried_out])).toEqual([
      [MEME, 'unpriced', '777'],
      [USDG, 'dust', '9999'],
      [NVDA, 'unpriced', '10000000000000000'],
    ])
    await world.trade({ token: USDG, atoms: 1n, block: blockAt(WEEK_S + 5_000) })
    await world.mark(NVDA, MONDAY_S + 2 * WEEK_S - 120, 150n * USD_E18)
    await markAll(MONDAY_S + 2 * WEEK_S)
    goTo(MONDAY_S + 2 * WEEK_S + 700)
    await world.treasury.closeDueWeeks()
    const second = (await world.answer()).weeks[1]!
    // MEME is unchanged since the last row that lists it.
    expect(
      second.tokens.map(({ token, status, carried_in, pool }) => [token, status, carried_in, pool]),
    ).toEqual([
      [USDG, 'split', '9999', '10000'],
      [NVDA, 'split', '10000000000000000', '10000000000000000'],
    ])
    expect((await world.answer()).totals.map(({ token }) => token)).toEqual([MEME, USDG, NVDA])
  })

  it('are matched by balances if the node does not trace, even if the wallet itself sends', async () => {
    world.chain.options.traces = false
    await world.trade({ token: ETHER, atoms: 5_000_000n * GWEI, block: blockAt(5_000) })
    // In one block: a fee, a gift, and the platform wallet sends some away.
    const block = blockAt(50_000)
    await world.trade({ token: ETHER, atoms: 2_000_000n * GWEI, block })
    world.gift({ token: ETHER, atoms: 300n * GWEI, block })
    const out = { token: ETHER, from: PLATFORM, to: STRANGER, atoms: 1_000_000n * GWEI }
    world.chain.add({ from: PLATFORM, to: STRANGER, moves: [out] }, block)
    world.chain.add({ from: PLATFORM, to: STRANGER, moves: [out], reverted: true }, blockAt(60_000))
    await closeFirst()
    const { weeks } = await world.answer()
    expect(weeks[1]).toMatchObject({
      tokens: [{ received: '7000000000000000', outside: '300000000000', trades: 2, outside_trades: 1 }],
      reconciliation: { eth: 'balance', counts: { agrees: 2, differences: 0, outside_ledger: 1 } },
    })
  })

  it('exclude the wallet’s own transfers if the node traces', async () => {
    const block = blockAt(50_000)
    await world.trade({ token: ETHER, atoms: 2_000_000n * GWEI, block })
    const out = { token: ETHER, from: PLATFORM, to: STRANGER, atoms: 500_000n * GWEI }
    world.chain.add({ from: PLATFORM, to: STRANGER, moves: [out] }, block)
    world.gift({ token: ETHER, atoms: 9n, block: block + 3 })
    await closeFirst()
    expect((await world.answer()).weeks[1]).toMatchObject({
      tokens: [{ received: '2000000000000000', outside: '9' }],
      reconciliation: { eth: 'trace', counts: { agrees: 1, outside_ledger: 1 } },
    })
  })

  it('trace nothing in a block whose gain is its fees, and then paying trades before others', async () => {
    const { chain } = world
    const block = blockAt(50_000)
    const crowd = () => {
      for (let n = 0; n < 40; n++) chain.add({ from: STRANGER, to: TRADER, moves: [] }, block)
    }
    crowd()
    await world.trade({ token: ETHER, atoms: 2_000_000n * GWEI, block })
    crowd()
    goTo(MONDAY_S + 60_000)
    await world.treasury.closeDueWeeks()
    expect(chain.callsOf('debug_traceTransaction')).toBe(0)
    // Through a contract, without a trade: in a separate block, and beside a trade.
    const inner = [{ token: ETHER, from: STRANGER, to: PLATFORM, atoms: 5n }]
    chain.add({ from: TRADER, to: STRANGER, moves: inner }, blockAt(70_000))
    await world.trade({ token: ETHER, atoms: 3_000_000n * GWEI, block: blockAt(80_000) })
    chain.add({ from: TRADER, to: STRANGER, moves: inner }, blockAt(80_000))
    await closeFirst()
    expect(chain.callsOf('debug_traceTransaction')).toBe(4)
    expect((await world.answer()).weeks[1]).toMatchObject({
      tokens: [{ received: '5000000000000000', outside: '10', trades: 2, outside_trades: 2 }],
      reconciliation: { eth: 'trace', counts: { agrees: 2, outside_ledger: 2 } },
    })
  })

  it('find the wallet’s own spending in a week too busy to read every block', async () => {
    world.chain.options.traces = false
    const each = 1_000_000n * GWEI
    for (let n = 1; n <= 950; n++) await world.trade({ token: ETHER, atoms: each, block: blockAt(n * 600) })
    const out = { token: ETHER, from: PLATFORM, to: STRANGER, atoms: 400n * each }
    world.chain.add({ from: PLATFORM, to: STRANGER, moves: [out] }, blockAt(940 * 600))
    expect(await closeFirst()).toMatchObject([
      { kind: 'closed', row: { tokens: [{ received: String(950n * each), outside: '0' }] } },
    ])
  })

  it('use the ledger if the node lost the ETH history, and correct it afterwards', async () => {
    // Down over the end of the week, on a node that keeps little state.
    await world.trade({ token: ETHER, atoms: 3_000n * GWEI, block: blockAt(WEEK_S - 5_000) })
    world.gift({ token: ETHER, atoms: 40n, block: blockAt(WEEK_S - 4_000) })
    await world.trade({ token: ETHER, atoms: 7_000n * GWEI, block: blockAt(WEEK_S + 5_000) })
    goTo(MONDAY_S + WEEK_S + 9_000)
    await markAll(MONDAY_S + WEEK_S)
    world.chain.stateFrom = blockAt(WEEK_S + 8_000)
    await world.treasury.closeDueWeeks()
    await markAll(MONDAY_S + 2 * WEEK_S)
    goTo(MONDAY_S + 2 * WEEK_S + 700)
    await world.treasury.closeDueWeeks()
    const { weeks, totals } = await world.answer()
    expect(weeks[2]).toMatchObject({
      tokens: [{ received: '3000000000000', outside: '0' }],
      reconciliation: { eth: 'ledger', status: 'agrees' },
    })
    // The gift was in the balance all along: the next row has it.
    expect(weeks[1]).toMatchObject({
      tokens: [{ received: '7000000000000', outside: '40' }],
      reconciliation: { eth: 'balance', status: 'agrees' },
    })
    expect(totals).toMatchObject([{ held: '10000000000040' }])
  })

  it('count ETH from the first reading if the node has no older state', async () => {
    world = await openTestTreasury(db)
    goTo(MONDAY_S + 50_000)
    await world.trade({ token: ETHER, atoms: 3_000n * GWEI, block: blockAt(5_000) })
    world.chain.stateFrom = blockAt(45_000)
    await world.treasury.closeDueWeeks()
    await world.trade({ token: ETHER, atoms: 8_000n * GWEI, block: blockAt(90_000) })
    world.gift({ token: ETHER, atoms: 6n, block: blockAt(95_000) })
    await closeFirst()
    expect((await world.answer()).weeks[1]).toMatchObject({
      tokens: [{ received: '11000000000000', outside: '6' }],
      reconciliation: { eth: 'ledger', counts: { agrees: 2, outside_ledger: 1, differences: 0 } },
    })
  })

  it('are read in pieces if a node limits ranges, and continue after an outage', async () => {
    world.chain.options.maxLogBlocks = 50
    await world.trade({ token: USDG, atoms: 1_000_000n, block: blockAt(5_000) })
    await world.trade({ token: USDG, atoms: 2_000_000n, block: blockAt(500_000) })
    goTo(MONDAY_S + 300_000)
    await world.treasury.closeDueWeeks()
    world.chain.isDown = true
    await expect(world.treasury.closeDueWeeks()).rejects.toThrow('refused')
    world.chain.isDown = false
    expect(await closeFirst()).toMatchObject([
      { kind: 'closed', row: { tokens: [{ received: '3000000', outside: '0' }] } },
    ])
  })

  it('are read again if the chain was reorganised', async () => {
    await world.trade({ token: USDG, atoms: 1_000_000n, block: blockAt(5_000) })
    world.gift({ token: ETHER, atoms: 7n, block: blockAt(6_000) })
    goTo(MONDAY_S + 20_000)
    await world.treasury.closeDueWeeks()
    // Another chain: every block has another hash.
    world.chain.on('eth_getBlockByNumber', (_, usual) => {
      const block = usual() as { hash: string }
      return { ...block, hash: `${block.hash.slice(0, -2)}${block.hash.endsWith('00') ? '01' : '00'}` }
    })
    await world.treasury.closeDueWeeks()
    expect(await closeFirst()).toMatchObject([
      {
        kind: 'closed',
        row: {
          tokens: [
            { token: ETHER, received: '0', outside: '7' },
            { token: USDG, received: '1000000', outside: '0' },
          ],
        },
      },
    ])
  })
})
