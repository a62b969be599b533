import type { Account } from './account.ts'
import type { Api } from './call.ts'
import type { OwnNode } from './own/price.ts'
import type { Pins } from './pins.ts'
import type { Records } from './records.ts'

/** Dependencies of every verb. */
export interface ClientDeps {
  api: Api
  account: Account
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
