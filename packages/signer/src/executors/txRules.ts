import {
  type Address,
  authorityOf,
  type Crypto,
  type Delegation,
  decodeRedeem,
  delegationHash,
  delegationSigner,
  encodeRedeem,
  type Hex,
  type LeafTerms,
  payFee,
  readLeaf,
} from '@pit/chain'
import type { ExecutorTx } from '@pit/signer-wire'
import { type Failure, type Rules, unreadMessage } from '../checks.ts'
import type { Pins } from '../pins.ts'
import type { Session } from '../roots/readRoots.ts'

type TradeLeaf = Exclude<LeafTerms, { kind: 'fee' }>

/** The redemption in a transaction, decoded from its calldata alone. */
export interface RedeemReading {
  leaf: Delegation
  terms: TradeLeaf & { payment: Delegation[] | null }
  root: Delegation
}

/** Facts that an executor's transaction is judged by; none is accepted from the server unchecked. */
export interface TxFacts {
  crypto: Crypto
  pins: Pins
  nowS: number
  executor: { address: Address; owner: Address; closedAtMs: number | null }
  tx: ExecutorTx
  reading: RedeemReading | undefined
  /** The session whose root it redeems, as the signer's own ledger has it. */
  session: Session | null
  /** Null while the chain is not read. */
  baseFeeWei: bigint | null
  /** The reason it cannot be read, if known. */
  whyUnread?: string | null
}

/** One redemption: a trade's leaf and its root. Undefined for anything else. */
export function readRedeem({ addresses }: Pick<Pins, 'addresses'>, data: Hex): RedeemReading | undefined {
  const decoded = decodeRedeem(data)
  if (!decoded.ok || decoded.redemptions.length !== 1) return undefined
  const { delegations } = decoded.redemptions[0]!
  const [leaf, root] = delegations
  if (!leaf || !root || delegations.length !== 2) return undefined
  const terms = readLeaf(addresses, leaf)
  return terms && terms.kind !== 'fee' ? { leaf, terms, root } : undefined
}

const MIN_GAS = 21_000
/** As in fast mode: a higher fee would only pay the block builder. */
const MAX_BASE_FEES = 10n

type Check = (facts: TxFacts & { reading: RedeemReading }) => Failure | null
const ofRedeem =
  (check: Check) =>
  (facts: TxFacts): Failure | null =>
    facts.reading ? check({ ...facts, reading: facts.reading }) : null

/** In order; every rule that can run runs. */
export const txRules: Rules<TxFacts> = [
  {
    code: 'EXECUTOR_CLOSED',
    check: ({ executor }) =>
      executor.closedAtMs === null ? null : { message: 'The executor is closed: its gas was refunded.' },
  },
  {
    code: 'TX_TARGET',
    check: ({ tx: { to: value }, pins: { addresses } }) =>
      value === addresses.manager
        ? null
        : { message: 'The call is not to the DelegationManager.', value, limit: addresses.manager },
  },
  {
    code: 'TX_VALUE',
    check: ({ tx: { value_wei: value } }) =>
      value === 0n
        ? null
        : { message: 'An executor must not send ETH.', value: value.toString(), limit: '0' },
  },
  {
    code: 'TX_GAS',
    check: ({ tx: { gas: value }, pins: { limits } }) =>
      value >= MIN_GAS && value <= limits.executor_gas
        ? null
        : { message: 'The gas limit is outside the allowed range.', value, limit: limits.executor_gas },
  },
  {
    code: 'CHAIN_UNAVAILABLE',
    check: ({ baseFeeWei, whyUnread }) =>
      baseFeeWei === null ? { message: unreadMessage(whyUnread) } : null,
  },
  {
    code: 'TX_FEE',
    check({ tx: { max_fee_per_gas: value, max_priority_fee_per_gas: tip }, baseFeeWei }) {
      if (baseFeeWei === null) return null
      const limit = baseFeeWei * MAX_BASE_FEES
      if (tip > value) return { message: 'The tip exceeds the fee cap.' }
      return value <= limit
        ? null
        : {
            message: 'The fee cap exceeds ten base fees.',
            value: value.toString(),
            limit: limit.toString(),
          }
    },
  },
  {
    code: 'TX_REDEEM',
    check: ({ reading }) =>
      reading ? null : { message: 'The call does not redeem exactly one trade leaf under its root.' },
  },
  {
    code: 'ROOT',
    check: ofRedeem(({ session }) =>
      session ? null : { message: 'The leaf’s root is not registered for this executor.' },
    ),
  },
  {
    code: 'TX_EXECUTOR',
    check: ofRedeem(({ reading: { terms }, executor, session }) =>
      terms.executor === executor.address && (!session || session.binding.executor === executor.address)
        ? null
        : { message: 'The leaf is for another executor.', value: terms.executor, limit: executor.address },
    ),
  },
  {
    code: 'EXECUTOR_OWNER',
    check: ({ session, executor }) =>
      !session || session.binding.wallet === executor.owner
        ? null
        : { message: 'The session belongs to another wallet than the executor’s owner.' },
  },
  {
    code: 'LEAF_SIGNATURE',
    check: ofRedeem(({ crypto, pins: { addresses, cosigner }, reading: { leaf } }) =>
      delegationSigner(crypto, addresses, leaf) === cosigner
        ? null
        : { message: 'The leaf is not signed by this co-signer.' },
    ),
  },
  {
    code: 'LEAF_EXPIRED',
    check: ofRedeem(({ reading: { terms }, nowS }) =>
      terms.expiresS > nowS ? null : { message: 'The leaf has expired.', value: terms.expiresS, limit: nowS },
    ),
  },
  { code: 'TX_CALLDATA', check: ofRedeem(calldataFailure) },
  { code: 'TX_AUTHORIZATION', check: authorizationFailure },
]

/** The redemption must equal, byte for byte, the one built from the signer's own roots. */
function calldataFailure({ crypto, pins, session, reading, tx }: Parameters<Check>[0]): Failure | null {
  if (!session) return null
  const { terms, leaf } = reading
  const root = terms.kind === 'curve' ? session.signed.curve : session.signed.root
  const other = { message: 'The calldata is not exactly the redemption of the leaf.' }
  if (!root) return other
  const whole = terms.kind === 'curve' ? paidLeaf({ crypto, pins, session, reading }) : leaf
  if (!whole) return { message: 'The fee leaf of the curve leaf is not the one this co-signer signed.' }
  const again = encodeRedeem([{ delegations: [whole, root], execution: terms.execution }])
  return again === tx.data.toLowerCase() ? null : other
}

function paidLeaf({
  crypto,
  pins: { addresses, cosigner },
  session,
  reading: { leaf, terms },
}: Pick<Parameters<Check>[0], 'crypto' | 'pins' | 'reading'> & { session: Session }): Delegation | null {
  const [feeLeaf] = terms.payment ?? []
  const fee = feeLeaf && readLeaf(addresses, feeLeaf)
  const { fee: feeRoot } = session.signed
  if (!feeLeaf || !feeRoot || fee?.kind !== 'fee') return null
  if (fee.paidFor !== delegationHash(crypto, leaf) || fee.rootHash !== session.curve?.fee.hash) return null
  if (delegationSigner(crypto, addresses, feeLeaf) !== cosigner) return null
  return payFee(addresses, leaf, [feeLeaf, feeRoot])
}

/** Only the session's own wallet, and only to the delegator sessions run on. */
function authorizationFailure({ crypto, pins: { addresses }, session, tx }: TxFacts): Failure | null {
  const authorizations = tx.authorizations ?? []
  if (authorizations.length === 0) return null
  const [one] = authorizations
  const fits =
    authorizations.length === 1 &&
    one!.chainId === addresses.chainId &&
    one!.address.toLowerCase() === addresses.delegator &&
    (!session || authorityOf(crypto, one!) === session.binding.wallet)
  return fits ? null : { message: 'The authorization is not from the session’s wallet to the delegator.' }
}
