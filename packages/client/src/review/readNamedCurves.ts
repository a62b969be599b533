import { type Address, type Caveat, decodeCaveat, readCurveCall } from '@pit/chain'
import { lower } from '@pit/protocol'
import { type ListedCurve, readListedCurves } from '../own/curves.ts'
import { openNode } from '../own/node.ts'
import type { Rpc } from '../own/rpc.ts'
import type { Pins } from '../pins.ts'
import { inside, readApproval } from '../verify/readPlan.ts'
import type { ReviewContext, SigningRequest } from './terms.ts'

const MAX_CANDIDATES = 20

/**
 * The curves that a request names and a pinned launchpad lists, by the wallet's own node.
 * @throws NODE_BEHIND, RPC_UNAVAILABLE the node has no fresh block or fails a call
 * @public
 */
export async function readNamedCurves(
  rpc: Rpc,
  context: Pick<ReviewContext, 'pins' | 'wallet'>,
  request: SigningRequest,
): Promise<ListedCurve[]> {
  const named = [...new Set(candidatesIn(context, request))].slice(0, MAX_CANDIDATES)
  if (named.length === 0) return []
  return readListedCurves(openNode(rpc, context.pins, Date.now), context.pins, named)
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
      const approval = readApproval(pins, call)
      return !approval || approval.amount === 0n || isPinned(pins, approval.spender) ? [] : [approval.spender]
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
