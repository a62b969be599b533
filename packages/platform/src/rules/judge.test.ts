import fc from 'fast-check'
import { expect, expectTypeOf, it, vi } from 'vitest'
import { judgeAll, judgeAllAsync, judgeFirst, type Rule } from './judge.ts'

interface Facts {
  size: number | undefined
}
interface Verdict {
  ok: boolean
  message: string
}
const RULES: readonly (Rule<Facts, Verdict, 'SMALL' | 'LARGE'> & { field?: string })[] = [
  {
    code: 'SMALL',
    field: 'size',
    check: ({ size }) => (size === undefined ? null : { ok: size >= 2, message: 'At least 2.' }),
  },
  {
    code: 'LARGE',
    check: ({ size }) => (size === undefined ? null : { ok: size <= 9, message: 'At most 9.' }),
  },
]

it('evaluates every applicable rule and keeps its other fields', () => {
  const row = ({ code, field }: (typeof RULES)[number], { ok }: Verdict) => ({ code, ok, field })
  expect(judgeAll(RULES, { size: 1 }, row)).toEqual([
    { code: 'SMALL', ok: false, field: 'size' },
    { code: 'LARGE', ok: true, field: undefined },
  ])
  expect(judgeAll(RULES, { size: undefined }, row)).toEqual([])
  expectTypeOf(judgeAll(RULES, { size: 1 }, ({ code }) => code)).toEqualTypeOf<('SMALL' | 'LARGE')[]>()
  // @ts-expect-error other facts
  judgeAll(RULES, { weight: 1 } as { weight: number }, row)
})

it('stops at the first rule with a result', () => {
  const later = vi.fn(() => 'later')
  const rules = [
    { code: 'A', check: () => null },
    { code: 'B', check: (text: string) => `not ${text}` },
    { code: 'C', check: later },
  ]
  expect(judgeFirst(rules, 'this', ({ code }, fault) => `${code}: ${fault}`)).toBe('B: not this')
  expect(later).not.toHaveBeenCalled()
  expect(judgeFirst(rules.slice(0, 1), 'this', ({ code }) => code)).toBeNull()
})

it('returns verdicts in the order of the list, async or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.integer())), async (verdicts) => {
      const rules = verdicts.map((verdict, i) => ({ code: `${i}`, check: (_: null) => verdict }))
      const waiting = rules.map(({ code, check }) => ({ code, check: async (facts: null) => check(facts) }))
      const row = ({ code }: { code: string }, verdict: number) => `${code} ${verdict}`
      const expected = verdicts.flatMap((verdict, i) => (verdict === null ? [] : [`${i} ${verdict}`]))
      expect(judgeAll(rules, null, row)).toEqual(expected)
      expect(await judgeAllAsync(waiting, null, row)).toEqual(expected)
      expect(judgeFirst(rules, null, row)).toBe(expected[0] ?? null)
    }),
  )
})
