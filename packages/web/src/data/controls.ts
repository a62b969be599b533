import {
  type Answer,
  type ControlsRequest,
  controlsInWords,
  readControls,
  type SessionBinding,
} from '@pit/protocol'

type ListedControls = NonNullable<Answer<'me.sessions'>['sessions'][number]['controls']>
export type SessionControls = Omit<ListedControls, 'levels'> | null
/** Where a session stands against its controls; null if the co-signer does not answer. */
export type ControlLevels = ListedControls['levels']

export interface BreakerText {
  id: number
  fallUsd: string
  /** Seconds; empty for since the session began. */
  windowS: string
  coolDownS: string
}
/** Controls as typed. */
export interface ControlsText {
  isOn: boolean
  /** Empty for no limit. */
  signatureAboveUsd: string
  breakers: readonly BreakerText[]
}

export const NO_CONTROLS: ControlsText = { isOn: false, signatureAboveUsd: '', breakers: [] }
export const newBreaker = (id: number): BreakerText => ({
  id,
  fallUsd: '20',
  windowS: '86400',
  coolDownS: '86400',
})

/** The request for these controls; undefined without any. */
export function controlsRequest({
  isOn,
  signatureAboveUsd,
  breakers,
}: ControlsText): ControlsRequest | undefined {
  if (!isOn) return undefined
  return {
    ...(signatureAboveUsd.trim() !== '' && { signature_above_usd: Number(signatureAboveUsd) }),
    ...(breakers.length > 0 && {
      breakers: breakers.map(({ fallUsd, windowS, coolDownS }) => ({
        max_fall_usd: fallUsd.trim() === '' ? Number.NaN : Number(fallUsd),
        window_s: windowS === '' ? null : Number(windowS),
        cool_down_s: Number(coolDownS),
      })),
    }),
  }
}

/** Why the controls cannot be granted; null if they can. */
export function controlsFault(text: ControlsText): string | null {
  const request = controlsRequest(text)
  if (request === undefined) return null
  const amounts = [
    request.signature_above_usd ?? 0,
    ...(request.breakers ?? []).map((one) => one.max_fall_usd),
  ]
  if (!amounts.every(Number.isFinite)) return 'Controls: enter amounts in USD.'
  const read = readControls(request)
  if ('controls' in read) return null
  if (read.fault.field === 'controls.breakers') return 'Controls: two breakers have the same maximum fall.'
  return 'Controls: amounts are up to 100,000 USD with at most six decimals; falls are above 0.'
}

/** A session's controls, one sentence each. */
export function controlsWords(controls: SessionControls): string[] {
  if (controls === null) return []
  const { signature_above_usd: above, breakers } = controls
  const read = readControls({ ...(above !== null && { signature_above_usd: above }), breakers })
  // The words depend on the version and the controls of a binding only.
  return 'controls' in read ? controlsInWords({ version: 3, controls: read.controls } as SessionBinding) : []
}

/** The same as options of the command. */
export function controlsFlags(text: ControlsText): string {
  const { signature_above_usd: above, breakers = [] } = controlsRequest(text) ?? {}
  return [
    ...(above === undefined ? [] : [`--signature-above ${above}`]),
    ...breakers.map(
      ({ max_fall_usd, window_s, cool_down_s }) =>
        `--breaker ${max_fall_usd}${window_s === null ? '' : `/${window_s / 60}m`}:${cool_down_s / 60}m`,
    ),
  ].join(' ')
}
