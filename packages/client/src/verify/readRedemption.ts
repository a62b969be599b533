import { type Address, type Delegation, decodeRedeem, type Hex, readLeaf, readRoot } from '@pit/chain'
import type { Answer } from '@pit/protocol'
import { recoverAuthorizationAddress } from 'viem/utils'
import type { SignedCodeAuthorization } from '../account.ts'
import { broken, must } from '../errors.ts'
import type { Pins } from '../pins.ts'
import { stepOf } from './facts.ts'
import { hashing } from './grant.ts'
import { type PlanReading, readCurveSwap, readRouterCall } from './readPlan.ts'

type SessionTx = NonNullable<Answer<'live.session.trade'>['tx']>

export interface RedemptionReading {
  reading: PlanReading
  /** The wallet takes this code with it. */
  takesCode: Address | null
  authorizationList: SignedCodeAuthorization[] | null
}

interface Expected {
  pins: Pins
  executor: Address
  wallet: Address
  tokenIn: Address
  tokenOut: Address
  /** Of the session, where this client granted it. */
  roots: readonly Hex[] | undefined
  tx: SessionTx
}

/** Decodes an executor's transaction: one redemption of one co-signed leaf of the wallet's session. */
export async function readRedemption(expected: Expected): Promise<RedemptionReading> {
  const { pins, executor, wallet, tx } = expected
  const step = stepOf(tx)
  must(step.to === pins.addresses.manager, 'RECIPIENT', 'it calls another contract than the manager')
  must(tx.from.toLowerCase() === executor, 'RECIPIENT', 'it is from another account than the executor')
  must(step.value === 0n, 'RECIPIENT', 'the executor’s transaction sends ETH')
  must(tx.chain_id === pins.profile.chain_id, 'RECIPIENT', 'it is for another chain')
  const redeem = decodeRedeem(step.data)
  if (!redeem.ok) return broken('RECIPIENT', `the redemption cannot be read: ${redeem.why}`)
  const [redemption, ...more] = redeem.redemptions
  must(redemption !== undefined && more.length === 0, 'RECIPIENT', 'it redeems more than one trade')
  const { delegations, execution } = redemption
  must(delegations.length === 2, 'RECIPIENT', 'the delegations are not a root and its leaf')
  const [leafGiven, rootGiven] = delegations as [Delegation, Delegation]
  const root = readRoot(hashing, pins.addresses, rootGiven)
  if (!root || root.kind === 'fee') return broken('RECIPIENT', 'the root is not a session root')
  must(root.wallet === wallet, 'RECIPIENT', 'the session belongs to another wallet')
  const isKnown = expected.roots === undefined || expected.roots.includes(root.hash)
  must(isKnown, 'RECIPIENT', 'it redeems another session')
  const leaf = readLeaf(pins.addresses, leafGiven)
  if (!leaf || leaf.kind === 'fee') return broken('RECIPIENT', 'the leaf is not a trade leaf')
  must(
    leaf.kind === root.kind && leaf.rootHash === root.hash,
    'RECIPIENT',
    'the leaf belongs to another root',
  )
  const isPinned = leaf.cosigner === pins.cosigner && root.cosigner === pins.cosigner
  must(isPinned, 'RECIPIENT', 'the leaf is not signed by the pinned co-signer')
  must(leaf.executor === executor, 'RECIPIENT', 'the leaf belongs to another executor')
  const same =
    leaf.execution.target === execution.target &&
    leaf.execution.valueWei === execution.valueWei &&
    leaf.execution.data === execution.data
  must(same, 'RECIPIENT', 'the leaf allows another call')
  const call = { to: execution.target, value: execution.valueWei, data: execution.data }
  if (leaf.kind === 'router') must(call.to === pins.router, 'RECIPIENT', 'it calls another contract')
  else must(leaf.fee.recipient === pins.feeRecipient, 'RECIPIENT', 'the fee goes to an unexpected address')
  const swap =
    leaf.kind === 'router'
      ? readRouterCall(pins, call)
      : endedByLeaf(
          readCurveSwap(expected, call, () => leaf.fee.amountWei),
          leaf.expiresS,
        )
  must(swap.permit === null, 'RECIPIENT', 'a session trade contains a permit')
  const authorizationList = await authorizationsIn(expected)
  return {
    reading: { ...swap, transactions: [step], approvals: [] },
    takesCode: authorizationList === null ? null : pins.addresses.delegator,
    authorizationList,
  }
}

/** A curve's call without a deadline ends with the leaf that allows it. */
const endedByLeaf = <Reading extends Pick<PlanReading, 'deadlineS'>>(
  reading: Reading,
  expiresS: number,
): Reading => ({ ...reading, deadlineS: reading.deadlineS ?? BigInt(expiresS) })

/** Allows only the session wallet's own authorization, for the pinned code. */
async function authorizationsIn({ pins, wallet, tx }: Expected): Promise<SignedCodeAuthorization[] | null> {
  const authorizations = tx.authorization_list ?? []
  if (authorizations.length === 0) return null
  must(authorizations.length === 1, 'RECIPIENT', 'more than one wallet would get code')
  const [{ chain_id, address, nonce, y_parity, r, s }] = authorizations as [(typeof authorizations)[number]]
  must(
    address.toLowerCase() === pins.addresses.delegator,
    'RECIPIENT',
    'the wallet would get code that is not pinned',
  )
  must(chain_id === pins.profile.chain_id, 'RECIPIENT', 'the authorization is for another chain')
  must(Number.isSafeInteger(nonce) && nonce >= 0, 'RECIPIENT', 'the authorization has no nonce')
  must(y_parity === 0 || y_parity === 1, 'RECIPIENT', 'the authorization’s parity is not 0 or 1')
  const one = {
    chainId: chain_id,
    address: pins.addresses.delegator,
    nonce,
    yParity: y_parity,
    r: r as Hex,
    s: s as Hex,
  }
  const signer = await recoverAuthorizationAddress({ authorization: one }).catch(() => null)
  must(signer?.toLowerCase() === wallet, 'RECIPIENT', 'the authorization is not signed by the wallet')
  return [one]
}
