import type { Hex } from '@pit/chain'
import { type Intent, leafIntent } from './intent.ts'
import { amountsOf, type Swap, swapCall, tradeIntent, USD, type Use, wordOf } from './orderKit.ts'
import { BUY, type OrderStage, SALE } from './orderStage.ts'
import type { Granted } from './world.ts'

/** Trades of a compromised server in sessions whose owner signs orders; each with the rule that refuses it. */

export interface Attempt {
  intent: Intent
  /** One of these refuses it: a rule, or the code of a request that cannot be read. */
  rules: readonly string[]
}
export type MakeAttempt = (stage: OrderStage, kind: string) => Attempt

interface Trade {
  session: Granted
  swap: Swap
  use?: Use
  more?: object
}
/** A trade, and the rule that refuses it. */
const trade =
  (rule: string, make: (stage: OrderStage) => Trade): MakeAttempt =>
  (stage, kind) => ({ intent: tradeIntent(stage.world, kind, make(stage)), rules: [rule] })

/** More than an amount, by one atom or by any factor. */
const above = ({ world: { random } }: OrderStage, amount: bigint): bigint =>
  random.chance(0.5) ? amount + 1n : amount + 1n + (amount * BigInt(random.below(200))) / 100n
const smaller = ({ world: { random } }: OrderStage, swap: Swap): Swap => ({
  ...swap,
  microUsd: 1_000_000 + random.below(swap.microUsd - 1_000_000),
})
const amountOf = (stage: OrderStage, swap: Swap): bigint => amountsOf(stage.world, swap).amountIn
/** The same value and minimum, with more input. */
const larger = (stage: OrderStage, swap: Swap): Swap => {
  const amountIn = above(stage, amountOf(stage, swap))
  const microUsd = Number((BigInt(swap.microUsd) * amountIn) / amountOf(stage, swap))
  return { ...swap, microUsd, amountIn }
}

const UNSIGNED: Record<string, MakeAttempt> = {
  'an unsigned trade': trade('SIGNATURE_REQUIRED', (stage) => ({
    session: stage.main,
    swap: smaller(stage, stage.world.random.pick([SALE, BUY])),
  })),
  'an unsigned trade over the amount': trade('SIGNATURE_REQUIRED', ({ aging, world }) => ({
    session: aging.above,
    swap: { ...SALE, microUsd: 20 * USD + 10_000 + world.random.below(100 * USD) },
  })),
  'unsigned trades split below the amount': trade('SIGNATURE_REQUIRED', ({ aging, world }) => ({
    session: aging.above,
    swap: { ...SALE, microUsd: 5 * USD + 50_000 + world.random.below(14 * USD) },
  })),
}

const BUDGETS: Record<string, MakeAttempt> = {
  'more than the order': trade('ORDER_AMOUNT', (stage) => ({
    session: stage.main,
    swap: larger(stage, SALE),
    use: { id: stage.orders.open, part: 1 + stage.world.random.below(100) },
  })),
  'a second trade beyond the budget': trade('ORDER_AMOUNT', (stage) => ({
    session: stage.aging.session,
    swap: smaller(stage, SALE),
    use: { id: stage.aging.orders.spent, part: 2 + stage.world.random.below(1_000) },
  })),
  'a group’s budget twice': trade('ORDER_AMOUNT', (stage) => ({
    session: stage.aging.session,
    swap: smaller(stage, SALE),
    use: { id: stage.aging.orders.second, part: 1 + stage.world.random.below(100) },
  })),
  'an exit before its entry traded': trade('ORDER_AMOUNT', (stage) => ({
    session: stage.main,
    swap: smaller(stage, BUY),
    use: { id: stage.orders.exit },
  })),
  'an exit of an entry that is not settled': trade('ORDER_AMOUNT', (stage) => ({
    session: stage.aging.session,
    swap: smaller(stage, BUY),
    use: { id: stage.aging.orders.exit },
  })),
  'an exit beyond its entry’s fill': trade('ORDER_AMOUNT', (stage) => {
    const amountIn = above(stage, stage.chain.received)
    return {
      session: stage.chain.session,
      swap: { side: 'buy', microUsd: Number(amountIn), amountIn },
      use: { id: stage.chain.exit, part: 1 + stage.world.random.below(10) },
    }
  }),
  'a larger amount for a signed part': trade('ORDER_AMOUNT', (stage) => ({
    session: stage.aging.session,
    swap: larger(stage, SALE),
    use: { id: stage.aging.orders.again },
  })),
  'more than a slice': trade('ORDER_AMOUNT', (stage) => ({
    session: stage.aging.session,
    swap: larger(stage, SALE),
    use: { id: stage.aging.orders.sliced, part: 2 },
  })),
  'a slice too early': trade('ORDER_TIME', (stage) => ({
    session: stage.aging.session,
    swap: smaller(stage, SALE),
    use: { id: stage.aging.orders.sliced, part: 2 + stage.world.random.below(3) },
  })),
  'a slice the order does not have': trade('ORDER_AMOUNT', (stage) => ({
    session: stage.aging.session,
    swap: smaller(stage, SALE),
    use: { id: stage.aging.orders.sliced, part: 5 + stage.world.random.below(9_000) },
  })),
  'a part that is not a number from 1': trade('BAD_REQUEST', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: { id: stage.orders.open, part: stage.world.random.pick([0, -1, 1.5, 10_001, 2 ** 40]) },
  })),
}

const TERMS: Record<string, MakeAttempt> = {
  'another session’s order': trade('ORDER_SESSION', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: { id: stage.orders.ofOther },
  })),
  'an order in a session without controls': trade('ORDER_SESSION', (stage) => ({
    session: stage.plain,
    swap: smaller(stage, SALE),
    use: { id: stage.orders.open },
  })),
  'an unknown order': trade('ORDER_SESSION', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: { id: wordOf(stage.world) },
  })),
  'other tokens than the order’s': trade('ORDER_TOKENS', (stage) => ({
    session: stage.main,
    swap: smaller(stage, BUY),
    use: { id: stage.orders.open },
  })),
  'a minimum below the signed one': trade('ORDER_PRICE', (stage) => ({
    session: stage.main,
    swap: { ...smaller(stage, SALE), lossBps: 201 + stage.world.random.below(95) },
    use: { id: stage.orders.limit },
  })),
  'a minimum below the signed slippage': trade('ORDER_PRICE', (stage) => ({
    session: stage.main,
    swap: { ...smaller(stage, SALE), lossBps: 330 + stage.world.random.below(9_000) },
    use: { id: stage.orders.open },
  })),
  'declared slippage over the signed one': trade('ORDER_PRICE', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: { id: stage.orders.open },
    more: { slippage_bps: 301 + stage.world.random.below(600) },
  })),
  'before the start': trade('ORDER_TIME', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: { id: stage.orders.future },
  })),
  'after the expiry': trade('ORDER_TIME', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: { id: stage.orders.expired },
  })),
  'after the cancellation': trade('ORDER_ENDED', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: { id: stage.orders.cancelled },
  })),
  'a signed part after the cancellation': trade('ORDER_ENDED', ({ aging }) => ({
    session: aging.session,
    swap: SALE,
    use: { id: aging.orders.named },
  })),
  'after the replacement': trade('ORDER_ENDED', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: { id: stage.orders.replaced },
  })),
  'after the wallet ended its sessions': trade('SESSION_NONCE', (stage) => ({
    session: stage.ended,
    swap: smaller(stage, SALE),
    use: { id: stage.orders.ofEnded },
  })),
  'an opening trade past the breaker': trade('BREAKER', (stage) => ({
    session: stage.aging.braked,
    swap: { ...BUY, microUsd: 40 * USD + stage.world.random.below(100 * USD) },
    use: { id: stage.aging.orders.opening, part: 2 + stage.world.random.below(100) },
  })),
  'an opening trade into the closing order’s day': trade('ORDER_RESERVED', (stage) => ({
    session: stage.aging.reserved,
    swap: { ...BUY, microUsd: 21 * USD + stage.world.random.below(15 * USD) },
  })),
}

type Rounds = (stage: OrderStage) => readonly bigint[]
const byRounds = (name: 'stop' | 'trailing' | 'starting' | 'ofStock', rounds: Rounds): MakeAttempt =>
  trade('ORDER_TRIGGER', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: { id: stage.orders[name], rounds: rounds(stage) },
  }))
const unknownRound = ({ world, rounds }: OrderStage): bigint =>
  world.random.chance(0.5)
    ? rounds.last + 1n + BigInt(world.random.below(1_000))
    : BigInt(`0x${world.random.bytes(9).toString('hex')}`)

const TRIGGERS: Record<string, MakeAttempt> = {
  'a stop without a round': byRounds('stop', () => []),
  'a stop by a round that does not meet it': byRounds('stop', ({ rounds }) => [rounds.high]),
  'a stop by the latest price': byRounds('stop', ({ rounds }) => [rounds.last]),
  'a stop by a round before its registration': byRounds('stop', ({ rounds }) => [rounds.before]),
  'a stop by a round before its start': byRounds('starting', ({ rounds }) => [rounds.low]),
  'a stop by a round of a paused feed': byRounds('ofStock', ({ rounds }) => [rounds.paused]),
  'an exit by a round before its entry’s fill': trade('ORDER_TRIGGER', ({ chain, world }) => ({
    session: chain.session,
    swap: { side: 'buy', microUsd: 1 * USD + world.random.below(4 * USD) },
    use: { id: chain.stop, rounds: [chain.early] },
  })),
  'a stop by an unknown round': byRounds('stop', (stage) => [unknownRound(stage)]),
  'a stop by two rounds': byRounds('stop', ({ rounds }) => [rounds.low, rounds.high]),
  'a trailing stop by swapped rounds': byRounds('trailing', ({ rounds }) => [rounds.low, rounds.high]),
  'a trailing stop by one round': byRounds('trailing', ({ rounds }) => [rounds.low]),
  'a trailing stop by the same round twice': byRounds('trailing', ({ rounds }) => [rounds.low, rounds.low]),
  'a trailing stop by a rise': byRounds('trailing', ({ rounds }) => [rounds.low, rounds.last]),
  'a trailing stop by an even price': byRounds('trailing', ({ rounds }) => [rounds.high, rounds.last]),
  'a trailing stop from before its registration': byRounds('trailing', ({ rounds }) => [
    rounds.before - 1n,
    rounds.low,
  ]),
  'a trailing stop by an unknown round': byRounds('trailing', (stage) => [
    stage.rounds.high,
    unknownRound(stage),
  ]),
  'rounds that are not numbers': trade('BAD_REQUEST', (stage) => ({
    session: stage.main,
    swap: smaller(stage, SALE),
    use: {
      id: stage.orders.stop,
      rounds: [stage.world.random.pick(['-1', '0x1', '1e3', `${2n ** 80n}`, '', ' 1'])],
    },
  })),
}

const settling =
  (lie: (stage: OrderStage) => Hex): MakeAttempt =>
  (stage, kind) => ({
    intent: {
      kind,
      path: '/leaves/settle',
      body: {
        root_hash: stage.chain.session.rootHash,
        sequence: stage.chain.unsent.sequence,
        tx_hash: lie(stage),
      },
    },
    rules: ['NOT_SETTLED', 'CHAIN_UNAVAILABLE'],
  })

/** Answered, but never as a trade that ran: the amount received stays as it is. */
const SETTLEMENTS: Record<string, MakeAttempt> = {
  'a settlement by another leaf’s transaction': settling(({ chain }) => chain.lies.entry),
  'a settlement by a failed transaction': settling(({ chain }) => chain.lies.failed),
  'a settlement by another session’s transaction': settling(({ chain }) => chain.lies.sibling),
  'a settlement by another wallet’s transaction': settling(({ chain }) => chain.lies.stranger),
  'a settlement by an unknown transaction': settling(({ world }) => wordOf(world)),
}

/** Any rule refuses it. */
export const ANY: readonly string[] = []

/** One field of an honest trade under an order, at random. */
const MUTATIONS: Record<string, MakeAttempt> = {
  'one digit of the order’s id': trade('ORDER_SESSION', (stage) => {
    const id = stage.orders.open
    const at = 2 + stage.world.random.below(64)
    const digit = ((Number.parseInt(id[at]!, 16) + 1 + stage.world.random.below(15)) % 16).toString(16)
    return {
      session: stage.main,
      swap: smaller(stage, SALE),
      use: { id: `${id.slice(0, at)}${digit}${id.slice(at + 1)}` as Hex },
    }
  }),
  'one bit of the call under an order': ({ world, main, orders }, kind) => {
    const tokenOut = world.at.symbol('USDG')
    const execution = swapCall(world, SALE)
    const bytes = Buffer.from(execution.data.slice(2), 'hex')
    // The fee's recipient and the output's token are in the calldata as they are.
    const fee = bytes.indexOf(Buffer.from(world.at.feeRecipient.slice(2), 'hex'))
    const out = bytes.indexOf(Buffer.from(tokenOut.slice(2), 'hex'))
    const at = world.random.pick([fee, out]) + world.random.below(20)
    bytes[at]! ^= 1 << world.random.below(8)
    const data = `0x${bytes.toString('hex')}` as const
    return {
      intent: leafIntent(
        kind,
        { rootHash: main.rootHash, execution: { ...execution, data } },
        { order: { id: orders.open, part: 1, rounds: [] } },
      ),
      rules: ANY,
    }
  },
  'a field beside the order’s': (stage, kind) => {
    const order = { id: stage.orders.open, part: 1, rounds: [] }
    const more = stage.world.random.pick([
      { amount_in: '1' },
      { met: true },
      { session: stage.other.rootHash },
    ])
    const use = { order: { ...order, ...more } }
    return {
      intent: tradeIntent(stage.world, kind, { session: stage.main, swap: SALE, more: use }),
      rules: ['BAD_REQUEST'],
    }
  },
}

export const HOSTILE_TRADES: Record<string, MakeAttempt> = {
  ...UNSIGNED,
  ...BUDGETS,
  ...TERMS,
  ...TRIGGERS,
  ...SETTLEMENTS,
  ...MUTATIONS,
}
