import { changeDivision } from '@pit/auth'
import {
  admitEntry,
  openPayouts,
  payoutAgent,
  readdressPayout,
  recordPayout,
  recordWithdrawal,
  reviewRule,
  setDivision,
  settleSeason,
} from '@pit/league'
import type { Sql } from '@pit/platform/db'

/** They need the store only, so they work whether or not a league runs in this process. */
export const LEAGUE = {
  reviewRule,
  admitEntry,
  settleSeason,
  openPayouts,
  payoutAgent,
  readdressPayout,
  recordPayout,
  recordWithdrawal,
  setDivision: (sql: Sql, request: Parameters<typeof setDivision>[1]) =>
    setDivision(sql, request, changeDivision),
}
