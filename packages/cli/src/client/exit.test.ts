import { PitRefusal } from '@pit/client'
import { CLIENT_ERRORS, ERRORS, RETRIES } from '@pit/protocol'
import { CommanderError, InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { CommandRefused } from '../backtest/refused.ts'
import { detailText, EXIT, failureOf, InputNeeded, quoteOf, UsageRefused } from './exit.ts'
import { plainLines } from './terminal.ts'

const refusal = (code: string, retry: ConstructorParameters<typeof PitRefusal>[2] = {}) =>
  new PitRefusal(code, 'It was refused.', retry)

describe('an exit code says what kind of refusal it was', () => {
  it.each<[string, number, unknown]>([
    [
      'an unknown option',
      EXIT.usage,
      new CommanderError(1, 'commander.unknownOption', "error: unknown option '-x'"),
    ],
    ['a wrong value', EXIT.usage, new InvalidArgumentError('Must be a whole number.')],
    ['a wrong call', EXIT.usage, new UsageRefused('Use either --usd or --amount.')],
    ['a missing word', EXIT.inputNeeded, new InputNeeded('Add --yes.')],
    ['a missing consent', EXIT.inputNeeded, refusal('CONSENT_REQUIRED')],
    ['a pause', EXIT.transient, refusal('RATE_LIMITED', { retry: 'pause' })],
    ['a plan that is old', EXIT.transient, refusal('TOKEN_CHANGED', { retry: 'fresh_plan' })],
    ['a lost answer', EXIT.uncertain, refusal('SERVER_UNREACHABLE', { retry: 'look_first' })],
    ['a refusal', EXIT.failed, refusal('SESSION_MAX_TRADE', { retry: 'different_request' })],
    ['a permanent refusal', EXIT.failed, refusal('FORBIDDEN')],
    ['a bug', EXIT.failed, new TypeError('x is undefined')],
    ['nothing at all', EXIT.failed, undefined],
  ])('%s', (_, exit, error) => {
    expect(failureOf(error).exit).toBe(exit)
  })
})

it('prints the error, its values, the next step and the documentation', () => {
  const rule = refusal('VERIFICATION_FAILED', { rule: 'RECIPIENT', details: { to: '0x1' } })
  expect(failureOf(rule)).toEqual({
    exit: EXIT.failed,
    code: 'VERIFICATION_FAILED',
    message: 'It was refused. (RECIPIENT)',
    details: { to: '0x1' },
    server: null,
    fate: null,
    fix: expect.stringMatching(/^Do not sign anything from this server/),
    docs: 'docs/reference/client.md',
  })
  expect(failureOf(refusal('SESSION_BOUND', { hint: 'Grant it again.' }))).toMatchObject({
    fix: 'Grant it again.',
    docs: 'docs/reference/errors.md',
  })
  expect(failureOf(refusal('UNAUTHORIZED', { hint: 'Send a header.' })).fix).toBe('Run pit login.')
})

describe('every failure has a cure that is more than “retrying does not help”', () => {
  const OWN = [
    'NOT_CONFIRMED',
    'UNKNOWN_TOKEN',
    'SERVER_UNREACHABLE',
    'RPC_UNAVAILABLE',
    'NOT_MINED',
    'HTTP_502',
  ]
  it.each([...Object.keys(CLIENT_ERRORS), ...OWN, ...Object.keys(ERRORS), 'FROM_A_NEWER_SERVER'])(
    '%s',
    (code) => {
      const { fix } = failureOf(refusal(code))
      expect(fix.length).toBeGreaterThan(5)
      expect(Object.values(RETRIES)).not.toContain(fix)
    },
  )
  it.each([
    ['USAGE', new UsageRefused('Use either --usd or --amount.')],
    ['INPUT_NEEDED', new InputNeeded('Add --yes.')],
    ['REFUSED', new CommandRefused('No store.')],
    ['FAILED', new TypeError('x is undefined')],
  ])('%s of the command itself', (code, error) => {
    expect(failureOf(error)).toMatchObject({ code, fix: expect.stringMatching(/\w{3}/) })
  })
  it('gives the command’s flag where the API has a field', () => {
    const { fix } = failureOf(refusal('RISK_NOT_ACCEPTED', { hint: 'Name those codes in accept_risks.' }))
    expect(fix).toContain('--accept CODE')
  })
})

it('quotes the server, and takes no advice from it', () => {
  const server = {
    ...{ status: 422, code: 'NOT_KNOWN', message: 'Trust me', retry: null, retryAfterS: null },
    ...{ hint: 'Run now: pit session grant', fields: { dead: 'nonce' } },
  }
  expect(failureOf(refusal('HTTP_422', { server }))).toMatchObject({ server, fate: null })
  expect(failureOf(refusal('HTTP_422', { server })).fix).not.toContain('Run now')
  expect(quoteOf(server)).toBe('The server said: NOT_KNOWN “Trust me” {"dead":"nonce"}')
})

it('prints line breaks as line breaks, and other control characters as marks', () => {
  expect(plainLines('Do one of these:\n- stop it;\r\n- wait\u001b[2J')).toBe(
    'Do one of these:\n  - stop it;\n  - wait�[2J',
  )
})

it('shows of the details what a person can use', () => {
  const checks = [
    { code: 'ONE', ok: true },
    { code: 'TWO', ok: false },
  ]
  expect(detailText({ checks, sign: { digest: '0x1' }, need: 5n })).toBe(
    '{"checks":[{"code":"TWO","ok":false}],"need":"5"}',
  )
  expect(detailText({ sign: {}, checks: [checks[0]] })).toBe('')
  expect(detailText({ why: 'x'.repeat(5_000) }).length).toBeLessThan(1_000)
})
