import { type Hex, NATIVE, type Order, type OrderList, toWireOrders } from '@pit/chain'
import type { Attempt, MakeAttempt } from './hostileOrders.ts'
import { amountsOf, listFor, listIntent, nowS, orderFor, signList, USD, wordOf } from './orderKit.ts'
import { BUY, type OrderStage, SALE } from './orderStage.ts'
import type { Granted } from './world.ts'

/** Lists of orders that the owner did not sign like this, or that no session takes. */

interface Signed {
  session: Granted
  list: OrderList
  key?: Hex
  on?: { chainId: number; manager: Hex }
}
const signed =
  (rules: string | readonly string[], make: (stage: OrderStage) => Signed): MakeAttempt =>
  (stage, kind) => {
    const { session, list, key = session.walletKey, on } = make(stage)
    const signature = signList(stage.world, list, key, on)
    return {
      intent: listIntent(stage.world, kind, { session, wire: toWireOrders(list), signature }),
      rules: typeof rules === 'string' ? [rules] : rules,
    }
  }

/** Signed by the owner, in the main session, with one order that is wrong. */
const withOrder = (rule: string, change: (stage: OrderStage) => Partial<Order>): MakeAttempt =>
  signed(rule, (stage) => ({
    session: stage.main,
    list: listFor(stage.world, stage.main, [orderFor(stage.world, SALE, change(stage))]),
  }))
const honestList = ({ world, main }: OrderStage): OrderList =>
  listFor(world, main, [
    orderFor(world, { ...SALE, microUsd: USD + world.random.below(100 * USD) }),
    orderFor(world, BUY, { trigger: { kind: 'at_or_below', token: NATIVE, priceE18: 1n, trailBps: 0 } }),
  ])

const MAX = 2n ** 128n

const SIGNERS: Record<string, MakeAttempt> = {
  'a list signed by another account': signed('ORDER_SIGNATURE', (stage) => ({
    session: stage.main,
    list: honestList(stage),
    key: stage.world.keyOf(),
  })),
  'a list signed by the executor': signed('ORDER_SIGNATURE', (stage) => ({
    session: stage.main,
    list: honestList(stage),
    key: stage.world.executorKey,
  })),
  'a list signed for another chain': signed('ORDER_SIGNATURE', (stage) => ({
    session: stage.main,
    list: honestList(stage),
    on: { ...stage.world.place, chainId: stage.world.random.pick([1, 46_630, 4_664]) },
  })),
  'a list signed for another contract': signed('ORDER_SIGNATURE', (stage) => ({
    session: stage.main,
    list: honestList(stage),
    on: { ...stage.world.place, manager: stage.world.at.router },
  })),
  'a list of another session': signed('ORDER_SESSION', (stage) => ({
    session: stage.main,
    list: { ...honestList(stage), session: stage.other.rootHash },
  })),
  'another session’s registered list': signed('ORDER_SESSION', (stage) => ({
    session: stage.main,
    list: stage.lists.other,
  })),
  'a list in a session without controls': signed('ORDER_SESSION', ({ world, plain }) => ({
    session: plain,
    list: listFor(world, plain, [orderFor(world, SALE)]),
  })),
  'a list after the wallet ended its sessions': signed('SESSION_NONCE', ({ world, ended }) => ({
    session: ended,
    list: listFor(world, ended, [orderFor(world, SALE)]),
  })),
}

const STATES: Record<string, MakeAttempt> = {
  'a used nonce with another list': signed('ORDER_NONCE', (stage) => ({
    session: stage.main,
    list: { ...honestList(stage), nonce: stage.lists.main.nonce },
  })),
  'more open orders than a session may have': signed('ORDER_LIMIT', ({ world, full }) => ({
    session: full,
    list: listFor(
      world,
      full,
      Array.from({ length: 1 + world.random.below(16) }, () => orderFor(world, SALE)),
    ),
  })),
  'an order that was cancelled before it came': signed('ORDER_ENDED', (stage) => ({
    session: stage.main,
    list: stage.lists.cancelled,
  })),
  'a replaced order of another session': signed('ORDER_ENDED', (stage) => ({
    session: stage.main,
    list: { ...honestList(stage), replaces: [{ id: stage.orders.ofOther, spentIn: 0n }] },
  })),
  'a replaced order with another amount spent': signed('ORDER_REPLACED', (stage) => {
    const { session, orders } = stage.aging
    const spent = amountsOf(stage.world, SALE).amountIn
    const wrong = [0n, spent - 1n, spent + 1n, 2n * spent, BigInt(stage.world.random.below(2 ** 40))]
    const replaces = [{ id: orders.spent, spentIn: stage.world.random.pick(wrong) }]
    return { session, list: listFor(stage.world, session, [orderFor(stage.world, SALE)], { replaces }) }
  }),
  'an untraded order as if some of it were spent': signed('ORDER_REPLACED', (stage) => {
    const replaces = [{ id: stage.orders.open, spentIn: 1n + BigInt(stage.world.random.below(2 ** 40)) }]
    return { session: stage.main, list: { ...honestList(stage), replaces } }
  }),
  'one of two orders that share a budget': signed(['ORDER_LIST', 'ORDER_REPLACED'], (stage) => {
    const { session, orders } = stage.aging
    const spentIn = amountsOf(stage.world, SALE).amountIn
    const replaces = [{ id: orders.second, spentIn }]
    return { session, list: listFor(stage.world, session, [orderFor(stage.world, SALE)], { replaces }) }
  }),
  'a replaced order that ended': signed('ORDER_ENDED', (stage) => ({
    session: stage.main,
    list: {
      ...honestList(stage),
      replaces: [
        {
          id: stage.world.random.pick([stage.orders.cancelled, stage.orders.replaced, stage.orders.expired]),
          spentIn: 0n,
        },
      ],
    },
  })),
}

const SHAPES: Record<string, MakeAttempt> = {
  'an amount of 0': withOrder('ORDER_LIST', () => ({ amountIn: 0n })),
  'an amount beyond 2^128': withOrder('ORDER_LIST', ({ world }) => ({
    amountIn: MAX * BigInt(1 + world.random.below(2 ** 30)),
  })),
  'a minimum beyond 2^128': withOrder('ORDER_LIST', ({ world }) => ({
    minAmountOut: MAX + BigInt(world.random.below(2 ** 30)),
  })),
  'no slippage, or more than half': withOrder('ORDER_LIST', ({ world }) => ({
    maxSlippageBps: world.random.pick([0, 5_001, 65_535]),
  })),
  'slices worth less than a dollar': withOrder('ORDER_AMOUNT', ({ world }) => ({
    slices: 31 + world.random.below(900),
    everyS: 60,
  })),
  'slices too close': withOrder('ORDER_LIST', ({ world }) => ({ slices: 2, everyS: world.random.below(60) })),
  'a trail below 1%': withOrder('ORDER_LIST', ({ world }) => ({
    trigger: { kind: 'trailing', token: NATIVE, priceE18: 0n, trailBps: world.random.below(100) },
  })),
  'a trigger of a token without a feed': withOrder('ORDER_TRIGGER', ({ world }) => ({
    trigger: {
      kind: 'at_or_above',
      token: world.random.pick([world.junk, world.executor]),
      priceE18: 1n,
      trailBps: 0,
    },
  })),
  'a token outside the session': withOrder('ORDER_TOKENS', ({ world }) => ({
    tokenOut: `0x${world.random.bytes(20).toString('hex')}`,
  })),
  'a token without a feed and without a minimum': withOrder('ORDER_TOKENS', ({ world }) => ({
    tokenOut: world.random.pick([world.junk, world.curve.token]),
  })),
  'an order that has expired': withOrder('ORDER_TIME', ({ world }) => ({
    expiresAt: nowS() - world.random.below(1_000),
  })),
  'an order that outlives its session': withOrder('ORDER_TIME', ({ world, main }) => ({
    expiresAt: main.binding.expires_at + 1 + world.random.below(1_000_000),
  })),
  'a group of one, or a parent that is not there': withOrder('ORDER_LIST', ({ world }) =>
    world.random.pick([{ group: 1 }, { group: 16 }, { parent: 1 }, { parent: 2 }, { parent: 255 }]),
  ),
  'more orders than a list may have': signed('BAD_REQUEST', ({ world, main }) => ({
    session: main,
    list: listFor(
      world,
      main,
      Array.from({ length: 17 }, () => orderFor(world, SALE)),
    ),
  })),
  'no orders': signed('ORDER_LIST', ({ world, main }) => ({ session: main, list: listFor(world, main, []) })),
}

type Json = string | number | Json[] | { [field: string]: Json }
const FIELDS = [
  ['session'],
  ['nonce'],
  ['replaces'],
  ['orders'],
  ...[0, 1].flatMap((i) =>
    [
      'token_in',
      'token_out',
      'amount_in',
      'min_amount_out',
      'max_slippage_bps',
      'slices',
      'every_s',
      'starts_at',
      'expires_at',
      'group',
      'parent',
    ].map((name) => ['orders', i, name]),
  ),
  ['orders', 0, 'trigger'],
  ...['kind', 'token', 'price_e18'].map((name) => ['orders', 1, 'trigger', name]),
] as const

/** Another value of the same type. */
function otherValue({ world }: OrderStage, value: Json, path: readonly (string | number)[]): Json {
  const { random } = world
  if (Array.isArray(value)) {
    if (path.at(-1) === 'replaces') return [{ id: wordOf(world), spent_in: '0' }]
    return random.pick<Json>([value.slice(1), value.slice(0, -1), value.toReversed(), [...value, value[0]!]])
  }
  if (typeof value === 'number') return value + 1 + random.below(50)
  if (typeof value === 'object')
    return { kind: 'at_or_above', token: NATIVE, price_e18: String(1 + random.below(2 ** 30)) }
  if (value === 'at_or_below') return 'at_or_above'
  if (/^\d+$/.test(value)) return random.pick([BigInt(value) + 1n, BigInt(value) * 2n + 1n]).toString()
  const at = 2 + random.below(value.length - 2)
  const digit = ((Number.parseInt(value[at]!, 16) + 1 + random.below(15)) % 16).toString(16)
  return value.slice(0, at) + digit + value.slice(at + 1)
}

/** The owner's signature of an honest list, and the list with one other field. */
const mutated =
  (path: readonly (string | number)[]): MakeAttempt =>
  (stage, kind): Attempt => {
    const list = honestList(stage)
    const wire = structuredClone(toWireOrders(list)) as unknown as Json
    let parent = wire as Record<string | number, Json>
    for (const key of path.slice(0, -1)) parent = parent[key] as Record<string | number, Json>
    const last = path.at(-1)!
    parent[last] = otherValue(stage, parent[last]!, path)
    const signature = signList(stage.world, list, stage.main.walletKey)
    return {
      intent: listIntent(stage.world, kind, { session: stage.main, wire: wire as object, signature }),
      rules: ['ORDER_SIGNATURE'],
    }
  }

const SIGNATURES: Record<string, MakeAttempt> = {
  'one digit of the signature': (stage, kind) => {
    const list = honestList(stage)
    const honest = signList(stage.world, list, stage.main.walletKey)
    const signature = otherValue(stage, honest.slice(0, -2), []) as string
    return {
      intent: listIntent(stage.world, kind, {
        session: stage.main,
        wire: toWireOrders(list),
        signature: `${signature}${honest.slice(-2)}` as Hex,
      }),
      rules: ['ORDER_SIGNATURE'],
    }
  },
  'a field beside the list’s': (stage, kind) => {
    const list = honestList(stage)
    const wire = toWireOrders(list)
    const beside = stage.world.random.pick<object>([
      { ...wire, met: true },
      { ...wire, orders: wire.orders.map((order) => ({ ...order, amount: '1' })) },
      {
        ...wire,
        orders: wire.orders.map((order) => ({ ...order, trigger: { kind: 'none', token: NATIVE } })),
      },
    ])
    const signature = signList(stage.world, list, stage.main.walletKey)
    return {
      intent: listIntent(stage.world, kind, { session: stage.main, wire: beside, signature }),
      rules: ['BAD_REQUEST'],
    }
  },
}

export const HOSTILE_LISTS: Record<string, MakeAttempt> = {
  ...SIGNERS,
  ...STATES,
  ...SHAPES,
  ...Object.fromEntries(
    FIELDS.map((path) => [`a signed list with another ${path.join('.')}`, mutated(path)]),
  ),
  ...SIGNATURES,
}
