import { expect, it } from 'vitest'
import { createConfirmation, offersForms } from './confirmation.ts'

const request = (responses?: object, state?: string) =>
  ({ inputResponses: responses, requestState: () => state }) as never
const ARGS = { token_in: 'ETH', notional_usd: 5 }
const accepted = { confirm: { action: 'accept', content: {} } }

function ask() {
  const confirm = createConfirmation()
  const first = confirm(request(), 'place_trade', ARGS, 'Sell $5 of ETH?')
  return { confirm, state: first!.requestState!, first }
}

it('asks the user first', () => {
  expect(ask().first).toMatchObject({
    resultType: 'input_required',
    inputRequests: { confirm: { method: 'elicitation/create', params: { message: 'Sell $5 of ETH?' } } },
  })
})

it('accepts the confirmed call', () => {
  const { confirm, state } = ask()
  expect(confirm(request(accepted, state), 'place_trade', ARGS, '')).toBeNull()
})

it.each<[string, object | undefined, (state: string) => string | undefined, object]>([
  ['a declined confirmation', { confirm: { action: 'decline' } }, (state) => state, ARGS],
  ['a cancelled confirmation', { confirm: { action: 'cancel' } }, (state) => state, ARGS],
  ['other arguments', accepted, (state) => state, { ...ARGS, notional_usd: 500 }],
  ['a forged state', accepted, () => '0'.repeat(64), ARGS],
  ['an unsolicited confirmation', accepted, () => undefined, ARGS],
  ['a state without a confirmation', undefined, (state) => state, ARGS],
])('refuses %s', (_, responses, stateOf, args) => {
  const { confirm, state } = ask()
  expect(() => confirm(request(responses, stateOf(state)), 'place_trade', args, '')).toThrow(
    expect.objectContaining({ code: 'NOT_CONFIRMED' }),
  )
})

it.each([
  [undefined, false],
  [{}, false],
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { url: {} } }, false],
])('a host with %j offers forms: %s', (capabilities, offers) => {
  expect(offersForms(request(), capabilities)).toBe(offers)
})
