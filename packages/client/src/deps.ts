import type { Hex } from '@pit/chain'
import type { Account } from './account.ts'
import type { Api } from './call.ts'
import type { Rpc } from './own/rpc.ts'
import type { Pins } from './pins.ts'

/** What every verb stands on. */
export interface ClientDeps {
  api: Api
  account: Account
  pins: Pins
  rpc: Rpc
  nowMs(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Hashes of the roots this client signed, the main one first, by session: what a server says of them must be these. */
  granted: Map<string, readonly Hex[]>
  /** Checks the server's config against the pins, once. */
  checked(): Promise<void>
}

export interface VerbOptions {
  signal?: AbortSignal | undefined
}
