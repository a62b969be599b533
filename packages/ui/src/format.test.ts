import { expect, it } from 'vitest'
import { amount, bps, centsUsd, dateTime, day, duration, ms, shortHex, usd } from './format.ts'

it.each([
  [0, '$0.00'],
  [1234.5, '$1,234.50'],
  [0.000123456, '$0.00012346'],
  [-3.2, '−$3.20'],
  [null, '–'],
])('%s dollars are %s', (value, text) => {
  expect(usd(value)).toBe(text)
})

it.each([
  [-0.30356, '−$0.30'],
  [0.001, '$0.0010'],
  [1_234.567, '$1,234.57'],
  [0, '$0.00'],
])('%s dollars of profit are %s', (value, text) => {
  expect(centsUsd(value)).toBe(text)
})

it('is a function of one argument, also for a list', () => {
  expect([0.5, 2].map(usd)).toEqual(['$0.50', '$2.00'])
})

it.each([
  ['1000000', 6, '1'],
  ['1234567890', 6, '1,234.56'],
  ['1', 18, '0.000000000000000001'],
  ['123456789012345678901', 18, '123.456'],
  ['-2500000', 6, '−2.5'],
  ['0', 18, '0'],
])('%s atoms of %s decimals are %s', (atoms, decimals, text) => {
  expect(amount(atoms, decimals)).toBe(text)
})

it('shows atoms if the decimals are unknown', () => {
  expect(amount('12', null)).toBe('12 atoms')
})

it.each([
  [59, '59 s'],
  [61, '1 min 1 s'],
  [86_400 * 3 + 7_200, '3 d 2 h'],
  [-5, '0 s'],
])('%s seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})

it('a time that no date has is shown as unknown', () => {
  expect([dateTime(9e15), day(Number.NaN), dateTime(0)]).toEqual([
    'unknown time UTC',
    'unknown time',
    '1970-01-01 00:00 UTC',
  ])
})

it('shares, times and hashes are short', () => {
  expect([bps(-3.64), ms(1.26), ms(125.4), shortHex('0x1234567890abcdef')]).toEqual([
    '−3.6 bps',
    '1.3 ms',
    '125 ms',
    '0x1234…cdef',
  ])
})
