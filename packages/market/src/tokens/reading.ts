import type { Address, Hex } from '@pit/chain'
import type { Power } from './powers.ts'

/** What the chain said about a token at one block; everything but the market's part of its record. */
export interface TokenReading {
  address: Address
  symbol: string
  name: string
  /** Null when it does not say. */
  decimals: number | null
  /** What had to be done to its texts. */
  textFaults: TextFault[]
  code: CodeReading
  /** Of a stock token, shares per token. */
  multiplier: number | null
  owner: Address | null
  /** What calling as its owner showed, of the powers in its code. */
  proved: Power[]
  /** What `paused()` answers, when it has one. */
  saysPaused: boolean | null
  firstPoolAtS: number | null
  trial: Trial
  /** The v3 pool that has half an hour of history, and the mean price there, when there is one. */
  twap: { pool: Address; priceUsd: number; readAtS: number } | null
  agentToken: boolean
  screenedAtS: number
  block: number
}

export type TextFault = 'symbol_unreadable' | 'name_unreadable' | 'hidden_characters' | 'cut'

export type ProxyKind = 'implementation' | 'beacon' | 'clone'

export interface CodeReading {
  codeHash: Hex
  proxy: { kind: ProxyKind; at: Address; implementation: Address; implementationHash: Hex } | null
  stockBeacon: boolean
  powers: Power[]
  bridged: boolean
}

/** How buying, passing on and selling it went, on a lent balance. */
export type Trial =
  | { status: 'unfinished'; why: string }
  | { status: 'no_route' }
  | { status: 'buy_failed'; pool: string; paused: boolean; hooked: boolean; why: string }
  | {
      status: 'done'
      pool: string
      /** Null when its balances cannot be believed. */
      buyTaxBps: number | null
      transfer: { ok: true; taxBps: number | null } | { ok: false; why: string }
      sell: { ok: true; taxBps: number } | { ok: false; why: string; paused: boolean }
      /** What the pool's hook kept of the purchase. */
      hookTakeBps: number
      /** A wallet that never held any is said to hold some. */
      balanceLies: boolean
      /** The balance changed between two blocks without a transfer. */
      rebased: boolean
    }

/** A proxy whose code can be replaced; a clone's cannot. */
export const isReplaceable = (code: CodeReading): boolean =>
  code.proxy !== null && code.proxy.kind !== 'clone'
