import type { Hex, Receipt } from '@pit/chain'
import type { PitClient, PlacedList, RecordStore } from '@pit/client'
import { until } from '@pit/platform/test/until'
import { bindingHash } from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Random } from '../fuzz/random.ts'
import type { SessionWorld } from '../session/world.ts'
import type { Json } from './lies.ts'
import { keyOf, type Scenario } from './replay.ts'

// Sessions with controls and signed orders, as an owner uses them behind a lying server.

const ETH = 10n ** 18n
const GAS_WEI = 20_000_000_000_000_001n
const CONTROLS = {
  signature_above_usd: 0,
  breakers: [{ max_fall_usd: 50, window_s: 86_400, cool_down_s: 3_600 }],
}
const LIMITS = { max_trade_usd: 20, max_day_usd: 60 }
const AGENT = {
  interval_s: 3_600,
  pairs: ['ETH/USDG'],
  mode: 'live' as const,
  limits: { ...LIMITS, max_position_usd: 10_000 },
}
const CARRIER = { ...AGENT, brain: 'orders' as const, params: {} }
/** Its trades need a signature each. */
const SELLER = { ...AGENT, brain: 'dca' as const, params: { usd: 6, side: 'sell' as const } }
const account = privateKeyToAccount(keccak256(stringToHex('lied to: order owner')))

type Open = (
  signer: Scenario['account'],
  records?: RecordStore,
) => Promise<{ account: Scenario['account']; apiKey: string; client: PitClient }>

export async function orderScenarios(world: SessionWorld, open: Open): Promise<Scenario[]> {
  const store = openStore()
  const owner = await open(account, store)
  const { client } = owner
  await world.fund(client.address, { wei: 10n * ETH, usdg: 1_000_000_000n })
  const intent = { pairs: ['ETH/USDG'], ...LIMITS, expires_in_s: 7_200, controls: CONTROLS }
  const start = async (agent: typeof CARRIER | typeof SELLER): Promise<string> => {
    const { id, executor } = await client.hosted.create(agent)
    await world.fund(executor as Hex, { wei: GAS_WEI })
    await client.hosted.grantLive(id, intent, { allow7702: true })
    return id
  }
  const agentId = await start(CARRIER)
  const asking = await start(SELLER)
  const waiting = await client.hosted.create(CARRIER)
  const request = await until(async () => (await client.orders.list(asking)).wanted[0] ?? null, {
    withinMs: 60_000,
    everyMs: 500,
    said: () => client.api['hosted.logs']({ params: { id: asking } }),
  })
  const stopAt = (priceUsd: string) => ({
    sell: 'ETH',
    buy: 'USDG',
    amount: '0.004',
    trigger: { kind: 'at_or_below' as const, priceUsd },
  })
  const place = async (...prices: string[]) =>
    (await client.orders.place({ agentId, orders: prices.map(stopAt) })).ids
  const [first] = await place('3', '4')
  const [moving] = await place('5')
  const [ending] = await place('6')
  const shared = { ...owner, ages: false, records: store, fixedRandom: true } as const
  const grant = {
    executor: privateKeyToAccount(keccak256(stringToHex('lied to: order executor'))).address,
    tokens: ['ETH', 'USDG'],
    ...LIMITS,
    max_trades: 50,
    expires_in_s: 7_200,
    controls: CONTROLS,
  }
  return [
    // Without records: a second session of the same id would be refused for that alone.
    {
      ...owner,
      name: 'orders: grant with controls',
      ages: true,
      run: (one) => one.grantSession(grant, { allow7702: true }),
      lie: otherControls,
    },
    {
      ...owner,
      name: 'orders: agent live with controls',
      ages: true,
      run: (one) => one.hosted.grantLive(waiting.id, intent, { allow7702: true }),
      lie: otherControls,
    },
    {
      ...shared,
      name: 'orders: place a list',
      run: (one) =>
        one.orders.place({
          agentId,
          orders: [stopAt('2'), { sell: 'USDG', buy: 'ETH', amount: '5', limit: { of: 'buy', price: '10' } }],
        }),
      lie: otherReceipt,
      accepted: placedAs,
    },
    {
      ...shared,
      name: 'orders: place a bracket',
      run: (one) =>
        one.orders.placeBracket({
          agentId,
          entry: { sell: 'USDG', buy: 'ETH', amount: '5', limit: { of: 'buy', price: '11' } },
          exits: { stopUsd: '7', profitUsd: '90000' },
        }),
      lie: otherReceipt,
      accepted: placedAs,
    },
    {
      ...shared,
      name: 'orders: move a stop',
      run: (one) =>
        one.orders.replace({
          agentId,
          id: moving!,
          change: { trigger: { kind: 'at_or_below', priceUsd: '4.5' } },
        }),
      lie: otherReceipt,
      accepted: placedAs,
    },
    {
      ...shared,
      name: 'orders: sign what an agent waits for',
      run: (one) => one.orders.signWanted({ agentId: asking, id: request!.id }),
      lie: otherWanted,
      accepted: placedAs,
    },
    {
      ...shared,
      name: 'orders: cancel two',
      signs: false,
      run: (one) => one.orders.cancel({ agentId, ids: [first!, ending!] }),
      lie: otherReceipt,
      accepted: cancelledAs,
    },
    {
      ...shared,
      name: 'orders: cancel all',
      signs: false,
      run: (one) => one.orders.cancel({ agentId }),
      lie: (answer, random) => (random.chance(0.5) ? hidden(answer, random) : otherReceipt(answer, random)),
      accepted: cancelledAs,
    },
  ]
}

const receiptOf = (one: Receipt) =>
  keyOf([
    ...[one.what, one.session, one.id, one.before, one.after, one.at],
    ...[one.spent, one.outstanding, one.until, one.challenge],
  ])

/** The parts of a result that do not rest on the server's word. */
const placedAs = (result: unknown): string => {
  const { list, ids, terms, receipt } = result as PlacedList
  return keyOf([list, ids, terms, receipt && receiptOf(receipt)])
}
const cancelledAs = (result: unknown): string => keyOf((result as Cancelled).receipts.map(receiptOf).sort())

type Cancelled = Awaited<ReturnType<PitClient['orders']['cancel']>>

type Any = Record<string, Json>
const isObject = (value: Json | undefined): value is Any =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Weaker controls or none, with every hash of the binding adjusted as a skilled thief would do. */
function otherControls(answer: Json, random: Random): Json {
  const copy = structuredClone(answer)
  const binding = isObject(copy) ? copy['binding'] : undefined
  if (!isObject(binding)) return hidden(answer, random)
  const hashOf = (value: Any) => bindingHash((text) => keccak256(stringToHex(text)), value as never)
  const before = hashOf(binding)
  const controls = binding['controls'] as Any
  const [breaker] = controls['breakers'] as [Any]
  random.pick([
    () => delete binding['controls'],
    () => delete controls['breakers'],
    () => delete controls['signature_above_micro_usd'],
    () => (controls['signature_above_micro_usd'] = 1 + random.below(1e9)),
    () => (breaker['max_fall_micro_usd'] = Number(breaker['max_fall_micro_usd']) * 2),
    () => (breaker['cool_down_s'] = 60),
    () => (breaker['window_s'] = random.pick([null, 60])),
    () => (binding['controls'] = {}),
  ])()
  const after = hashOf(binding)
  const text = JSON.stringify(copy)
    .replaceAll(before, after)
    .replaceAll(before.slice(2), after.slice(2))
    .replaceAll(BigInt(before).toString(), BigInt(after).toString())
  return random.chance(0.3) ? otherNonce(JSON.parse(text), random) : JSON.parse(text)
}

/** Another nonce in every caveat that is a single small word, so that one transaction would not end the root. */
const otherNonce = (answer: Json, random: Random): Json =>
  JSON.parse(
    JSON.stringify(answer).replaceAll(
      `"0x${'0'.repeat(64)}"`,
      `"0x${String(1 + random.below(9)).padStart(64, '0')}"`,
    ),
  )

/** A receipt of another list, session, challenge, time or state; of another key; or none. */
function otherReceipt(answer: Json, random: Random): Json {
  const copy = structuredClone(answer)
  if (!isObject(copy)) return copy
  const word = `0x${random.bytes(32).toString('hex')}`
  const receipts = [copy['receipt'], ...((copy['receipts'] as Json[] | undefined) ?? [])].filter(isObject)
  const receipt = receipts.length > 0 ? random.pick(receipts) : null
  if (!receipt) return hidden(answer, random)
  random.pick([
    () => (receipt['id'] = word),
    () => (receipt['session'] = word),
    () => (receipt['challenge'] = word),
    () =>
      (receipt['what'] = random.pick(
        ['registered', 'cancelled', 'revoked', 'filled', 'status', 'not_registered'].filter(
          (one) => one !== receipt['what'],
        ),
      )),
    () => (receipt['before'] = receipt['before'] === 'open' ? 'blocked' : 'open'),
    () => (receipt['after'] = receipt['after'] === 'blocked' ? 'open' : 'blocked'),
    () => (receipt['spent'] = String(1 + random.below(1e9))),
    () => (receipt['at'] = Number(receipt['at']) - 1 - random.below(1e6)),
    () => (receipt['until'] = Number(receipt['until']) - 1),
    () => (receipt['outstanding'] = '1'),
    () => (receipt['signature'] = `${String(receipt['signature']).slice(0, -4)}001b`),
    () => (copy['list'] = word),
    () => Object.assign(copy, 'receipt' in copy ? { receipt: null } : { receipts: receipts.slice(1) }),
  ])()
  return copy
}

/** A wanted list with other terms under the same id. */
function otherWanted(answer: Json, random: Random): Json {
  const copy = structuredClone(answer)
  const [wanted] = (isObject(copy) ? ((copy['wanted'] as Json[] | undefined) ?? []) : []) as Any[]
  if (!wanted) return otherReceipt(answer, random)
  const [order] = (wanted['list'] as Any)['orders'] as Any[] as [Any]
  const message = (wanted['typed_data'] as Any)['message'] as Any
  const [shown] = message['orders'] as Any[] as [Any]
  const times = (name: string, by: bigint) => String(BigInt(String(order[name])) * by)
  const put = (name: string, typed: string, value: Json) => {
    order[name] = value
    // A skilled thief changes the typed data as well.
    if (random.chance(0.7)) shown[typed] = value
  }
  random.pick([
    () => put('amount_in', 'amountIn', times('amount_in', 10n)),
    () => put('min_amount_out', 'minAmountOut', '1'),
    () => put('expires_at', 'expiresAt', Number(order['expires_at']) + 86_400),
    () => put('max_slippage_bps', 'maxSlippageBps', 5_000),
    () => put('token_out', 'tokenOut', `0x${random.bytes(20).toString('hex')}`),
    () => put('slices', 'slices', 2),
    () => {
      const session = `0x${random.bytes(32).toString('hex')}`
      ;(wanted['list'] as Any)['session'] = session
      message['session'] = session
    },
    () => {
      ;(wanted['list'] as Any)['replaces'] = [{ id: String(wanted['id']), spent_in: '0' }]
      message['replaces'] = [{ id: String(wanted['id']), spentIn: '0' }]
    },
  ])()
  return copy
}

/** Rows missing from every list of the answer, or called by another state. */
function hidden(answer: Json, random: Random): Json {
  const copy = structuredClone(answer)
  if (!isObject(copy)) return copy
  const rows = copy['orders']
  if (!Array.isArray(rows) || rows.length === 0) return copy
  if (random.chance(0.3)) copy['orders'] = []
  else if (random.chance(0.5)) copy['orders'] = rows.toSpliced(random.below(rows.length), 1)
  else (random.pick(rows) as Any)['state'] = random.pick(['filled', 'expired', 'cancelled', 'unfillable'])
  return copy
}

function openStore(texts = new Map<string, string>()): NonNullable<Scenario['records']> {
  return {
    read: async (key) => texts.get(key) ?? null,
    write: async (key, text) => {
      texts.set(key, text)
    },
    list: async (prefix) => [...texts.keys()].filter((key) => key.startsWith(prefix)),
    copy: () => openStore(new Map(texts)),
  }
}
