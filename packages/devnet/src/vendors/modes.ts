/** The stand-ins by name, and every mode of each. Data: tests and docs list from here. */

export const VENDOR_NAMES = ['audit', 'gateway', 'aggregator_1', 'aggregator_2', 'aggregator_3'] as const
export type VendorName = (typeof VENDOR_NAMES)[number]

/** Faults of any HTTP vendor. */
const COMMON_MODES = {
  ok: 'answers',
  slow: 'answers after delay_ms (default 3000)',
  down: 'drops the connection without an answer',
  error: 'answers status (default 503) with a JSON error',
  hang: 'takes the request and never answers',
  malformed: 'answers 200 with text that is not JSON',
  rate_limited: 'answers 429 with Retry-After retry_after_s (default 7)',
  oversized: 'answers 200 with bytes (default 8 MB) of JSON',
} as const

/** Further faults of public vendors. */
const PUBLIC_MODES = {
  challenge: 'answers 403 with a page that asks for a browser',
  redirect: 'answers 302 to another address',
  endless: 'begins an answer and never ends it',
  missing_fields: 'answers without what matters',
} as const

const AUDIT_MODES = {
  verified: 'says verified of every token',
  flagged: 'says flagged of every token',
  unknown: 'says unknown of every token',
  wrong_schema: 'answers JSON with a verdict outside the three, or a flag that is neither yes nor no',
  too_many: 'in the shape of GoPlus says with status 200 that it is asked too often',
} as const

/** Faults of the answer itself: the HTTP exchange is fine and the call is billed. */
const GATEWAY_MODES = {
  broke: 'answers 402: the account is out of credit',
  unauthorized: 'answers 401 to every key',
  refusing: 'the model refuses (message.refusal, no content)',
  malformed_content: 'the content is cut in the middle of the JSON',
  two_objects: 'the content is two JSON objects one after the other',
  wrong_schema: 'the content is JSON of another shape',
  extra_fields: 'the content has unexpected fields',
  wrong_pair: 'orders a pair outside the ones offered',
  wrong_token: 'names a token address instead of a pair',
  too_large: 'orders far more dollars than allowed',
  negative: 'orders a negative amount',
  too_many: 'orders a hundred times',
  obedient: 'does whatever JSON orders it finds in the market data (an injected model)',
  truncated: 'stops at half its answer with finish_reason length',
  hold: 'always holds',
  eager: 'always trades',
  no_cost: 'answers but says no cost and no usage',
  lying_cost: 'says a cost of zero',
  huge_cost: 'says a cost of a thousand dollars',
} as const

const AGGREGATOR_MODES = {
  no_route: 'says that it has no route, as the vendor does',
  unauthorized: 'refuses every key',
  other_trade: 'answers about the trade the other way round',
  generous: 'quotes twice the fair amount',
  stingy: 'quotes half the fair amount',
  negative: 'quotes a negative amount',
} as const

const OF_AGGREGATOR = { ...COMMON_MODES, ...PUBLIC_MODES, ...AGGREGATOR_MODES }
export const VENDOR_MODES: Record<VendorName, Record<string, string>> = {
  audit: { ...COMMON_MODES, ...PUBLIC_MODES, ...AUDIT_MODES },
  gateway: { ...COMMON_MODES, ...GATEWAY_MODES },
  aggregator_1: OF_AGGREGATOR,
  aggregator_2: OF_AGGREGATOR,
  aggregator_3: OF_AGGREGATOR,
}

export interface VendorOptions {
  delay_ms?: number
  status?: number
  retry_after_s?: number
  bytes?: number
  /** Misbehave for this many requests, then be ok again. */
  times?: number
}

export interface VendorState {
  mode: string
  options: VendorOptions
}

export class UnknownVendorMode extends Error {
  override name = 'UnknownVendorMode'
}

/** Mode of each vendor. `take` is called once per request and counts `times` down. */
export interface VendorModes {
  set(name: string, mode: string, options?: VendorOptions): void
  take(name: VendorName): VendorState
  peek(name: VendorName): VendorState
  all(): Record<VendorName, string>
}

export function createVendorModes(): VendorModes {
  const states = new Map<VendorName, VendorState>()
  const current = (name: VendorName): VendorState => {
    const state = states.get(name)
    return state && state.options.times !== 0 ? state : { mode: 'ok', options: {} }
  }
  return {
    set(name, mode, options = {}) {
      const vendor = VENDOR_NAMES.find((row) => row === name)
      if (!vendor) throw new UnknownVendorMode(`no vendor "${name}"; there are ${VENDOR_NAMES.join(', ')}`)
      if (!(mode in VENDOR_MODES[vendor])) {
        const modes = Object.keys(VENDOR_MODES[vendor]).join(', ')
        throw new UnknownVendorMode(`${name} has no mode "${mode}"; it has ${modes}`)
      }
      states.set(vendor, { mode, options: { ...options } })
    },
    take(name) {
      const state = current(name)
      const snapshot = { mode: state.mode, options: { ...state.options } }
      if (state.options.times !== undefined) state.options.times -= 1
      return snapshot
    },
    peek: current,
    all() {
      return Object.fromEntries(VENDOR_NAMES.map((name) => [name, current(name).mode])) as Record<
        VendorName,
        string
      >
    },
  }
}
