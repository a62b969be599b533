import type { Static } from '@sinclair/typebox'
import { type BindingFault, boundControls } from './binding.ts'
import type { BindingControls, SessionBinding } from './bindingSchema.ts'
import { fractionOf, grouped } from './money/decimals.ts'
import { MICRO_USD_PER_USD, microUsdDown, usdOf } from './money/dollars.ts'
import { CONTROLS, DAY_S, SESSION } from './numbers.ts'
import type { ControlsIn, ControlsOut } from './schemas/controls.ts'

/** A session's controls in dollars, as its owner writes them. */
export type ControlsRequest = Static<typeof ControlsIn>

const MAX_USD = SESSION.maxTradeUsdMax * SESSION.maxDayMultipleOfMaxTrade

/** Controls of the binding; a fault for amounts out of range or finer than a micro-dollar. */
export function readControls(
  request: ControlsRequest,
): { controls: BindingControls } | { fault: BindingFault } {
  const faults: BindingFault[] = []
  const check = (isGood: boolean, field: string, message: string) =>
    isGood || faults.push({ field: `controls.${field}`, message })
  const micro = (usd: number, field: string, least: number): number => {
    const value = Number(microUsdDown(usd))
    const isGood = isWholeMicro(usd) && value >= least && usd >= 0 && usd <= MAX_USD
    check(
      isGood,
      field,
      `must be ${least > 0 ? 'above 0' : '0'} to ${grouped(MAX_USD)} with at most six decimals`,
    )
    return value
  }
  const period = (seconds: number, field: string): number => {
    const { minPeriodS, maxPeriodS } = CONTROLS
    const isGood = Number.isSafeInteger(seconds) && seconds >= minPeriodS && seconds <= maxPeriodS
    check(isGood, field, `must be ${minPeriodS} to ${maxPeriodS} seconds`)
    return seconds
  }
  const { signature_above_usd: above, breakers = [] } = request
  const signatureAbove = above === undefined ? undefined : micro(above, 'signature_above_usd', 0)
  check(breakers.length <= CONTROLS.maxBreakers, 'breakers', `must be at most ${CONTROLS.maxBreakers}`)
  const read = breakers.map(({ max_fall_usd, window_s, cool_down_s }, i) => ({
    max_fall_micro_usd: micro(max_fall_usd, `breakers.${i}.max_fall_usd`, 1),
    window_s: window_s === null ? null : period(window_s, `breakers.${i}.window_s`),
    cool_down_s: period(cool_down_s, `breakers.${i}.cool_down_s`),
  }))
  const falls = new Set(read.map((one) => one.max_fall_micro_usd))
  check(falls.size === read.length, 'breakers', 'must differ in max_fall_usd')
  const [fault] = faults
  if (fault) return { fault }
  return {
    controls: {
      ...(signatureAbove !== undefined && { signature_above_micro_usd: signatureAbove }),
      ...(read.length > 0 && { breakers: read }),
    },
  }
}

/** The session's controls in dollars; null without any. */
export function controlsJson(binding: SessionBinding): Static<typeof ControlsOut> | null {
  const controls = boundControls(binding)
  if (!controls) return null
  const { signature_above_micro_usd: above, breakers = [] } = controls
  return {
    signature_above_usd: above === undefined ? null : usdOf(BigInt(above)),
    breakers: breakers.map(({ max_fall_micro_usd, window_s, cool_down_s }) => ({
      max_fall_usd: usdOf(BigInt(max_fall_micro_usd)),
      window_s,
      cool_down_s,
    })),
  }
}

/** One sentence per control. */
export function controlsInWords(binding: SessionBinding): string[] {
  const controls = controlsJson(binding)
  if (!controls) return []
  const { signature_above_usd: above, breakers } = controls
  return [
    ...(above === null
      ? []
      : above === 0
        ? ['Every trade needs an order that you sign.']
        : [`Trades that exceed ${above} USD in any hour, together, need an order that you sign.`]),
    ...breakers.map(
      ({ max_fall_usd, window_s, cool_down_s }) =>
        `If the session’s profit and loss falls more than ${max_fall_usd} USD below its best ` +
        `${window_s === null ? 'since it began' : `of the last ${periodText(window_s)}`}, ` +
        `only trades that close positions are co-signed for ${periodText(cool_down_s)}.`,
    ),
    'One transaction of your wallet (incrementNonce) ends all of its sessions with controls on chain.',
  ]
}

const UNITS = [
  [DAY_S, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

function periodText(seconds: number): string {
  const [size, unit] = UNITS.find(([each]) => seconds % each === 0)!
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

function isWholeMicro(usd: number): boolean {
  const fraction = fractionOf(usd)
  return usd === 0 || (fraction !== undefined && (fraction.num * MICRO_USD_PER_USD) % fraction.den === 0n)
}
