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
    expect(checked).toMatchObject({
      ok: false,
      message: 'This route does not take `x??y`; it takes limits, tags.',
    })
  })

  const Grant = Type.Object(
    {
      max_trade_usd: Type.Optional(Type.Number()),
      max_trades: Type.Optional(Type.Integer()),
      expires_in_s: Type.Optional(Type.Integer()),
      permit: Type.Optional(Type.Union([Limits, Type.Null()])),
      executor: Type.String(),
    },
    { additionalProperties: false },
  )
  it.each([
    [{ executor: 'e', maxTrades: 1 }, 'maxTrades', 'did you mean `max_trades`?'],
    [{ executor: 'e', expires_s: 60 }, 'expires_s', 'did you mean `expires_in_s`?'],
    [{ exekutor: 'e' }, 'exekutor', 'did you mean `executor`?'],
    [
      { executor: 'e', limits: { max_trade_usd: 3 } },
      'limits',
      'send `max_trade_usd` beside the other fields.',
    ],
    [{ executor: 'e', permit: { max_trade_usd: 1, maxTrade: 1 } }, 'permit.maxTrade', '`max_trade_usd`?'],
    [
      { executor: 'e', shape: 1 },
      'shape',
      'it takes max_trade_usd, max_trades, expires_in_s, permit, executor.',
    ],
  ])('says what an unknown field of %j was meant to be', (value, field, message) => {
    expect(checkWith(Grant, value)).toMatchObject({
      ok: false,
      code: 'UNKNOWN_FIELD',
      field,
      message: expect.stringContaining(message) as string,
    })
  })

  it('requires exactly one of a group', () => {
    const Sized = Type.Object(
      { usd: Type.Optional(Type.Number()), atoms: Type.Optional(Type.String()) },
      { exactlyOne: ['usd', 'atoms'] },
    )
    expect(checkWith(Sized, { usd: 1 })).toEqual({ ok: true })
    expect(checkWith(Sized, {})).toMatchObject({ ok: false, field: 'usd' })
    expect(checkWith(Sized, { usd: 1, atoms: '1' })).toMatchObject({ ok: false, field: 'atoms' })
  })

  it('checks a union by the variant its field selects', () => {
    const Two = Type.Union(
      [Type.Object({ id: Type.String(), sig: Type.String() }), Type.Object({ wallet: Type.String() })],
      { chosenBy: { field: 'id' } },
    )
    expect(checkWith(Two, { id: 'a', wallet: 'w' })).toMatchObject({ ok: false, field: 'sig' })
    expect(checkWith(Two, {})).toMatchObject({ ok: false, field: 'wallet' })
    expect(checkWith(Two, { id: 'a', sig: 's' })).toEqual({ ok: true })
  })

  it('says which fields of two forms do not go together', () => {
    const Id = Type.Object({ id: Type.String() }, { additionalProperties: false })
    const Start = Type.Object({ wallet: Type.String() }, { additionalProperties: false })
    const Two = Type.Union([Id, Start], { chosenBy: { field: 'id' } })
    expect(checkWith(Two, { id: 'a', wallet: 'w' })).toMatchObject({
      field: 'wallet',
      message: 'This route does not take `wallet` together with `id`.',
    })
  })
})
