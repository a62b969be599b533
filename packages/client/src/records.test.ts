import { readFileSync } from 'node:fs'
import {
  type Address,
  delegationHash,
  type Hex,
  NATIVE,
  type Order,
  orderListHash,
  orderListHashV1,
  sessionRoot,
  toWireOrder,
} from '@pit/chain'
import { bindingHash, createBinding } from '@pit/protocol'
import { expect, it } from 'vitest'
import { pinsOf } from './pins.ts'
import { memoryRecords, openRecords, type SessionRecord } from './records.ts'
import { hashing } from './verify/grant.ts'

const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')))
const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const WALLET = at('1')

function recordOf(session_id: string): SessionRecord {
  const binding = createBinding({
    wallet: WALLET,
    executor: at('2'),
    cosigner: at('3'),
    router: pins.router,
    feeRecipient: pins.feeRecipient,
    tokens: [NATIVE, at('b')],
    limits: { max_trade_micro_usd: 10_000_000, max_day_micro_usd: 20_000_000, max_trades: 5 },
    expires_at: 1_800_003_600,
    nonce: `0x${'4'.repeat(64)}`,
    risk: { accept_risks: [], shield: false, policies: [] },
  })
  const delegation = sessionRoot(pins.addresses, {
    binding,
    bindingHash: bindingHash(hashing.keccakText, binding),
    eth: { dayWei: 2n, tradeWei: 1n },
    nowS: 1_800_000_000,
  })
  const roots = [{ hash: delegationHash(hashing, delegation), delegation }]
  return { session_id, wallet: WALLET, executor: at('2'), binding, roots, granted_at: 1_800_000_000 }
}

it('returns a session record as it was written', async () => {
  const records = openRecords(memoryRecords(), WALLET)
  await records.putSession(recordOf('ses_1'))
  expect(await records.session('ses_1')).toEqual(recordOf('ses_1'))
  expect(await records.session('ses_2')).toBeNull()
})

it('keeps the records of two wallets apart', async () => {
  const store = memoryRecords()
  await openRecords(store, WALLET).putSession(recordOf('ses_1'))
  expect(await openRecords(store, at('9')).sessions()).toEqual({ records: [], damaged: [] })
})

it.each<[string, (text: string) => string]>([
  ['half of it', (text) => text.slice(0, 200)],
  ['another limit', (text) => text.replace('"max_trades":5', '"max_trades":500')],
  ['another expiry', (text) => text.replace('1800003600', '1800003601')],
  ['another executor', (text) => text.replaceAll(at('2'), at('7'))],
  ['another root hash', (text) => text.replace(/"hash":"0x../, '"hash":"0x00')],
  ['a caveat changed', (text) => text.replace(/"terms":"0x0000/, '"terms":"0x1000')],
  ['no roots', (text) => text.replace(/"roots":\[.*\]/, '"roots":[]')],
  ['a list', () => '[]'],
])('names a damaged record with %s, and still lists the others', async (_, damage) => {
  const store = memoryRecords()
  const records = openRecords(store, WALLET)
  await records.putSession(recordOf('ses_1'))
  await records.putSession(recordOf('ses_2'))
  const key = `session/${WALLET}/ses_1`
  const text = (await store.read(key))!
  expect(damage(text)).not.toBe(text)
  await store.write(key, damage(text))
  await expect(records.session('ses_1')).rejects.toMatchObject({
    code: 'RECORD_DAMAGED',
    details: { record: key },
  })
  const { records: readable, damaged } = await records.sessions()
  expect([readable.map(({ session_id }) => session_id), damaged]).toEqual([['ses_2'], [key]])
})

it('finds nothing under an id that could leave its place', async () => {
  const records = openRecords(memoryRecords(), WALLET)
  for (const id of ['../keys', 'a/b', '', 'x'.repeat(65), '\n']) expect(await records.session(id)).toBeNull()
})

const word = (digit: string) => `0x${digit.repeat(64)}` as Hex
const ORDER: Order = {
  ...{ tokenIn: NATIVE, tokenOut: at('b'), amountIn: 7n, minAmountOut: 0n, maxSlippageBps: 100 },
  trigger: { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 },
  ...{ slices: 1, everyS: 0, startsAt: 0, expiresAt: 1_900_000_000, group: 0, parent: 0 },
}

it.each([
  ['no other order', []],
  ['another order', [word('9')]],
])('reads a list of the first version that replaced %s', async (_, replaces) => {
  const store = memoryRecords()
  const records = openRecords(store, WALLET)
  const list = { session: word('5'), nonce: word('6'), orders: [ORDER] }
  const hash = orderListHashV1(hashing, { ...list, replaces })
  const text = JSON.stringify({ ...list, replaces, orders: [toWireOrder(ORDER)] })
  await store.write(`orders/${WALLET}/${word('5').slice(2)}/${hash.slice(2)}`, text)
  const next = { ...list, replaces: [{ id: word('9'), spentIn: 3n }] }
  await records.putOrderList(next, 'agt_1')
  expect(await records.orderLists()).toEqual([
    { hash, session: word('5'), agentId: null, orders: [ORDER] },
    { hash: orderListHash(hashing, next), session: word('5'), agentId: 'agt_1', orders: [ORDER] },
  ])
})

it('refuses a list whose amount or spent amount was altered', async () => {
  for (const [from, to] of [
    ['"7"', '"8"'],
    ['"3"', '"4"'],
  ] as const) {
    const store = memoryRecords()
    const records = openRecords(store, WALLET)
    const replaces = [{ id: word('9'), spentIn: 3n }]
    await records.putOrderList({ session: word('5'), nonce: word('6'), replaces, orders: [ORDER] }, 'agt_1')
    const [key] = await store.list('orders/')
    await store.write(key!, (await store.read(key!))!.replace(from, to))
    await expect(records.orderLists()).rejects.toMatchObject({ code: 'RECORD_DAMAGED' })
  }
})
