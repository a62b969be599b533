import type { BrainBook, BrainMarket, Decision } from '../decide/index.ts'
import type { HostedAgent } from '../types.ts'

export interface BrainAsk {
  agent: HostedAgent
  tick: number
  market: BrainMarket
  book: BrainBook
  /** When the tick has to be over: what comes later is not traded. */
  deadlineMs: number
}

/** What a brain came to. A hold asked nobody or in vain; an error is an answer or call that was refused. */
export type Brained =
  | { kind: 'decision'; decision: Decision; data?: unknown }
  | { kind: 'hold' | 'error'; code: string; message: string; data?: unknown }
