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
import type { LeagueActs } from './types.ts'

/** They need the store only, so they work whether or not a league runs in this process. */
export const LEAGUE: LeagueActs = {
  reviewRule,
  admitEntry,
  settleSeason,
  openPayouts,
  payoutAgent,
  readdressPayout,
  recordPayout,
  recordWithdrawal,
  setDivision: (sql, request) => setDivision(sql, request, changeDivision),
}
