import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTurn, type PitClient, PitRefusal } from '@pit/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ceilingsOf } from './ceilings.ts'
import { openJournal } from './journal.ts'
import { type OrderArgs, placeOrder } from './placeOrder.ts'
import type { Trading } from './placeTrade.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pit-order-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const USDG = `0x${'a'.repeat(40)}`
const place = vi.fn()
const sizeOf = vi.fn()
const latestEnd = vi.fn()
function open(): Trading {
  place.mockReset().mockImplementation(async (_: unknown, { confirm }) => {
    confirm({ lines: [], warnings: [] })
    return { ids: ['0x0b'], terms: { lines: [], warnings: [] }, receipt: {} }
  })
  latestEnd.mockReset().mockResolvedValue(null)
  sizeOf.mockReset().mockResolvedValue('0.005')
  const pins = { tokens: new Map([[USDG, { core: 'USDG' }]]) }
  return {
    client: { orders: { place, sizeOf, latestEnd }, pins } as unknown as PitClient,
    journal: openJournal(folder, () => null),
    ceilings: ceilingsOf(20, 25),
    nowMs: () => 1_000_000,
    answerWithinMs: 60_000,
    acceptRisks: [],
    attestsNonUs: false,
    allowsLiveResume: false,
    inTurn: createTurn(),
    log: () => {},
  }
}
const lostAfterSigning = async (_: unknown, { confirm }: { confirm(terms: object): boolean }) => {
  confirm({})
  throw new PitRefusal('RECEIPT_MISSING', 'no receipt')
}
const args: OrderArgs = {
  agent_id: 'agt_1',
  kind: 'stop',
  token_in: 'ETH',
  token_out: 'USDG',
  notional_usd: 10,
  price: 2_400.5,
}

it('ends with a session that is shorter than a day, unless a time is stated', async () => {
  const trading = open()
  latestEnd.mockResolvedValue(1_000 + 3_600)
  const endOf = () => place.mock.lastCall![0].orders[0].expiresAt
  await placeOrder(trading, 'a', args)
  expect(endOf()).toBe(1_000 + 3_600)
  await placeOrder(trading, 'b', { ...args, notional_usd: 5, valid_for_s: 7_200 })
  expect(endOf()).toBe(1_000 + 7_200)
})

it('reserves the dollars and stores the list before it is signed', async () => {
  const trading = open()
  place.mockImplementation(async (_: unknown, { confirm }) => {
    confirm({})
    expect(openJournal(folder, () => null).find('a')).toMatchObject({ state: 'ordered', ids: null })
    return { ids: ['0x0b'], terms: {}, receipt: {} }
  })
  await placeOrder(trading, 'a', args)
  expect(place.mock.calls[0]![0]).toMatchObject({
    agentId: 'agt_1',
    orders: [
      {
        sell: 'ETH',
        amount: '0.005',
        expiresAt: 1_000 + 86_400,
        trigger: { kind: 'at_or_below', priceUsd: '2400.5' },
      },
    ],
  })
  expect(trading.journal.find('a')).toMatchObject({ ids: ['0x0b'], microUsd: 10_000_000n })
})

it('repeats the same list under the same client id, also after a lost receipt', async () => {
  const trading = open()
  place.mockImplementationOnce(lostAfterSigning)
  await expect(placeOrder(trading, 'a', args)).rejects.toMatchObject({ code: 'RECEIPT_MISSING' })
  sizeOf.mockResolvedValue('0.004')
  await placeOrder(trading, 'a', args)
  expect(place.mock.calls[1]![0]).toEqual(place.mock.calls[0]![0])
  await expect(placeOrder(trading, 'a', { ...args, price: 1 })).rejects.toMatchObject({
    code: 'CLIENT_ID_REUSED',
  })
})

it('releases the dollars if nothing was signed', async () => {
  const trading = open()
  place.mockRejectedValueOnce(new PitRefusal('SESSION_NEEDED', 'no session'))
  await expect(placeOrder(trading, 'a', { ...args, notional_usd: 20 })).rejects.toThrow()
  expect(trading.journal.find('a')).toMatchObject({ state: 'refused', code: 'SESSION_NEEDED' })
  await placeOrder(trading, 'b', { ...args, notional_usd: 20 })
})

it('counts against the ceilings once it is signed, whatever becomes of it', async () => {
  const trading = open()
  await expect(placeOrder(trading, 'a', { ...args, notional_usd: 21 })).rejects.toMatchObject({
    code: 'OVER_TRADE_CEILING',
  })
  place.mockImplementationOnce(lostAfterSigning)
  await expect(placeOrder(trading, 'b', { ...args, notional_usd: 20 })).rejects.toThrow()
  await expect(placeOrder(trading, 'c', args)).rejects.toMatchObject({ code: 'OVER_DAY_CEILING' })
})

it('refuses without an own price, and without what the kind needs', async () => {
  const trading = open()
  sizeOf.mockResolvedValue(null)
  await expect(placeOrder(trading, 'a', args)).rejects.toMatchObject({ code: 'NO_OWN_PRICE' })
  sizeOf.mockResolvedValue('1')
  const trailing: OrderArgs = { ...args, kind: 'trailing' }
  await expect(placeOrder(trading, 'b', trailing)).rejects.toMatchObject({ code: 'BAD_PARAMETER' })
  expect(place).not.toHaveBeenCalled()
})

it('signs a bracket as one list, counted once, and needs an exit', async () => {
  const trading = open()
  const bracket: OrderArgs = { ...args, kind: 'bracket', token_in: USDG, token_out: 'ETH' }
  await expect(placeOrder(trading, 'a', bracket)).rejects.toMatchObject({ code: 'BAD_PARAMETER' })
  await placeOrder(trading, 'b', { ...bracket, stop_price: 2_000, profit_price: 3_000 })
  expect(sizeOf).toHaveBeenLastCalledWith({ token: 'ETH', usd: 20 })
  const exit = { sell: 'ETH', amount: '0.005', parent: 1, group: 1 }
  expect(place.mock.calls[0]![0].orders).toMatchObject([
    { sell: USDG, buy: 'ETH', limit: { of: 'buy', price: '2400.5' } },
    { ...exit, trigger: { kind: 'at_or_below', priceUsd: '2000' } },
    { ...exit, trigger: { kind: 'at_or_above', priceUsd: '3000' } },
  ])
  expect(trading.journal.find('b')).toMatchObject({ microUsd: 10_000_000n })
})
