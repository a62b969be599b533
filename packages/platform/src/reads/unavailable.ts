import { fail } from '@pit/protocol'

/**
 * Throws RPC_UNAVAILABLE with a reason. A function declaration, so that the compiler knows it never returns.
 */
export function rpcUnavailable(why: string): never {
  fail('RPC_UNAVAILABLE', { message: `The chain's RPC gave no usable response: ${why}.` })
}
