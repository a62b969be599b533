import { bounded, type Rules } from '../checks.ts'
import type { LeafRequest, Standing } from './types.ts'

type LedgerFacts = { request: LeafRequest; standing: Standing }

/** Rules only the ledger can judge, in order, while the root's row is locked. */
export const ledgerRules: Rules<LedgerFacts> = [
  {
    code: 'SIGNER_FROZEN',
    check: ({ standing: { frozen } }) =>
      frozen ? { message: 'The co-signer is frozen by its operator.' } : null,
  },
  {
    code: 'SESSION_REVOKED',
    check: ({ standing: { revoked } }) => (revoked ? { message: 'The session was revoked.' } : null),
  },
  {
    code: 'EXECUTOR_CLOSED',
    check: ({ standing: { hosted } }) =>
      hosted?.closed ? { message: 'The executor is closed: its gas was refunded.' } : null,
  },
  {
    code: 'STOCK_ATTESTATION',
    check: ({ request: { touchesStock }, standing: { hosted } }) =>
      touchesStock && hosted && !hosted.stockAttested
        ? { message: 'The executor’s owner has no valid stock attestation for this session.' }
        : null,
  },
  bounded('SESSION_TRADES_LEFT', ({ request: { limits }, standing: { sequence } }) => {
    const { max_trades: limit } = limits
    return { ok: sequence < limit, message: 'The session’s trades are used up.', value: sequence + 1, limit }
  }),
  {
    code: 'SEQUENCE',
    check: ({ request: { sequence: value }, standing: { sequence } }) =>
      value === undefined || value === sequence + 1
        ? null
        : { message: 'The sequence number is not the next one.', value, limit: sequence + 1 },
  },
  bounded('SESSION_MAX_DAY', ({ request: { microUsd, limits }, standing: { dayMicroUsd } }) => {
    const { max_day_micro_usd: limit } = limits
    if (microUsd === null) return null
    const value = dayMicroUsd + microUsd
    const message = 'The trade exceeds the session’s limit per 24 hours, in micro-dollars.'
    return { ok: value <= BigInt(limit), message, value: value.toString(), limit }
  }),
]

const COUNTED = ['SESSION_TRADES_LEFT', 'SEQUENCE']
/** For another call of a leaf that was counted before; the request's value is what the call adds to the count. */
export const standingRules: Rules<LedgerFacts> = ledgerRules.filter(({ code }) => !COUNTED.includes(code))
