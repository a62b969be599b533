import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTypeOf, it } from 'vitest'
import type { SignedTerms, TokenFacts, TradeReview } from '../index.ts'
import { inText, joined, type Own, type OwnText, own, say } from './own.ts'
import { amountText } from './tokenFacts.ts'

const symbol: string = 'USDG'
const decimals: number = 6

it('builds texts of own words and own values only', () => {
  const amount = own('5 USDG')
  expect(say`At least ${amount} in ${own(3)} parts`).toBe('At least 5 USDG in 3 parts')
  expect(joined([amount, say`fees`])).toBe('5 USDG, fees')
  expect(inText(own(2), (value) => value.toFixed(2))).toBe('2.00')
  // @ts-expect-error a text of unknown origin
  say`At least ${symbol}`
  // @ts-expect-error one among own texts
  joined([amount, symbol])
  // @ts-expect-error a number of unknown origin
  inText(decimals, (value) => `${value}`)
  const plain = 'at least '.concat(amount)
  // @ts-expect-error plain text made of own values
  say`${plain}`
})

it('marks values at every depth', () => {
  type Plain = { one: string; list: readonly { atoms: bigint }[]; none: number | null }
  expectTypeOf<Own<Plain>['list'][number]['atoms']>().toEqualTypeOf<Own<bigint>>()
  expectTypeOf<Own<Plain>['none']>().toEqualTypeOf<Own<number> | null>()
  expectTypeOf<TradeReview['rows'][number]['text']>().toEqualTypeOf<OwnText>()
  expectTypeOf<SignedTerms['limits']['maxDayUsd']>().toEqualTypeOf<Own<number>>()
})

it('takes no amount or token of a response', () => {
  const token = own({ address: '0x12' as const, name: 'A', symbol: 'A', decimals: 6, isPinned: true })
  const atoms: bigint = 5n
  // @ts-expect-error atoms of unknown origin
  amountText(atoms, token)
  const answered = { address: '0x12' as const, name: symbol, symbol, decimals, isPinned: true }
  // @ts-expect-error a token as a server describes it
  const facts: TokenFacts = answered
  expect(amountText(own(atoms), facts)).toBe('0.000005 USDG')
})

/** Readers of signed bytes, the own node, pins and input. */
const MAY_MARK = [
  'orders/describe.ts',
  'own/tokenFacts.ts',
  'review/reviewTrade.ts',
  'verbs/holdings.ts',
  'verify/signedTerms.ts',
]

it('is marked by few modules, none of them outside the package', () => {
  const files = readdirSync('packages/client/src', { recursive: true, encoding: 'utf8' })
  const marking = files.filter(
    (file) =>
      /\.tsx?$/.test(file) &&
      !file.endsWith('.test.ts') &&
      /import \{[^}]*\bown\b[^}]*\} from '[^']*\/own\.ts'/.test(
        readFileSync(join('packages/client/src', file), 'utf8'),
      ),
  )
  expect(marking.sort()).toEqual(MAY_MARK)
  expect(readFileSync('packages/client/src/index.ts', 'utf8')).not.toMatch(/[{,]\s*own\s*[,}]/)
  for (const folder of ['web', 'ui', 'cli', 'mcp', 'sidecar', 'trading-wallet']) {
    const root = join('packages', folder, 'src')
    const casts = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .filter((file) =>
        /\bas (Own|OwnText|TokenFacts|TradeReview|SignedTerms|ListTerms)\b/.test(
          readFileSync(join(root, file), 'utf8'),
        ),
      )
    expect(casts, folder).toEqual([])
  }
})
