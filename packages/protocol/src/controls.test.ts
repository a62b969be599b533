import { describe, expect, it } from 'vitest'
import { createBinding } from './binding.ts'
import { controlsInWords, controlsJson, readControls } from './controls.ts'

const breaker = { max_fall_usd: 20, window_s: 86_400, cool_down_s: 3_600 }
const word = (digit: string, length: number) => `0x${digit.repeat(length)}` as const
const bindingWith = (controls?: Parameters<typeof readControls>[0]) => {
  const read = controls && readControls(controls)
  if (read && 'fault' in read) throw new Error(read.fault.message)
  return createBinding({
    wallet: word('1', 40),
    executor: word('2', 40),
    cosigner: word('3', 40),
    router: word('4', 40),
    feeRecipient: word('5', 40),
    tokens: [word('6', 40), word('7', 40)],
    limits: { max_trade_micro_usd: 25e6, max_day_micro_usd: 100e6, max_trades: 50 },
    expires_at: 2_000_000_000,
    risk: { accept_risks: [], shield: false, policies: [] },
    nonce: word('8', 64),
    ...(read && { controls: read.controls }),
  })
}

describe('controls in dollars', () => {
  it('are exact micro-dollars in the binding, and the same dollars again', () => {
    const controls = { signature_above_usd: 12.345678, breakers: [breaker] }
    expect(readControls(controls)).toEqual({
      controls: {
        signature_above_micro_usd: 12_345_678,
        breakers: [{ max_fall_micro_usd: 20_000_000, window_s: 86_400, cool_down_s: 3_600 }],
      },
    })
    expect(controlsJson(bindingWith(controls))).toEqual(controls)
    expect(controlsJson(bindingWith({}))).toEqual({ signature_above_usd: null, breakers: [] })
    expect(controlsJson(bindingWith())).toBeNull()
  })

  it.each([
    ['controls.signature_above_usd', { signature_above_usd: -1 }],
    ['controls.signature_above_usd', { signature_above_usd: 0.0000001 }],
    ['controls.signature_above_usd', { signature_above_usd: 100_000.01 }],
    ['controls.breakers.0.max_fall_usd', { breakers: [{ ...breaker, max_fall_usd: 0 }] }],
    ['controls.breakers.0.window_s', { breakers: [{ ...breaker, window_s: 59 }] }],
    ['controls.breakers.0.cool_down_s', { breakers: [{ ...breaker, cool_down_s: 2_592_001 }] }],
    ['controls.breakers', { breakers: [breaker, breaker] }],
    ['controls.breakers', { breakers: [1, 2, 3, 4].map((max_fall_usd) => ({ ...breaker, max_fall_usd })) }],
  ])('are refused at %s', (field, controls) => {
    expect(readControls(controls)).toMatchObject({ fault: { field } })
  })

  it('read as sentences', () => {
    const words = controlsInWords(bindingWith({ signature_above_usd: 0, breakers: [breaker] }))
    expect(words).toEqual([
      'Every trade needs an order that you sign.',
      'If the session’s profit and loss falls more than 20 USD below its best of the last 1 day, ' +
        'only trades that close positions are co-signed for 1 hour.',
      'One transaction of your wallet (incrementNonce) ends all of its sessions with controls on chain.',
    ])
    expect(controlsInWords(bindingWith())).toEqual([])
  })
})
