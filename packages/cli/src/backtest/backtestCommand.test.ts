import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoredMark } from '@pit/brains/backtest'
import { afterAll, describe, expect, it } from 'vitest'
import { type BacktestDeps, backtestCommand } from './backtestCommand.ts'
import { type Marks, readMarksFile, writeMarksFile } from './marksFile.ts'
import { amount } from './printBacktest.ts'

const NOW_S = 1_800_000_000
const folder = mkdtempSync(join(tmpdir(), 'pit-backtest-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const wave = (): StoredMark[] =>
  Array.from({ length: 1_440 }, (_, i) => ({
    atS: NOW_S - (1_440 - i) * 60,
    priceE18: BigInt(Math.round((2_000 + 90 * Math.sin(i / 50)) * 1e6)) * 10n ** 12n,
    stale: i === 7,
  }))

async function pit(args: string[], marks: Marks = new Map([['ETH', wave()]])) {
  const printed: string[] = []
  const reads: Parameters<BacktestDeps['readStore']>[0][] = []
  const command = backtestCommand({
    nowS: () => NOW_S,
    print: (text) => void printed.push(text),
    readFile: readMarksFile,
    writeFile: writeMarksFile,
    async readStore(request) {
      reads.push(request)
      return marks
    },
    readTokens: async () => [],
  })
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
  await command.parseAsync(args, { from: 'user' })
  return { text: printed.join('\n'), asked: reads }
}

describe('pit backtest', () => {
  it('prints what was assumed, the fills and the book', async () => {
    const { text, asked } = await pit([
      'grid',
      '--params',
      '{"range_bps":400,"start":"filled"}',
      '--days',
      '1',
    ])
    expect(text).toMatch(
      /^grid from .* UTC to .* UTC\nassumptions: filled at the mark with 10 bps slippage; fee 25 bps/,
    )
    expect(text).toMatch(/profit -?\$\d/)
    expect(text).toContain('USDG')
    expect(asked).toEqual([{ tokens: ['ETH'], fromS: NOW_S - 86_400, toS: NOW_S }])
  })
  it.each([
    [10_000_000n * 10n ** 18n, '10000000'],
    [12_345_670n * 10n ** 18n, '12345670'],
    [10n ** 28n, '10000000000'],
    [15n * 10n ** 17n, '1.5'],
    [123_456_789n * 10n ** 12n, '123.45679'],
  ])('prints all digits of a whole amount: %s', (atomsE18, text) => {
    expect(amount(atomsE18)).toBe(text)
  })
  it('takes parts of a day, in whole seconds', async () => {
    const { asked } = await pit(['dca', '--days', '0.3333333'])
    expect(asked).toEqual([{ tokens: ['ETH'], fromS: NOW_S - 28_800, toS: NOW_S }])
  })
  it('takes no params that speak of other tokens', async () => {
    await expect(pit(['rebalance', '--params', '{"weights":{"eth":50}}'])).rejects.toThrow(
      /not the base of any pair/,
    )
  })
  it('reads as far back as the brain looks', async () => {
    const { asked } = await pit([
      'momentum',
      '--from',
      String(NOW_S - 3_600),
      '--params',
      '{"lookback_s":1800}',
    ])
    expect(asked[0]?.fromS).toBe(NOW_S - 3_600 - 2_400)
  })
  it('gives all of it as JSON', async () => {
    const run = JSON.parse((await pit(['dca', '--json', '--days', '1', '--params', '{"usd":5}'])).text)
    expect(run).toMatchObject({
      brain: 'dca',
      startMicroUsd: '1000000000',
      terms: { feeBps: 25, slippageBps: 10 },
    })
    expect(run.fills.length).toBeGreaterThan(100)
  })
  it('saves marks and reads them back to the same book', async () => {
    const file = join(folder, 'marks.json')
    const args = ['mean_reversion', '--days', '1', '--json']
    const fromStore = await pit([...args, '--save-marks', file])
    const fromFile = await pit([...args, '--marks', file])
    expect(fromFile.text).toBe(fromStore.text)
    expect(fromFile.asked).toEqual([])
    expect(readMarksFile(file, ['ETH']).get('ETH')).toEqual(wave())
  })
  it('reads a file as a server has it at /marks/ETH.json, to the same book', async () => {
    const file = join(folder, 'ETH.json')
    writeFileSync(
      file,
      JSON.stringify(wave().map(({ atS, priceE18, stale }) => [atS, String(priceE18), stale])),
    )
    const args = ['mean_reversion', '--days', '1', '--json']
    const served = await pit([...args, '--marks', file])
    expect(served.text).toBe((await pit(args)).text)
    await expect(
      pit([...args, '--pair', 'ETH/USDG', '--pair', 'cbBTC/USDG', '--marks', file]),
    ).rejects.toThrow('ETH, cbBTC are traded')
  })
  it.each([
    [['webhook'], 'cannot be backtested'],
    [[], 'Give a brain'],
    [['dca', '--params', '{'], 'not valid JSON'],
    [['dca', '--params', '{"usd":0}'], 'params.usd'],
    [['dca', '--pair', 'cbBTC/USDG'], 'No stored prices of cbBTC'],
    [['dca', '--from', '2030-01-01'], 'before --to'],
    [['dca', '--interval', '1'], 'at least 10 s'],
    [['dca', '--pair', 'ETH'], 'BASE/QUOTE'],
    [['dca', '--start', '0'], 'above 0'],
  ])('refuses %j', async (args, why) => {
    await expect(pit(args)).rejects.toThrow(why)
  })
  it.each([
    ['{}', 'no "marks"'],
    ['nonsense', 'JSON'],
    ['{"marks":{"ETH":[[1,"0"]]}}', 'row 0'],
    ['{"marks":{"ETH":[[1,"1e5"]]}}', 'row 0'],
    ['{"marks":{"ETH":[[1,"1.0000000000000000001"]]}}', 'row 0'],
    ['{"marks":{"ETH":{}}}', 'not a list'],
    ['[[1,"2.5",false]]', 'row 0'],
    ['[[1,"25"]]', 'row 0'],
    ['[null]', 'row 0'],
  ])('refuses a file of %s', (text, why) => {
    const file = join(folder, 'bad.json')
    writeFileSync(file, text)
    expect(() => readMarksFile(file, ['ETH'])).toThrow(why)
  })
})
