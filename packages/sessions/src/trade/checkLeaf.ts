import {
  type Address,
  type Crypto,
  type Delegation,
  type DelegationAddresses,
  delegationHash,
  delegationSigner,
  type Hex,
  LEAF_TTL_S,
  readLeaf,
} from '@pit/chain'
import type { Cosigned } from '@pit/signer-wire'
import type { SessionCall } from './readCall.ts'

/** Tolerated clock difference between processes. */
const LEEWAY_S = 30

export interface LeafRequest {
  call: SessionCall
  cosigner: Address
  executor: Address
  nowS: number
  /** Signed before, so it may have expired since. */
  again?: boolean
}

/**
 * Why the co-signer's leaf differs from the requested one; null if equal byte for byte. `readLeaf` accepts
 * only canonical encodings, so equal terms are equal bytes.
 */
export function leafFault(
  { crypto, delegation }: { crypto: Crypto; delegation: DelegationAddresses },
  { call, cosigner, executor, nowS, again = false }: LeafRequest,
  answer: Cosigned,
): string | null {
  const { leaf } = answer
  const root = call.kind === 'router' ? call.root : call.roots?.curve
  const terms = readLeaf(delegation, leaf)
  if (!root || !terms) return 'it is not a leaf'
  if (terms.kind !== call.kind) return 'it is another kind of leaf'
  if (terms.rootHash !== root.hash) return 'it belongs to another root'
  if (terms.cosigner !== cosigner || terms.executor !== executor) return 'it is for other parties'
  if (!isSameCall(terms.execution, call.execution)) return 'it allows another call'
  if (terms.payment !== null) return 'it contains an unexpected payment'
  if (terms.sequence !== answer.sequence) return 'its sequence differs from the stated one'
  if (!lasts(terms.expiresS, nowS, again)) return 'it has another expiry'
  if (answer.leaf_hash !== delegationHash(crypto, leaf)) return 'its hash differs from the stated one'
  if (delegationSigner(crypto, delegation, leaf) !== cosigner) return 'it is not signed by the co-signer'
  if (call.kind === 'router') return answer.fee_leaf === undefined ? null : 'it has an unexpected fee leaf'
  if (terms.kind !== 'curve' || !call.roots) return 'it is another kind of leaf'
  const { recipient, amountWei } = terms.fee
  if (recipient !== call.roots.fee.recipient || amountWei !== call.fee.amountWei) return 'it has another fee'
  return feeLeafFault({ crypto, delegation }, answer.fee_leaf, {
    rootHash: call.roots.fee.hash,
    paidFor: answer.leaf_hash,
    cosigner,
    executor,
    nowS,
    again,
  })
}

function feeLeafFault(
  { crypto, delegation }: { crypto: Crypto; delegation: DelegationAddresses },
  leaf: Delegation | undefined,
  due: Required<Omit<LeafRequest, 'call'>> & { rootHash: Hex; paidFor: Hex },
): string | null {
  const terms = leaf && readLeaf(delegation, leaf)
  if (terms?.kind !== 'fee') return 'its fee leaf is missing'
  if (terms.rootHash !== due.rootHash || terms.paidFor !== due.paidFor)
    return 'its fee leaf is for another trade'
  if (terms.cosigner !== due.cosigner || terms.executor !== due.executor)
    return 'its fee leaf is for other parties'
  if (!lasts(terms.expiresS, due.nowS, due.again)) return 'its fee leaf has another expiry'
  return delegationSigner(crypto, delegation, leaf!) === due.cosigner
    ? null
    : 'its fee leaf is not signed by the co-signer'
}

type Call = SessionCall['execution']
const isSameCall = (a: Call, b: Call): boolean =>
  a.target === b.target && a.valueWei === b.valueWei && a.data === b.data

const lasts = (expiresS: number, nowS: number, again: boolean): boolean =>
  (again || expiresS > nowS) && expiresS <= nowS + LEAF_TTL_S + LEEWAY_S
