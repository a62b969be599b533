import type { Failure } from '../checks.ts'
import type { LeafAsk, Standing } from './types.ts'

/** Rules only the ledger can judge, in order, while the root's row is locked. */
export const ledgerRules: readonly {
  rule: string
  check(ask: LeafAsk, standing: Standing): Failure | null
}[] = [
  {
    rule: 'SIGNER_FROZEN',
    check: (_, { frozen }) =>
      frozen ? { message: 'The co-signer is frozen by its operator and signs nothing.' } : null,
  },
  {
    rule: 'SESSION_REVOKED',
    check: (_, { revoked }) => (revoked ? { message: 'The session was revoked.' } : null),
  },
  {
    rule: 'EXECUTOR_CLOSED',
    check: (_, { hosted }) =>
      hosted?.closed ? { message: 'The executor’s gas was refunded: it trades no more.' } : null,
  },
  {
    rule: 'STOCK_ATTESTATION',
    check: ({ touchesStock }, { hosted }) =>
      touchesStock && hosted && !hosted.stockAttested
        ? { message: 'The executor’s owner has not attested stock tokens for this session, or no longer.' }
        : null,
  },
  {
    rule: 'SESSION_TRADES_LEFT',
    check: ({ limits: { max_trades: limit } }, { sequence }) =>
      sequence < limit ? null : { message: 'The session’s trades are used up.', value: sequence + 1, limit },
  },
  {
    rule: 'SEQUENCE',
    check: ({ sequence: value }, { sequence }) =>
      value === undefined || value === sequence + 1
        ? null
        : { message: 'Another leaf comes next.', value, limit: sequence + 1 },
  },
  {
    rule: 'SESSION_MAX_DAY',
    check({ microUsd, limits: { max_day_micro_usd: limit } }, { dayMicroUsd }) {
      if (microUsd === null || dayMicroUsd + microUsd <= BigInt(limit)) return null
      const value = (dayMicroUsd + microUsd).toString()
      return { message: 'Over the session’s cap for 24 hours, in micro-dollars.', value, limit }
    },
  },
]
