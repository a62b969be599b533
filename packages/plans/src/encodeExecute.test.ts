import { type Address, decodeExecute, type RouterCommand, type RouterLayout } from '@pit/chain'
import { callByViem } from '@pit/chain/test/callByViem'
import { call } from '@pit/chain/test/randomCall'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { encodeExecute } from './encodeExecute.ts'

/** Share of the random rounds to run: npm test runs a fifth of them. */
const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

// Thousands of inputs through viem; machines may be busy.
vi.setConfig({ testTimeout: 60_000 })

it.each<RouterLayout>(['2.1.0', '2.1.1', '2.1.2'])(
  'encodes for router %s like viem, and decodes it again',
  (layout) => {
    fc.assert(
      fc.property(call(), (plan) => {
        const data = encodeExecute(plan, layout)
        expect(data).toBe(callByViem(plan, layout))
        expect(decodeExecute(data, layout)).toEqual({ ok: true, call: plan })
      }),
      { numRuns: 2000 * SHARE },
    )
  },
)

it('never truncates to fit', () => {
  const token: Address = `0x${'11'.repeat(20)}`
  const me: Address = `0x${'22'.repeat(20)}`
  const swap = {
    command: 'V3_SWAP_EXACT_IN',
    recipient: me,
    amountIn: 5n,
    amountOutMin: 4n,
    payerIsUser: true,
  } as const
  const sweep = (amountMin: bigint) => () =>
    encodeExecute({ commands: [{ command: 'SWEEP', token, recipient: me, amountMin }], deadlineS: 1n })
  expect(sweep(2n ** 160n - 1n)).not.toThrow()
  expect(sweep(2n ** 160n)).toThrow(RangeError)
  expect(sweep(-1n)).toThrow(RangeError)
  const path = (fee: number, who: Address) => () =>
    encodeExecute({
      commands: [{ ...swap, path: { tokens: [token, who], fees: [fee] } } as RouterCommand],
      deadlineS: 1n,
    })
  expect(path(2 ** 24, me)).toThrow(RangeError)
  expect(path(0.5, me)).toThrow(RangeError)
  expect(path(500, '0x12')).toThrow(TypeError)
  expect(path(500, `0x${'zz'.repeat(20)}`)).toThrow(TypeError)
})
