import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { breakers, controlsOf, withControls } from './controls.ts'

describe('--breaker', () => {
  it.each([
    ['20', { max_fall_usd: 20, window_s: null, cool_down_s: 86_400 }],
    ['20/24h', { max_fall_usd: 20, window_s: 86_400, cool_down_s: 86_400 }],
    ['20:1h', { max_fall_usd: 20, window_s: null, cool_down_s: 3_600 }],
    ['12.5/30m:1d', { max_fall_usd: 12.5, window_s: 1_800, cool_down_s: 86_400 }],
  ])('%s', (text, breaker) => {
    expect(breakers(text)).toEqual([breaker])
  })

  it.each(['', '0', '-5', '20/', '20:x', '20/24h:1h:1h', '20/5'])('rejects "%s"', (text) => {
    expect(() => breakers(text)).toThrow()
  })
})

describe('the options of controls', () => {
  const parse = (...args: string[]) =>
    controlsOf(withControls(new Command('x')).parse(args, { from: 'user' }).opts())

  it('give no controls by default', () => {
    expect(parse()).toBeUndefined()
  })

  it('collect every breaker', () => {
    expect(parse('--signature-above', '0', '--breaker', '10', '20/1h', '--breaker', '30')).toEqual({
      signature_above_usd: 0,
      breakers: [10, 20, 30].map((max_fall_usd, i) => ({
        max_fall_usd,
        window_s: i === 1 ? 3_600 : null,
        cool_down_s: 86_400,
      })),
    })
  })
})
