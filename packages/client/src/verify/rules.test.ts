import type { Address } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import type { OwnReading } from './ownReading.ts'
import { checkBytes, checkOwn } from './rules.ts'
import type { Terms } from './terms.ts'

const at = (digit: string): Address => `0x${digit.repeat(40)}`
const [ETHER, TOKEN, CURVE] = [at('0'), at('1'), at('2')]
const NOW_S = 1_800_000_000
const DISCLOSED = { code: 'CURVE', severity: 'info', token: TOKEN, message: 'no deadline' }

/** A curve trade whose bytes are all right but what a case changes. */
function terms({
  deadlineS = null as bigint | null,
  accepts = ['CURVE'],
  risks = [DISCLOSED],
  leastSaid: statedMinimum = '100',
} = {}): Terms {
  return {
    pins: { tokens: new Map(), knownHooks: new Set(), router: at('3'), permit2: at('4') },
    request: { accept_risks: accepts },
    wallet: at('5'),
    tokenIn: ETHER,
    tokenOut: TOKEN,
    nowS: NOW_S,
    plan: { amount_in: '7', amount_out_min: statedMinimum, risks },
    reading: {
      tokenIn: ETHER,
      tokenOut: TOKEN,
      amountIn: 7n,
      amountOutMin: 100n,
      direct: false,
      deadlineS,
      hooks: [],
      approvals: [],
      permit: null,
      curve: { id: CURVE, launchpad: 'pons' },
    },
  } as unknown as Terms
}
const ruleOf = (given: Terms): string | null => {
  try {
    checkBytes(given)
    return null
  } catch (error) {
    return (error as { rule?: string; details?: { rule?: string } }).rule ?? (error as Error).message
  }
}

describe('a curve’s call without a deadline', () => {
  it('is signed only by an owner who accepted CURVE', () => {
    expect(ruleOf(terms())).toBeNull()
    expect(() => checkBytes(terms({ accepts: [] }))).toThrow(/mined late/)
  })
  it('is not signed where the service hid it', () => {
    expect(() => checkBytes(terms({ risks: [] }))).toThrow(/not disclosed/)
  })
  it('has its minimum checked as any other', () => {
    expect(() => checkBytes(terms({ leastSaid: '99' }))).toThrow(/amount_out_min/)
  })
  it('needs no acceptance where there is a deadline, which must be near', () => {
    expect(ruleOf(terms({ deadlineS: BigInt(NOW_S + 120), accepts: [] }))).toBeNull()
    expect(() => checkBytes(terms({ deadlineS: BigInt(NOW_S + 3_600) }))).toThrow(/far ahead/)
  })
})

describe('a token by address on the stock beacon', () => {
  const own = {
    standsOnBeacon: (token: Address) => token === TOKEN,
    marks: new Map(),
  } as unknown as OwnReading
  const planned = (fee_class: 'major' | 'other', accepts: string[], isListed = false): Terms => {
    const { plan, pins, ...rest } = terms({ accepts })
    const fee = { fee_class, fee_bps: fee_class === 'major' ? 25 : 50, fee_side: 'input' }
    const tokens = new Map([[ETHER, { core: 'ETH' }]])
    if (isListed) tokens.set(TOKEN, { core: null as never })
    return {
      ...rest,
      accepted: accepts,
      pins: { ...pins, tokens },
      plan: { ...plan, ...fee, shield: false },
      reading: { ...rest.reading, fee: null },
    } as unknown as Terms
  }
  it('is of the major fee class by the client’s own reading', () => {
    expect(() => checkOwn(planned('other', ['IMPERSONATOR']), own)).toThrow(
      /the plan has other, but the tokens are major/,
    )
    const off = { ...own, standsOnBeacon: () => false }
    expect(() => checkOwn(planned('major', ['IMPERSONATOR']), off)).toThrow(
      /the plan has major, but the tokens are other/,
    )
  })
  it('needs IMPERSONATOR accepted unless the pins list it, whatever the server discloses', () => {
    const unaccepted = /runs on the stock beacon, but is not a listed stock/
    expect(() => checkOwn(planned('major', []), own)).toThrow(unaccepted)
    expect(() => checkOwn(planned('major', ['IMPERSONATOR']), own)).not.toThrow(unaccepted)
    expect(() => checkOwn(planned('major', [], true), own)).not.toThrow(unaccepted)
  })
})
