import { isPitError } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonObject } from './parseJson.ts'

function refusedField(text: string | Buffer): unknown {
  try {
    parseJsonObject(Buffer.from(text as string))
  } catch (error) {
    if (isPitError(error)) return [error.code, error.extras['field']]
    throw error
  }
  return 'passed'
}

describe('parseJsonObject', () => {
  it('parses like JSON.parse, for any object without forbidden content', () => {
    const leaf = fc.oneof(
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
    )
    const text = fc.string({ unit: 'grapheme' }).filter((s) => !/[\u0000-\u001f\u007f]/.test(s))
    const name = text.filter((s) => s !== '__proto__' && s !== 'constructor')
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        leaf,
        text,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(name, tie('tree'), { maxKeys: 5 }),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(name, tree), fc.constantFrom('', ' ', 2), (value, indent) => {
        const json = JSON.stringify(value, null, indent)
        expect(parseJsonObject(Buffer.from(json))).toEqual(JSON.parse(json))
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"x":{"b" : [1,{"c":1,"d":"\\"c\\":","c"\n:2}]}}', 'x.b.1.c'],
    ['{"__proto__":{"x":1}}', '__proto__'],
    ['{"a":{"\\u005f_proto__":1}}', 'a.__proto__'],
    ['{"constructor":{"prototype":{}}}', 'constructor'],
    ['{"n":1e999}', 'n'],
    ['{"n":9007199254740993}', 'n'],
    ['{"list":[1,2,-1e300]}', 'list.2'],
    ['{"s":"a\\u0000b"}', 's'],
    ['{"s":"line\\nline"}', 's'],
    ['{"s":"\\ud800"}', 's'],
    ['{"s":"\\udc00\\ud800"}', 's'],
    [`${'{"a":'.repeat(17)}{}${'}'.repeat(17)}`, Array(16).fill('a').join('.')],
    [`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, `a${'.0'.repeat(15)}`],
    ['[]', 'body'],
    ['null', 'body'],
    ['"x"', 'body'],
    ['', 'body'],
    ['{', 'body'],
    ['{"a":NaN}', 'body'],
    ['{"a":01}', 'body'],
    ['{"a":"\u0001"}', 'body'],
    ['\ufeff{}', 'body'],
    ['{}{}', 'body'],
  ])('rejects %j and names the field', (text, field) => {
    expect(refusedField(text)).toEqual(['BAD_REQUEST', field])
  })

  it('rejects bytes that are not UTF-8', () => {
    expect(refusedField(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toEqual([
      'BAD_REQUEST',
      'body',
    ])
  })

  it('accepts a key named constructor that reaches no prototype, and text outside the basic plane', () => {
    expect(parseJsonObject(Buffer.from('{"constructor":"x","s":"🦊"}'))).toEqual({
      constructor: 'x',
      s: '🦊',
    })
  })

  it('never quotes the body in its message', () => {
    try {
      parseJsonObject(Buffer.from('{"api_key":"pit_w_secret" oops'))
      expect.unreachable()
    } catch (error) {
      expect((error as Error).message).toBe('The body is not valid JSON.')
    }
  })

  it('accepts line breaks and tabs only in multi-line fields', () => {
    const refused = (text: string) => {
      try {
        parseJsonObject(Buffer.from(text), ['params.strategy'])
      } catch (error) {
        if (isPitError(error)) return error.extras['field']
        throw error
      }
      return 'passed'
    }
    expect(refused('{"params":{"strategy":"Buy dips.\\n\\tSell rips."}}')).toBe('passed')
    expect(refused('{"params":{"strategy":"Buy\\r\\ndips."}}')).toBe('params.strategy')
    expect(refused('{"params":{"strategy":"Buy\\u0000"}}')).toBe('params.strategy')
    expect(refused('{"params":{"strategy":"\\ud800\\n"}}')).toBe('params.strategy')
    expect(refused('{"params":{"url":"a\\nb"}}')).toBe('params.url')
    expect(refused('{"strategy":"a\\nb"}')).toBe('strategy')
    expect(refused('{"params":{"strategy":{"strategy":"a\\nb"}}}')).toBe('params.strategy.strategy')
  })
})
