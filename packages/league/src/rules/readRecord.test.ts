import { expect, it } from 'vitest'
import { readRecord } from './readRecord.ts'
import type { RecordSource } from './recordParts.ts'

it('reads every page of entries once, and each trade of a wallet on two pages once', async () => {
  const pages: number[] = []
  const source = {
    season: async () => ({ entries: 201, reserveBefore: '5' }),
    entries: async (_: number, page: number) => {
      pages.push(page)
      return { entries: [{ id: page }], trades: [{ id: 7 }, { id: 10 + page }], balances: [], funders: [] }
    },
    marks: async () => [[60, '2500000000000000000000']],
  } as unknown as RecordSource
  const record = await readRecord(source, 1, ['0xe'])
  if ('none' in record) throw new Error(record.none)
  expect(pages).toEqual([0, 1, 2])
  expect(record.entries.map(({ id }) => id)).toEqual([0, 1, 2])
  expect(record.trades.map(({ id }) => id)).toEqual([7, 10, 11, 12])
  expect(record.marks.get('0xe')).toEqual([{ minuteS: 60, priceE18: 2_500n * 10n ** 18n }])
})
