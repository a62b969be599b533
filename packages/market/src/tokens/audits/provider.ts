import type { VendorAnswer, VendorRate, VendorRequest } from '@pit/platform/vendor'
import type { RiskCode } from '@pit/protocol'

export type Verdict = 'verified' | 'unverified' | 'flagged'

/** What a provider says of a token, in our words. */
export interface AuditOpinion {
  verdict: Verdict
  /** The page a person can read. */
  url: string | null
  /** What it found, as our disclosures. */
  findings: readonly RiskCode[]
}

export interface AuditedToken {
  /** Lower-case. */
  token: string
  /** Whether the profile lists it: who has power over it is known. */
  listed: boolean
}

/** One audit provider: how it is asked, and how its answer is read. */
export interface AuditProvider {
  rate: VendorRate
  request(baseUrl: string, token: string): VendorRequest
  /** Throws VendorRefused where the answer says nothing that can be relied on. */
  read(answer: VendorAnswer, asked: AuditedToken): AuditOpinion
}
