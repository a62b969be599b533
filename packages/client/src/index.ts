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
export { type Rpc, rpcAt, rpcOf } from './own/rpc.ts'
export { configDiffs, type Pins, pinsOf, tokenNamed } from './pins.ts'
export { createTurn, type InTurn } from './turn.ts'
export type { Followed, SignedTrade } from './verbs/follow.ts'
export type { CurveAsk, TradeOptions, TradeResult, TradeStage } from './verbs/trade.ts'
export type { Plan, TradeAsk } from './verify/facts.ts'
export type { Checked } from './verify/rules.ts'
