import type { BrainBook, BrainMarket } from '@pit/brains'
import type { HostedAgent } from '../types.ts'

export interface BrainRequest {
  agent: HostedAgent
  tick: number
  market: BrainMarket
  book: BrainBook
  /** Deadline of the tick; later decisions are not traded. */
  deadlineMs: number
}
