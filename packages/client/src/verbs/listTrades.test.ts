import { expect, it } from 'vitest'
import { createApi } from '../call.ts'
import type { ClientDeps } from '../deps.ts'
import { isRefusal } from '../errors.ts'
import { listTrades } from './listTrades.ts'

const WALLET = `0x${'11'.repeat(20)}` as const
const TOKEN = { token: 'ETH', address: `0x${'00'.repeat(20)}`, symbol: 'ETH', name: 'Ether', decimals: 18 }
const row = (id: number) => ({
  id,
  time: 1_700_000_000,
  path: 'agent',
  status: 'mined',
  token_in: TOKEN,
  token_out: TOKEN,
  amount_in: '1',
  amount_out: '1',
  amount_out_kind: 'actual',
  amount_out_min: '1',
  tx_hash: `0x${'ab'.repeat(32)}`,
  block: 1,
})
const page = (ids: number[], next_before: number | null) => ({
  wallet: WALLET,
  trades: ids.map(row),
  next_before,
  refused_included: false,
})

/** Lists what a server answers page by page; it may be asked four times. */
const list = (...pages: unknown[]) => listOf(pages)
async function listOf(pages: Pick<unknown[], 'length' | 'shift'>) {
  const api = createApi({
    url: 'http://pit.test',
    async fetch() {
      if (pages.length === 0) throw new Error('asked too often')
      return Response.json(pages.shift())
    },
  })
  const deps = { account: { address: WALLET }, api } as unknown as ClientDeps
  const ids: number[] = []
  try {
    for await (const { id } of listTrades(deps)) ids.push(id)
  } catch (error) {
    return isRefusal(error) ? error.code : String(error)
  }
  return ids
}

/** A full page that ends with this trade. */
const full = (last: number, next = last) =>
  page(
    Array.from({ length: 100 }, (_, i) => last + 99 - i),
    next,
  )

it('lists every page once', async () => {
  expect(await list(full(7), page([4], null))).toHaveLength(101)
  expect(await list(page([], null))).toEqual([])
})

const { next_before: _, ...noEnd } = page([9, 7], 7)
it.each<[string, unknown[]]>([
  ['a page without next_before', [noEnd]],
  ['a next_before that is not the last trade', [full(7, 8)]],
  ['pages of one row', [page([9], 9), page([8], 8)]],
  [
    'more rows than requested',
    [
      page(
        Array.from({ length: 101 }, (_, i) => 200 - i),
        null,
      ),
    ],
  ],
  ['an empty page with a next one', [page([], 7)]],
  ['the same page again', [full(7), full(7)]],
  ['trades in rising order', [page([7, 9], 9)]],
  ['a trade twice', [page([9, 9], 9)]],
  ['a trade without an id', [{ ...page([9], 9), trades: [{ ...row(9), id: undefined }] }]],
  ['trades that are not a list', [{ ...page([9], 9), trades: 'none' }]],
  ['no answer', [null]],
])('refuses %s', async (_, pages) => {
  expect(await list(...pages)).toBe('ACCOUNT_SHAPE')
})

it('refuses the trades of another wallet', async () => {
  expect(await list({ ...page([9], null), wallet: `0x${'22'.repeat(20)}` })).toBe('ACCOUNT_WALLET')
})

it('ends: a server cannot keep the reader busy for ever', async () => {
  let page = 20_000
  const shift = () => {
    page--
    return full(100 * page + 1)
  }
  const endless = { shift, length: 1 } as unknown as unknown[]
  expect(await listOf(endless)).toBe('ACCOUNT_SHAPE')
})
