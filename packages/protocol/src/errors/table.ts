import { COSIGNER_ERRORS } from './cosigner.ts'
import { CURVE_ERRORS } from './curve.ts'
import { FAST_ERRORS } from './fast.ts'
import { HOSTED_ERRORS } from './hosted.ts'
import { LEAGUE_ERRORS } from './league.ts'
import { RELAY_ERRORS } from './relay.ts'
import { REQUEST_ERRORS } from './requests.ts'
import { RISK_ERRORS } from './risk.ts'
import { SESSION_ERRORS } from './sessions.ts'
import { TOKEN_ERRORS } from './tokens.ts'

/** All errors of the service. Codes are stable; texts may change. */
export const ERRORS = {
  ...REQUEST_ERRORS,
  ...TOKEN_ERRORS,
  ...RISK_ERRORS,
  ...CURVE_ERRORS,
  ...RELAY_ERRORS,
  ...FAST_ERRORS,
  ...SESSION_ERRORS,
  ...COSIGNER_ERRORS,
  ...HOSTED_ERRORS,
  ...LEAGUE_ERRORS,
} as const

export type ErrorCode = keyof typeof ERRORS

/** Codes of error responses; the others only name a check. */
export type RefusalCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code]['statuses'] extends readonly [] ? never : Code
}[ErrorCode]
