export type { ChainProfile } from '@pit/protocol'
export {
  type Account,
  type Eip1193,
  fromProvider,
  fromSign,
  fromViem,
  fromWallet,
  type TypedData,
} from './account.ts'
export { type Api, type Ask, type CallOptions, createApi } from './call.ts'
export { type ClientOptions, createClient, type PitClient } from './createClient.ts'
export { isRefusal, PitRefusal } from './errors.ts'
export { describeList, describeOrder, type ListTerms } from './orders/describe.ts'
export type { OrderIntent, TriggerIntent } from './orders/intent.ts'
export * from './orders/kinds.ts'
export { pinnedTokens } from './orders/tokens.ts'
export type { Allowance } from './own/allowances.ts'
export type { ListedCurve } from './own/curves.ts'
export { inText, joined, type OwnAtoms, type OwnText, type OwnValue, say } from './own/own.ts'
export { dearer } from './own/ownPrice.ts'
export {
  type MinedReading,
  readTransaction,
  type SignedCall,
  type SignedSwap,
  signedFeeAtoms,
  type TransactionReading,
} from './own/readTransaction.ts'
export type { RootState } from './own/roots.ts'
export { type Rpc, rpcAt, rpcOf } from './own/rpc.ts'
export {
  amountText,
  pastTokenFacts,
  pinnedFacts,
  type TokenFacts,
  type TokenFactsMap,
  typedAtoms,
} from './own/tokenFacts.ts'
export { type PageOf, readPages } from './pages.ts'
export { configDiffs, type Pins, pinsOf, tokenNamed } from './pins.ts'
export type { AgentRecord, RecordStore, SessionRecord } from './records.ts'
export type { ReportOptions, ReportStage } from './report/options.ts'
export type { Effect } from './review/effects.ts'
export { readNamedCurves } from './review/readNamedCurves.ts'
export { reviewSigning } from './review/reviewSigning.ts'
export {
  type ReviewContext,
  SigningRefused,
  type SigningRequest,
  type SigningReview,
  type WalletTransaction,
} from './review/terms.ts'
export type { ServerWords } from './serverWords.ts'
export { createTurn, type InTurn } from './turn.ts'
export { isOpenOrder, type OrderRow } from './verbs/cancelOrders.ts'
export type { EndedAll } from './verbs/endAllSessions.ts'
export type { Followed, SignedTrade } from './verbs/follow.ts'
export type { LiveIntent } from './verbs/grantLive.ts'
export type { OwnHolding, OwnHoldings } from './verbs/holdings.ts'
export type { PlacedList } from './verbs/placeOrders.ts'
export type { RecordedSession } from './verbs/recordedSessions.ts'
export type { RevokedSession } from './verbs/revokeSession.ts'
export type { SendBackStep, SentBack } from './verbs/sendBack.ts'
export type { SendBackItem } from './verbs/sendBackPlan.ts'
export type { CurveParams, TradeOptions, TradeResult, TradeStage } from './verbs/trade.ts'
export type { Fate } from './verbs/watchBytes.ts'
export { isWorthAtMost } from './verify/approvals.ts'
export type { Plan, TradeParams } from './verify/facts.ts'
export { type Checked, missingChecks } from './verify/rules.ts'
export type { SignedTerms } from './verify/signedTerms.ts'
export type { TradeReview } from './verify/verified.ts'
