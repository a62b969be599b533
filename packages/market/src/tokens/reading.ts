import type { Address, Hex } from '@pit/chain'
import type { Power } from './powers.ts'

/** A token's state at one block: everything in its record except the market's part. */
export interface TokenReading {
  address: Address
  symbol: string
  name: string
  /** Null if the token does not report them. */
  decimals: number | null
  /** Problems of its texts. */
  textFaults: TextFault[]
  code: CodeReading
  owner: Address | null
  /** The powers in its code that worked when called as its owner. */
  proved: Power[]
  /** The result of `paused()`; null without such a function. */
  saysPaused: boolean | null
  firstPoolAtS: number | null
  trial: Trial
  agentToken: boolean
  screenedAtS: number
  block: number
}

export type TextFault = 'symbol_unreadable' | 'name_unreadable' | 'hidden_characters' | 'cut'

export type ProxyKind = 'implementation' | 'beacon' | 'clone'

export interface CodeReading {
  codeHash: Hex
  proxy: { kind: ProxyKind; at: Address; implementation: Address; implementationHash: Hex } | null
  /** Whether the beacon slot names the issuer's beacon; null while the node refuses to read that slot. */
  stockBeacon: boolean | null
  powers: Power[]
  bridged: boolean
}

/** Results of buying, transferring and selling it with lent ETH. */
export type Trial =
  | { status: 'unfinished'; why: string }
  | { status: 'no_route' }
  | { status: 'buy_failed'; pool: string; paused: boolean; hooked: boolean; why: string }
  | {
      status: 'done'
      pool: string
      /** Null when its balances cannot be trusted. */
      buyTaxBps: number | null
      transfer: { ok: true; taxBps: number | null } | { ok: false; why: string }
      sell: { ok: true; taxBps: number } | { ok: false; why: string; paused: boolean }
      /** The share of the purchase that the pool's hook kept. */
      hookTakeBps: number
      /** It reports a balance for a wallet that never held any. */
      balanceLies: boolean
      /** The balance changed between two blocks without a transfer. */
      rebased: boolean
    }

/** A proxy whose code can be replaced; a clone's cannot. */
export const isReplaceable = (code: CodeReading): boolean =>
  code.proxy !== null && code.proxy.kind !== 'clone'
