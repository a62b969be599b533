import {
  openPayouts,
  payoutAgent,
  readdressPayout,
  recordPayout,
  recordWithdrawal,
  reviewRule,
  setDivision,
  settleSeason,
} from '@pit/league'
import { changeDivision } from '../auth/index.ts'
import type { LeagueActs } from './types.ts'

/** They need the store alone, so they work whether a league runs in this process or not. */
export const LEAGUE: LeagueActs = {
  reviewRule,
  settleSeason,
  openPayouts,
  payoutAgent,
  readdressPayout,
  recordPayout,
  recordWithdrawal,
  setDivision: (sql, request) => setDivision(sql, request, changeDivision),
}
