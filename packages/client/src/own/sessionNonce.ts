import { type Hex, readNonceCall } from '@pit/chain'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { ethCall, resultOf } from './rpc.ts'

/** The wallet's nonce at the NonceEnforcer: raising it ends every session with controls. */
export async function readSessionNonce(
  { rpc, pins, account }: Pick<ClientDeps, 'rpc' | 'pins' | 'account'>,
  { signal }: VerbOptions,
): Promise<bigint> {
  const { to, data } = readNonceCall(pins.addresses, account.address)
  const [answer] = await rpc.all([ethCall(to, data)], signal)
  return BigInt(resultOf<Hex>(answer))
}
