import { expect, it, vi } from 'vitest'

vi.mock('../wallet/connect.ts', () => ({ openClient: () => Promise.reject(new Error('not signed in')) }))
vi.stubGlobal('window', { sessionStorage: { getItem: () => null } })

const { knownText, microUsdText } = await import('./report.ts')

it('what is unknown is shown as unknown, with its number', () => {
  expect(knownText({ microUsd: 1_500_000n, unknown: 0 })).toBe('$1.50')
  expect(knownText({ microUsd: -1_500_000n, unknown: 2 })).toBe('−$1.50 + 2 unknown')
  expect(knownText({ microUsd: 0n, unknown: 1 })).toBe('1 part unknown')
  expect(microUsdText(null)).toBe('unknown')
})
