export type { LeagueDeps, Player } from './deps.ts'
export { accountsEntered, isInLeague } from './entries/store.ts'
export { type League, openLeague } from './openLeague.ts'
export { type Admission, admitEntry } from './operator/admitEntry.ts'
export { payoutAgent, type Readdressing, readdressPayout } from './operator/readdressPayout.ts'
export {
  openPayouts,
  type PayoutRecord,
  recordPayout,
  recordWithdrawal,
  type WithdrawalRecord,
} from './operator/recordPayout.ts'
export { LeagueRefused } from './operator/refused.ts'
export { type RuleReview, reviewRule } from './operator/reviewRule.ts'
export { setDivision } from './operator/setDivision.ts'
export { type Settlement, settleSeason } from './operator/settleSeason.ts'
export type { PracticeGate } from './practice/gate.ts'
export { readStart } from './readStart.ts'
