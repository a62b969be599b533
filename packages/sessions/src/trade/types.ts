import type { Delegation } from '@pit/chain'
import type { Answer } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import type { Cosigned, OrderUse, RegisterOrdersParams, Rehearsal } from '@pit/signer-wire'
import type { AttestsNonUs, OrderBounds, Planned, PlanSimulation, PlanTx, TradeQuote } from '@pit/trading'
import type { Session, Used } from '../types.ts'
import type { ClientRequest } from './clientIdTrades.ts'
import type { SessionCall } from './readCall.ts'
import type { Check, TradeFacts } from './rules.ts'

interface TradeTerms {
  sessionId: string
  /** The trade is stored under this key for the relay. */
  by: Trader
  /** A core symbol or an address. */
  tokenIn: string
  tokenOut: string
  /** Exactly one of the two. A number, as requested: the quote is sized by it. */
  notionalUsd?: number
  amountIn?: bigint
  slippageBps?: number
  minAmountOut?: bigint
  maxFeeBps?: number
  routeId?: string
  ownerAttestsNonUs: AttestsNonUs
  /** Whether to only simulate on borrowed funds; auto: if something is missing. */
  fund: boolean | 'auto'
  /** Risk terms in the request; must equal the binding's. */
  riskTerms?: TradeFacts['requestedTerms']
  /** The signed order that the trade carries out, in a session with controls. */
  order?: OrderUse
  /** Of that order. */
  orderBounds?: OrderBounds | undefined
  /** Called before a new token is screened. */
  admit(): Promise<void>
}

/** A list that the owner signed, with the order of the trade in it. */
export type SignedList = Pick<RegisterOrdersParams, 'list' | 'signature'>

/** A trade by the owner's own executor, or by the hosted agent that owns the session's executor. */
export type SessionTradeParams = TradeTerms &
  (
    | { path: 'session'; name?: ClientRequest; list?: SignedList }
    | {
        path: 'hosted'
        agentId: string
        /** Checks the quote against stricter terms than the session's. Throws to refuse. */
        judge(quote: TradeQuote): void
        /** Last check before anything is counted. Throws to refuse. */
        beforeCosign(): Promise<void>
      }
  )

export interface Planning {
  session: Session
  planned: Planned
  call: SessionCall
  checks: readonly Check[]
  simulation: PlanSimulation
}
/** Co-signed, counted and stored; the executor has to sign `tx`. */
export type CosignedTrade = Planning & {
  kind: 'cosigned'
  cosigned: Cosigned
  leaf: Delegation
  tx: PlanTx
  ready: boolean
}
export type SessionTrade =
  | CosignedTrade
  /** The response stored under the client_id. */
  | { kind: 'named'; answer: Answer<'live.session.trade'> }
  /** Simulated only: not co-signed and not counted. */
  | (Planning & { kind: 'tried'; used: Used; missing: readonly string[] })

/** A rehearsed trade: every rule with its verdict; nothing was signed, counted or stored. */
export type RehearsedTrade = Planning & {
  used: Used
  /** Null if the session is not registered with the co-signer; without its spend if that is unknown. */
  rehearsal: { checks: Rehearsal['checks']; spend: Rehearsal['spend'] | null } | null
}
