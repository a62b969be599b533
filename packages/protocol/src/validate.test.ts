import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { checkWith } from './validate.ts'

const Limits = Type.Object({ max_trade_usd: Type.Number() }, { additionalProperties: false })
const Strict = Type.Object(
  {
    limits: Limits,
    tags: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]+$', description: 'a word' }))),
  },
  { additionalProperties: false },
)

describe('checkWith', () => {
  it('passes what fits', () => {
    expect(checkWith(Strict, { limits: { max_trade_usd: 5 }, tags: ['a'] })).toEqual({ ok: true })
  })

  it.each([
    [{ limits: {} }, 'BAD_REQUEST', 'limits.max_trade_usd'],
    [{ limits: { max_trade_usd: '5' } }, 'BAD_REQUEST', 'limits.max_trade_usd'],
    [{ limits: { max_trade_usd: Number.POSITIVE_INFINITY } }, 'BAD_REQUEST', 'limits.max_trade_usd'],
    [{ limits: { max_trade_usd: 5, max_tade_usd: 5 } }, 'UNKNOWN_FIELD', 'limits.max_tade_usd'],
    [{ limits: { max_trade_usd: 5 }, tags: ['a', 'B'] }, 'BAD_REQUEST', 'tags.1'],
    [{ limits: { max_trade_usd: 5 }, 'a/b~c': 1 }, 'UNKNOWN_FIELD', 'a/b~c'],
    [[], 'BAD_REQUEST', ''],
    [null, 'BAD_REQUEST', ''],
  ])('names the field at fault in %j', (value, code, field) => {
    expect(checkWith(Strict, value)).toMatchObject({ ok: false, code, field })
  })

  it('never echoes control characters of a field name', () => {
    const checked = checkWith(Strict, { limits: { max_trade_usd: 5 }, 'x\n\u0000y': 1 })
    expect(checked).toMatchObject({ ok: false, message: 'This route does not take `x??y`.' })
  })

  it('wants exactly one of a group', () => {
    const Sized = Type.Object(
      { usd: Type.Optional(Type.Number()), atoms: Type.Optional(Type.String()) },
      { exactlyOne: ['usd', 'atoms'] },
    )
    expect(checkWith(Sized, { usd: 1 })).toEqual({ ok: true })
    expect(checkWith(Sized, {})).toMatchObject({ ok: false, field: 'usd' })
    expect(checkWith(Sized, { usd: 1, atoms: '1' })).toMatchObject({ ok: false, field: 'atoms' })
  })

  it('judges a union by the variant its field chooses', () => {
    const Two = Type.Union(
      [Type.Object({ id: Type.String(), sig: Type.String() }), Type.Object({ wallet: Type.String() })],
      { chosenBy: { field: 'id' } },
    )
    expect(checkWith(Two, { id: 'a', wallet: 'w' })).toMatchObject({ ok: false, field: 'sig' })
    expect(checkWith(Two, {})).toMatchObject({ ok: false, field: 'wallet' })
    expect(checkWith(Two, { id: 'a', sig: 's' })).toEqual({ ok: true })
  })
})
