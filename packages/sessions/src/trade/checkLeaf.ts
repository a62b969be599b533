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
import type { Cosigned } from '@pit/platform/signerCalls'
import type { SessionCall } from './readCall.ts'

/** Clocks of two processes differ a little. */
const LEEWAY_S = 30

export interface LeafRequest {
  call: SessionCall
  cosigner: Address
  executor: Address
  nowS: number
  /** It was signed before, and may have ended since. */
  again?: boolean
}

/**
 * Why what the co-signer answered is not the leaf that was asked for; null when it is, byte for byte.
 * `readLeaf` reads only what its builders write, so equal terms are equal bytes.
 */
export function leafFault(
  { crypto, delegation }: { crypto: Crypto; delegation: DelegationAddresses },
  { call, cosigner, executor, nowS, again = false }: LeafRequest,
  answer: Cosigned,
): string | null {
  const { leaf } = answer
  const root = call.kind === 'router' ? call.root : call.roots?.curve
  const terms = readLeaf(delegation, leaf)
  if (!root || !terms) return 'it is no leaf'
  if (terms.kind !== call.kind) return 'it is another kind of leaf'
  if (terms.rootHash !== root.hash) return 'it is of another root'
  if (terms.cosigner !== cosigner || terms.executor !== executor) return 'it is for somebody else'
  if (!isSameCall(terms.execution, call.execution)) return 'it allows another call'
  if (terms.payment !== null) return 'something was laid into it'
  if (terms.sequence !== answer.sequence) return 'its sequence is another than was told'
  if (!lasts(terms.expiresS, nowS, again)) return 'it ends at another time'
  if (answer.leaf_hash !== delegationHash(crypto, leaf)) return 'its hash is another than was told'
  if (delegationSigner(crypto, delegation, leaf) !== cosigner) return 'it is not signed by the co-signer'
  if (call.kind === 'router') return answer.fee_leaf === undefined ? null : 'it pays a fee apart'
  if (terms.kind !== 'curve' || !call.roots) return 'it is another kind of leaf'
  const { recipient, amountWei } = terms.fee
  if (recipient !== call.roots.fee.recipient || amountWei !== call.fee.amountWei) return 'its fee is another'
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
  if (terms?.kind !== 'fee') return 'what pays its fee is missing'
  if (terms.rootHash !== due.rootHash || terms.paidFor !== due.paidFor) return 'its fee is paid for another'
  if (terms.cosigner !== due.cosigner || terms.executor !== due.executor)
    return 'its fee is paid by somebody else'
  if (!lasts(terms.expiresS, due.nowS, due.again)) return 'what pays its fee ends at another time'
  return delegationSigner(crypto, delegation, leaf!) === due.cosigner
    ? null
    : 'what pays its fee is not signed'
}

type Call = SessionCall['execution']
const isSameCall = (a: Call, b: Call): boolean =>
  a.target === b.target && a.valueWei === b.valueWei && a.data === b.data

const lasts = (expiresS: number, nowS: number, again: boolean): boolean =>
  (again || expiresS > nowS) && expiresS <= nowS + LEAF_TTL_S + LEEWAY_S
