import type { Delegation } from '@pit/chain'
import type { Cosigned } from '@pit/platform/signerCalls'
import type { Answer } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import type { Planned, PlanSimulation, PlanTx, TradeQuote } from '@pit/trading'
import type { Session, Used } from '../types.ts'
import type { Name } from './named.ts'
import type { SessionCall } from './readCall.ts'
import type { Check, TradeFacts } from './rules.ts'

interface TradeTerms {
  sessionId: string
  /** What is relayed is stored under its key. */
  by: Trader
  /** A core symbol or an address. */
  tokenIn: string
  tokenOut: string
  /** Exactly one of the two. Dollars are a number, as they were asked for: the quote is sized by it. */
  notionalUsd?: number
  amountIn?: bigint
  slippageBps?: number
  minAmountOut?: bigint
  maxFeeBps?: number
  routeId?: string
  ownerAttestsNonUs: boolean
  /** Whether it is only tried out on lent funds; auto: when something is missing. */
  fund: boolean | 'auto'
  /** What the ask repeats of the binding's risk terms; anything else is refused. */
  riskTerms?: TradeFacts['asked']
  /** Before a token not seen before is screened. */
  admit(): Promise<void>
}

/** A trade of the owner's own executor, or of a hosted agent that the session's executor belongs to. */
export type SessionTradeParams = TradeTerms &
  (
    | { path: 'session'; name?: Name }
    | {
        path: 'hosted'
        agentId: string
        /** Judges the quote by narrower terms than the session's. Refuses by throwing. */
        judge(quote: TradeQuote): void
        /** The last word before anything is counted. Refuses by throwing. */
        beforeCosign(): Promise<void>
      }
  )

interface Planning {
  session: Session
  planned: Planned
  call: SessionCall
  checks: readonly Check[]
  simulation: PlanSimulation
}
/** Co-signed, counted and stored; `tx` is the executor's to sign. */
export type CosignedTrade = Planning & {
  kind: 'cosigned'
  cosigned: Cosigned
  leaf: Delegation
  tx: PlanTx
  ready: boolean
}
export type SessionTrade =
  | CosignedTrade
  /** As it is kept under its caller's name. */
  | { kind: 'named'; answer: Answer<'live.session.trade'> }
  /** Only tried out: nothing is co-signed and nothing counts. */
  | (Planning & { kind: 'tried'; used: Used; missing: readonly string[] })
