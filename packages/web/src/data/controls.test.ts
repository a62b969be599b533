import { describe, expect, it } from 'vitest'
import {
  type ControlsText,
  controlsFault,
  controlsFlags,
  controlsRequest,
  controlsWords,
} from './controls.ts'

const breaker = { id: 1, fallUsd: '20', windowS: '86400', coolDownS: '3600' }
const typed = (change: Partial<ControlsText> = {}): ControlsText => ({
  isOn: true,
  signatureAboveUsd: '0',
  breakers: [breaker],
  ...change,
})

describe('controls as typed', () => {
  it('become a request, and options of the command', () => {
    expect(controlsRequest(typed())).toEqual({
      signature_above_usd: 0,
      breakers: [{ max_fall_usd: 20, window_s: 86_400, cool_down_s: 3_600 }],
    })
    expect(controlsFlags(typed())).toBe('--signature-above 0 --breaker 20/1440m:60m')
    expect(controlsRequest(typed({ isOn: false }))).toBeUndefined()
    expect(controlsRequest(typed({ signatureAboveUsd: ' ', breakers: [] }))).toEqual({})
  })

  it.each([
    ['text instead of an amount', { signatureAboveUsd: 'ten' }],
    ['a negative amount', { signatureAboveUsd: '-1' }],
    ['a breaker without a fall', { breakers: [{ ...breaker, fallUsd: '' }] }],
    ['a fall of 0', { breakers: [{ ...breaker, fallUsd: '0' }] }],
    ['two breakers with one fall', { breakers: [breaker, { ...breaker, id: 2 }] }],
  ])('are refused with %s', (_, change) => {
    expect(controlsFault(typed(change))).toMatch(/^Controls: /)
  })

  it('are accepted otherwise', () => {
    expect(controlsFault(typed())).toBeNull()
    expect(controlsFault(typed({ isOn: false, signatureAboveUsd: 'ten' }))).toBeNull()
  })

  it('are shown in words', () => {
    const words = controlsWords({
      signature_above_usd: 50,
      breakers: [{ max_fall_usd: 20, window_s: null, cool_down_s: 3_600 }],
    })
    expect(words).toHaveLength(3)
    expect(words[0]).toContain('exceed 50 USD')
    expect(words[1]).toContain('since it began')
    expect(controlsWords(null)).toEqual([])
  })
})
