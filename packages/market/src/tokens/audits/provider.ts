import type { VendorAnswer, VendorRate, VendorRequest } from '@pit/platform/http'
import type { RiskCode } from '@pit/protocol'

export type Verdict = 'verified' | 'unverified' | 'flagged'

/** A provider's opinion of a token, in our terms. */
export interface AuditOpinion {
  verdict: Verdict
  /** The page a person can read. */
  url: string | null
  /** Its findings, as our disclosures. */
  findings: readonly RiskCode[]
}

export interface AuditedToken {
  /** Lower-case. */
  token: string
  /** Whether the profile lists it: then its controlling party is known. */
  listed: boolean
}

/** One audit provider: its request and the parsing of its response. */
export interface AuditProvider {
  rate: VendorRate
  request(baseUrl: string, token: string): VendorRequest
  /** Throws VendorRefused if the response is not reliable. */
  read(answer: VendorAnswer, subject: AuditedToken): AuditOpinion
}
