import { PitRefusal } from '@pit/client'
import { ERRORS, RETRIES } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { MCP_ERRORS } from './errors.ts'
import { errorOf } from './refusal.ts'
import { TOOLS } from './tools/index.ts'

/** Words with an underscore that a model can use: tools, their parameters, and fields of the refusal itself. */
const USABLE = new Set([
  ...TOOLS.flatMap(({ name, input }) => [name, ...Object.keys(input.properties)]),
  ...['retry_after_s', 'untrusted_detail'],
])

const SAID = {
  status: 400,
  code: null,
  message: null,
  retry: null,
  retryAfterS: null,
  hint: null,
  fields: {},
}

/** Words that make sense only to callers of the HTTP API or its operator. */
const foreignWords = (text: string): string[] => [
  ...(text.match(/`|\b(GET|POST) |Retry-After|\blive\/|\bhosted\/|\bme\/|\bconfig\b|AUTH_DOMAIN/g) ?? []),
  ...(text.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g) ?? []).filter((word) => !USABLE.has(word)),
]

describe('hints mention only what the tool or its operator can change', () => {
  it.each(Object.keys(ERRORS))('%s', (code) => {
    const { what_to_do } = errorOf(new PitRefusal(code, 'no', { server: SAID, hint: 'Send `field`.' }))
    expect(foreignWords(what_to_do)).toEqual([])
    expect(Object.values(RETRIES)).not.toContain(what_to_do)
  })
  it.each(Object.entries(MCP_ERRORS))('%s of the server itself', (_, { message, what_to_do }) => {
    expect([...foreignWords(message), ...foreignWords(what_to_do)]).toEqual([])
  })
})
