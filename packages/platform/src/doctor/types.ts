import type { ChainProfile } from '@pit/protocol'
import type { Rpc } from '../rpc.ts'
import type { CountrySettings } from './countrySource.ts'

/** fail: it would lose money, and no server starts; warn: something is off or slow; unknown: nobody said. */
type Verdict = 'ok' | 'warn' | 'fail' | 'unknown'

export interface Finding {
  /** What was looked at, such as `token USDG decimals`. */
  check: string
  verdict: Verdict
  found: string
  /** What to do; null where nothing is. */
  remedy: string | null
}

export interface DoctorDeps {
  profile: ChainProfile
  rpc: Pick<Rpc, 'request' | 'batch'>
  /** Where blocks may be told of; null: it is not asked. */
  wsUrl: string | null
  /** Null: it is not asked, as where transactions go to the node. */
  sequencer: Pick<Rpc, 'request'> | null
  /** The list in force; null where there is none to look at, as beside a client. */
  sanctions: { addresses: number; takenAtS: number; maxAgeS: number } | null
  /** The server's settings; null beside a client. */
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

export const ASK_AGAIN = 'Ask again, or another node.'
