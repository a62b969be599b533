import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogger, redact } from './logger.ts'

const KEY = `pit_w_${'Zk3-_'.repeat(9)}`
const SIGNATURE = `0x${'ab'.repeat(65)}`
const SECRET = 'whsec-very-secret'

describe('createLogger', () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'trace', destination: { write: (line) => void lines.push(line) } })

  it.each<[string, () => void]>([
    ['a header', () => logger.info({ headers: { authorization: `Bearer ${KEY}`, cookie: SECRET } })],
    ['a nested body', () => logger.info({ a: { b: { c: [{ api_key: KEY, webhook_secret: SECRET }] } } })],
    ['a message', () => logger.warn(`refused ${KEY} with ${SIGNATURE}`)],
    ['an error', () => logger.error({ err: new Error(`bad ${KEY}`) }, 'failed')],
    ['a cause', () => logger.error({ err: new Error('x', { cause: new Error(`Bearer ${KEY}`) }) })],
    ['a child', () => logger.child({ request: { signature: SIGNATURE } }).info('x')],
    [
      'JSON in a string',
      () => logger.info({ body: JSON.stringify({ webhook_secret: SECRET, raw_tx: SIGNATURE }) }),
    ],
    [
      'JSON in JSON in a string',
      () => logger.info(JSON.stringify({ b: JSON.stringify({ webhook_secret: SECRET }) })),
    ],
    ['lists', () => logger.info({ raw_txs: [SIGNATURE, SECRET] })],
    ['an object', () => logger.info({ curve_root_signatures: { '0x1': SECRET } })],
    ['a URL', () => logger.info(`redis://user:${SECRET}@host/0`)],
  ])('keeps secrets out of %s', (_where, write) => {
    lines.length = 0
    write()
    const text = lines.join('')
    expect(lines).toHaveLength(1)
    for (const secret of [KEY, SIGNATURE, SECRET]) expect(text).not.toContain(secret)
    expect(() => JSON.parse(text)).not.toThrow()
  })

  it('shows what is not secret', () => {
    lines.length = 0
    logger.info({ requestId: 'r1', hash: `0x${'1'.repeat(64)}` }, 'answered')
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'info',
      requestId: 'r1',
      hash: `0x${'1'.repeat(64)}`,
      msg: 'answered',
    })
  })

  it('finds a secret behind a line separator, which JSON does not escape', () => {
    const inner = JSON.stringify({ signature: 's3cret\u2028more' })
    expect(redact(`${JSON.stringify({ note: `failed: ${JSON.stringify(inner)}` })}\n`)).not.toContain(
      's3cret',
    )
  })

  it('keeps every line valid JSON and free of secrets', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string(), (text, other) => {
        const secret = `s3cret${text}`
        const inner = JSON.stringify({ signature: secret, other })
        const fields = {
          other,
          deep: [{ api_key: secret }],
          body: inner,
          note: `failed: ${JSON.stringify(inner)}`,
        }
        const line = redact(`${JSON.stringify(fields)}\n`)
        expect(line).not.toContain('s3cret')
        expect(JSON.parse(line)).toMatchObject({ other, deep: [{ api_key: '[redacted]' }] })
      }),
    )
  })
})
