import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { CountrySettings } from './countrySource.ts'

/** fail: money could be lost, the server will not start; warn: degraded; unknown: the node gave no answer. */
type Verdict = 'ok' | 'warn' | 'fail' | 'unknown'

export interface Finding {
  /** Subject of the check, such as `token USDG decimals`. */
  check: string
  verdict: Verdict
  found: string
  /** What to do; null if nothing. */
  remedy: string | null
}

export interface DoctorDeps {
  profile: ChainProfile
  rpc: Pick<Rpc, 'request' | 'batch'>
  /** WebSocket to check; null skips the check. */
  wsUrl: string | null
  /** Null skips the check, as when transactions go to the node. */
  sequencer: Pick<Rpc, 'request'> | null
  /** The list in force; null without one, as in a client. */
  sanctions: { addresses: number; takenAtS: number; maxAgeS: number } | null
  /** The server's settings; null in a client. */
  country: CountrySettings | null
  nowMs(): number
}

export type Examination = (deps: DoctorDeps) => Promise<Finding[]> | Finding[]

export const ok = (check: string, found: string): Finding => ({ check, verdict: 'ok', found, remedy: null })
const bad =
  (verdict: Verdict) =>
  (check: string, found: string, remedy: string): Finding => ({ check, verdict, found, remedy })
export const warn = bad('warn')
export const fail = bad('fail')
export const unknown = bad('unknown')

export const ASK_AGAIN = 'Retry, or use another node.'
