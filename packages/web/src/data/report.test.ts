import { expect, it, vi } from 'vitest'

vi.mock('../wallet/connect.ts', () => ({ openClient: () => Promise.reject(new Error('not signed in')) }))
vi.stubGlobal('window', { sessionStorage: { getItem: () => null } })

const { knownFigure, knownText, microUsdText, progressText, unknownNote } = await import('./report.ts')

it('what is unknown is shown as unknown, with its number', () => {
  expect(knownText({ microUsd: 1_500_000n, unknown: 0 })).toBe('$1.50')
  expect(knownText({ microUsd: -1_500_000n, unknown: 2 })).toBe('−$1.50 + 2 unknown')
  expect(knownText({ microUsd: 0n, unknown: 1 })).toBe('1 amount unknown')
  expect(microUsdText(null)).toBe('unknown')
  expect(knownFigure({ microUsd: -726_820n, unknown: 1 })).toBe('−$0.73')
  expect(knownFigure({ microUsd: 0n, unknown: 1 })).toBe('Unknown')
  expect(knownFigure({ microUsd: 0n, unknown: 0 })).toBe('$0.00')
  expect(unknownNote({ microUsd: 0n, unknown: 2 })).toBe('without 2 unknown amounts')
  expect(unknownNote({ microUsd: 0n, unknown: 0 })).toBeUndefined()
})

it('names what is being read, with its share if the total is known', () => {
  expect(progressText('trades', 200, 200)).toBe('Reading trades: 200')
  expect(progressText('receipts', 40, 470)).toBe('Reading receipts: 8%')
  expect(progressText('readings', 470, 470)).toBe('Reading balances and prices: 100%')
  expect(progressText('approvals', 3, 0)).toBe('Reading approvals…')
})
