import { type Delegation, encodeRedeem, type Hex, payFee } from '@pit/chain'
import type { Cosigned } from '@pit/platform/signerCalls'
import type { SessionAddresses } from '../addresses.ts'
import type { Session } from '../types.ts'
import type { SessionCall } from './readCall.ts'

/** The leaf as it is redeemed: a curve's carries what pays its fee. */
export function wholeLeaf({ delegation }: SessionAddresses, session: Session, answer: Cosigned): Delegation {
  const { leaf, fee_leaf } = answer
  return fee_leaf && session.curveRoots ? payFee(delegation, leaf, [fee_leaf, session.curveRoots.fee]) : leaf
}

/** Calldata of the executor's redeemDelegations: one act, the leaf and the root it stands on. */
export function redeemData(session: Session, call: SessionCall, leaf: Delegation): Hex {
  const root = call.kind === 'curve' ? session.curveRoots?.curve : session.root
  if (!root) throw new Error('a curve trade without curve roots')
  return encodeRedeem([{ delegations: [leaf, root], execution: call.execution }])
}
