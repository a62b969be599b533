import type { Account } from './account.ts'
import type { Api } from './call.ts'
import type { OwnNode } from './own/node.ts'
import type { Pins } from './pins.ts'
import type { Records } from './records.ts'

/** Dependencies of every verb. */
export interface ClientDeps {
  api: Api
  /** Signs transactions and typed data only while the client's node shows a new block. */
  account: Account
  /** The same account for ending and withdrawing, which must work while the node stands still. */
  endingAccount: Account
  pins: Pins
  rpc: OwnNode
  nowMs(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** The owner's requests and signed roots, stored on the user's side. */
  records: Records
  /** Checks the server's config against the pins, once. */
  checked(): Promise<void>
}

export interface VerbOptions {
  signal?: AbortSignal | undefined
}
