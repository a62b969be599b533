import { type Address, type Caveat, decodeCaveat, readCurveCall } from '@pit/chain'
import { lower } from '@pit/protocol'
import { type ListedCurve, readListedCurves } from '../own/curves.ts'
import type { Rpc } from '../own/rpc.ts'
import type { Pins } from '../pins.ts'
import { inside, readApproval } from '../verify/readPlan.ts'
import type { ReviewContext, SigningRequest } from './terms.ts'

const MAX_CANDIDATES = 20

/**
 * The curves that a request names and a pinned launchpad lists, by the wallet's own node. None if the node does
 * not answer: a trade on them is an unknown call then.
 * @public
 */
export async function readNamedCurves(
  rpc: Rpc,
  context: Pick<ReviewContext, 'pins' | 'wallet'>,
  request: SigningRequest,
): Promise<ListedCurve[]> {
  try {
    const named = [...new Set(candidatesIn(context, request))]
    return named.length === 0 ? [] : await readListedCurves(rpc, context.pins, named.slice(0, MAX_CANDIDATES))
  } catch {
    return []
  }
}

/** Callees of curve calls, spenders of approvals and targets of sessions. */
function candidatesIn(
  { pins, wallet }: Pick<ReviewContext, 'pins' | 'wallet'>,
  request: SigningRequest,
): Address[] {
  if (request.kind === 'transaction') {
    const { to, value, data } = request.payload
    const step = { to: lower(to), value: BigInt(value), data: lower(data) }
    return inside(wallet, step).flatMap((call) => {
      if (readCurveCall(call.data)) return [call.to]
      const spender = readApproval(pins, call)?.spender
      return spender === undefined || isPinned(pins, spender) ? [] : [spender]
    })
  }
  if (request.kind === 'typedData' && request.payload.primaryType === 'Delegation') {
    const { caveats } = request.payload.message as unknown as { caveats: Caveat[] }
    return caveats.flatMap((caveat) => {
      const terms = decodeCaveat(pins.addresses, caveat)
      return terms?.enforcer === 'AllowedTargets'
        ? terms.targets.filter((target) => !isPinned(pins, target))
        : []
    })
  }
  return []
}

const isPinned = ({ permit2, router, feeRecipient }: Pins, address: Address): boolean =>
  [permit2, router, feeRecipient].includes(address)
