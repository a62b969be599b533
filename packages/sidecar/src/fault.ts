/** Codes of the sidecar itself; all others are the client's and the service's. */
export const SIDECAR_ERRORS = {
  BAD_REQUEST: {
    status: 400,
    hint: 'Correct the field that the message names. GET / lists every verb with its fields.',
  },
  BAD_TOKEN: {
    status: 401,
    hint: 'Send `Authorization: Bearer` with the token from the file that pit serve printed.',
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    hint: 'Call from a program on this machine, at 127.0.0.1 or localhost; web pages may not.',
  },
  READ_ONLY: { status: 403, hint: 'Start pit serve with --allow-trading to let programs sign.' },
  UNKNOWN_VERB: { status: 404, hint: 'GET / lists every verb.' },
  TOO_LONG: { status: 413, hint: 'Send at most 256 KB.' },
  CLIENT_ID_REUSED: {
    status: 409,
    hint: 'Use a new client_id for a new trade. Repeat one only to retry the same trade.',
  },
  ANOTHER_PROCESS: { status: 409, hint: 'Trade through that process, or stop it first.' },
  UNKNOWN_PLAN: { status: 404, hint: 'Plan the trade again: a plan can be sent once, within two minutes.' },
  FAILED: { status: 500, hint: 'This is a bug: report it with the log of pit serve.' },
} as const satisfies Record<string, { status: number; hint: string }>

export type SidecarCode = keyof typeof SIDECAR_ERRORS

/** A refusal of the sidecar itself. Nothing was signed. */
export class SidecarFault extends Error {
  readonly code: SidecarCode
  readonly field: string | undefined
  constructor(code: SidecarCode, message: string, field?: string) {
    super(message)
    this.code = code
    this.field = field
  }
}
