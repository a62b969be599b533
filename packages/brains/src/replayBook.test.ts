import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyFill, replayBook } from './replayBook.ts'

const at = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const USDG = at(1)
const tokens = [USDG, at(2), at(3)] as const
const move = fc
  .record({
    tokens: fc.shuffledSubarray([...tokens], { minLength: 2, maxLength: 2 }),
    amountIn: fc.bigInt({ min: 1n, max: 2n ** 120n }),
    amountOut: fc.bigInt({ min: 0n, max: 2n ** 120n }),
    gasUsdgAtoms: fc.bigInt({ min: 0n, max: 10_000n }),
  })
  .map(({ tokens: [tokenIn, tokenOut], ...rest }) => ({ tokenIn: tokenIn!, tokenOut: tokenOut!, ...rest }))

describe('a book', () => {
  it('never has a negative balance, and changes by exactly the moved amounts', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 120n }),
        fc.array(move, { maxLength: 30 }),
        (start, moves) => {
          const book = new Map<string, bigint>([[USDG, start]])
          const made: typeof moves = []
          for (const fill of moves) {
            const before = new Map(book)
            const applied = applyFill(book, fill, USDG)
            if (!applied.ok) {
              // The book is unchanged, and one atom less would still not suffice.
              expect(book).toEqual(before)
              expect(applied.lacking).toBeGreaterThan(0n)
              continue
            }
            for (const [token, atoms] of applied.after) book.set(token, atoms)
            made.push(fill)
            for (const token of tokens) {
              const moved =
                (fill.tokenOut === token ? fill.amountOut : 0n) -
                (fill.tokenIn === token ? fill.amountIn : 0n) -
                (token === USDG ? fill.gasUsdgAtoms : 0n)
              expect((book.get(token) ?? 0n) - (before.get(token) ?? 0n)).toBe(moved)
              expect(book.get(token) ?? 0n).toBeGreaterThanOrEqual(0n)
            }
          }
          const held = new Map([...book].filter(([, atoms]) => atoms > 0n))
          expect(replayBook(start, made, USDG)).toEqual(held)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('reports the missing amount, to the atom', () => {
    const book = new Map([[USDG, 10n]])
    const fill = { tokenIn: USDG, tokenOut: at(2), amountIn: 8n, amountOut: 1n, gasUsdgAtoms: 3n }
    expect(applyFill(book, fill, USDG)).toEqual({ ok: false, token: USDG, lacking: 1n })
    expect(applyFill(book, { ...fill, gasUsdgAtoms: 2n }, USDG)).toEqual({
      ok: true,
      after: new Map([
        [USDG, 0n],
        [at(2), 1n],
      ]),
    })
  })

  it('pays gas from the output of the same trade', () => {
    const book = new Map([[at(2), 5n]])
    const fill = { tokenIn: at(2), tokenOut: USDG, amountIn: 5n, amountOut: 100n, gasUsdgAtoms: 7n }
    expect(applyFill(book, fill, USDG)).toMatchObject({
      ok: true,
      after: new Map([
        [at(2), 0n],
        [USDG, 93n],
      ]),
    })
  })

  it('rejects fills that it could not make', () => {
    const fill = { tokenIn: USDG, tokenOut: at(2), amountIn: 11n, amountOut: 1n, gasUsdgAtoms: 0n }
    expect(() => replayBook(10n, [fill], USDG)).toThrow(/1 atoms/)
    expect(() => replayBook(10n, [{ ...fill, amountIn: -1n }], USDG)).toThrow(/fill 0 has a negative/)
  })
})
