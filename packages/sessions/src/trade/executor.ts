import { type Address, type Delegation, encodeRedeem, type Hex, payFee } from '@pit/chain'
import { askEther, askNonce, needAll } from '@pit/platform/reads'
import { fail } from '@pit/protocol'
import type { Cosigned } from '@pit/signer-wire'
import { feesOf, limitFromEstimate, type Planned, type PlanTx } from '@pit/trading'
import type { SessionAddresses } from '../addresses.ts'
import type { SessionDeps } from '../deps.ts'
import type { Session } from '../types.ts'
import type { SessionCall } from './readCall.ts'

/** The executor of a session; it only pays gas. */
export interface Executor {
  address: Address
  /** Next nonce, including pending transactions. */
  nonce: number
  balanceWei: bigint
}

export async function readExecutor({ rpc }: Pick<SessionDeps, 'rpc'>, address: Address): Promise<Executor> {
  const requests = [askNonce(address, 'pending'), askEther(address)] as const
  const [nonce, balanceWei] = await needAll(rpc, requests).catch(() => fail('RPC_UNAVAILABLE'))
  return { address, nonce, balanceWei }
}

/** Redemption gas besides the call: two signatures, a dozen caveats, first writes of counters. */
const REDEEM_GAS = { router: 480_000, curve: 800_000 } as const
const SET_CODE_GAS = 30_000

/** The executor's transaction; gas is an estimate until simulated. */
export function executorTx(
  { manager }: { manager: Address },
  executor: Executor,
  { call, data, planned }: { call: SessionCall; data: Hex; planned: Planned },
): PlanTx {
  const { route, quote } = planned.request
  const { code } = call
  const carries = code.state === 'with this trade'
  return {
    from: executor.address,
    to: manager,
    valueWei: 0n,
    data,
    gas: limitFromEstimate(route.gas) + REDEEM_GAS[call.kind] + (carries ? SET_CODE_GAS : 0),
    nonce: executor.nonce,
    ...feesOf(quote.gasPriceWei),
    ...(carries && { authorizations: [code.authorization] }),
  }
}

/** The leaf as redeemed; a curve leaf includes its fee payment. */
export function wholeLeaf({ delegation }: SessionAddresses, session: Session, answer: Cosigned): Delegation {
  const { leaf, fee_leaf } = answer
  return fee_leaf && session.curveRoots ? payFee(delegation, leaf, [fee_leaf, session.curveRoots.fee]) : leaf
}

/** Calldata of the executor's redeemDelegations: one execution with the leaf and its root. */
export function redeemData(session: Session, call: SessionCall, leaf: Delegation): Hex {
  const root = call.kind === 'curve' ? session.curveRoots?.curve : session.root
  if (!root) throw new Error('a curve trade without curve roots')
  return encodeRedeem([{ delegations: [leaf, root], execution: call.execution }])
}
