import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type OnceOrders, openTradeOnce } from './tradeOnce.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pit-once-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = () =>
  openTradeOnce({ client: { resume: vi.fn() }, folder, takeLock: () => null, nowMs: () => 1_000 })
let nonces = 0
const orders = (place: OnceOrders['place'], input: object = { amount: '1' }): OnceOrders => ({
  verb: 'place_orders',
  clientId: 'a',
  input,
  request: async () => ({ nonce: ++nonces, orders: [{ amount: '1' }] }),
  place,
})

it('places a list of orders once per client_id, also after a restart', async () => {
  const place = vi.fn(async (request: object) => ({ request, ids: ['0x1'] }))
  const first = await open().place(orders(place))
  expect(await open().place(orders(place))).toEqual(first)
  expect(place).toHaveBeenCalledTimes(1)
})

it('repeats the same list if the response was lost', async () => {
  const lost = vi.fn().mockRejectedValue(new Error('no response'))
  await expect(open().place(orders(lost))).rejects.toThrow('no response')
  const place = vi.fn(async () => ({ ids: ['0x1'] }))
  await open().place(orders(place))
  expect(place.mock.lastCall).toEqual(lost.mock.lastCall)
})

it('joins a repeat while the first one runs', async () => {
  const place = vi.fn(async () => ({ ids: ['0x1'] }))
  const once = open()
  await Promise.all([once.place(orders(place)), once.place(orders(place))])
  expect(place).toHaveBeenCalledTimes(1)
})

it('refuses another list or a trade under the same client_id', async () => {
  const once = open()
  await once.place(orders(async () => ({})))
  const other = once.place(orders(async () => ({}), { amount: '2' }))
  await expect(other).rejects.toMatchObject({ code: 'CLIENT_ID_REUSED' })
  const trade = once.run({ verb: 'trade', clientId: 'a', input: { amount: '1' }, run: async () => ({}) })
  await expect(trade).rejects.toMatchObject({ code: 'CLIENT_ID_REUSED' })
})
