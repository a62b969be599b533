import { fail } from '@pit/protocol'

/** Refuses RPC_UNAVAILABLE and says what is missing. A declaration for the compiler's sake, as `fail` is. */
export function rpcUnavailable(why: string): never {
  fail('RPC_UNAVAILABLE', { message: `The chain's RPC gave no usable answer: ${why}.` })
}
