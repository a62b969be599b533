import { goplus } from './goplus.ts'
import { pit } from './pit.ts'
import type { AuditProvider } from './provider.ts'

/** By the `kind` of the profile. */
export const AUDIT_PROVIDERS: Readonly<Record<string, AuditProvider>> = { goplus, pit }
export type { AuditOpinion, Verdict } from './provider.ts'
