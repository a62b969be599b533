import type { Address, Hex } from '@pit/chain'
import { lookUntil } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import type { RelayDeps } from './deps.ts'
import type { FeeWaiter } from './feeWaiter.ts'
import type { FeeTerms, PlannedTx, SignedBytes, TradeStatus } from './types.ts'

/** A transaction to relay; `planned` is null if it was relayed before and its plan was swept. */
export interface Item {
  signed: SignedBytes
  planned: PlannedTx | null
}

const RANK = { approve: 0, revoke: 0, fee_transfer: 1, swap: 2 } as const

/** Why the order is wrong, or null: approvals, the fee, the swap, with rising nonces. */
export function orderFault(items: readonly Item[]): string | null {
  let rank = 0
  for (const [i, { signed, planned }] of items.entries()) {
    const before = items[i - 1]?.signed
    if (before && before.signer !== signed.signer)
      return 'all transactions of one submission must have the same signer'
    if (before && before.nonce >= signed.nonce) return 'nonces must increase'
    if (!planned) continue
    const own = RANK[planned.kind]
    if (own < rank || (own === rank && own > 0)) return 'the order must be approve, fee_transfer, swap'
    rank = own
  }
  return null
}

/** A swap whose fee is a separate transaction that must go first. */
export const needsFee = ({ planned }: Item): boolean =>
  planned?.kind === 'swap' && planned.terms?.feeApart === true

export const hasFeeApart = (item: Item): boolean => needsFee(item) || item.planned?.kind === 'fee_transfer'

/** Whether a fee is at least what a swap's plan requires. */
export function paysFor(paid: Pick<FeeTerms, 'token' | 'recipient' | 'amount'>, due: FeeTerms): boolean {
  return (
    paid.token === due.token && paid.recipient === due.recipient && (paid.amount ?? 0n) >= (due.amount ?? 0n)
  )
}

/** The fee before a swap in the same submission. */
export function feeBefore(items: readonly Item[], swap: Item): SignedBytes | undefined {
  const due = swap.planned?.terms?.fee
  if (!due) return undefined
  const before = items.slice(0, items.indexOf(swap))
  return before.find(
    ({ planned }) =>
      planned?.kind === 'fee_transfer' && planned.terms !== null && paysFor(planned.terms.fee, due),
  )?.signed
}

interface FeeRow {
  wallet: Address
  status: TradeStatus
  fee_token: Address
  fee_recipient: Address
  fee_amount: string
  used_by: Hex | null
}

/** The wallet's newest fee that pays for this swap only. */
export async function findFee(sql: Sql, { planned, signed }: Item): Promise<Hex | undefined> {
  const due = planned?.terms?.fee
  if (!planned || !due) return undefined
  const [row] = await sql.query<{ tx_hash: Hex }>(
    `select f.tx_hash from (
       select * from trades where wallet between $1 and $1 order by wallet, id desc limit ${NEWEST}) as f
     where f.kind = 'fee_transfer' and f.status in ('relaying', 'pending', 'mined')
       and f.fee_token = $2 and f.fee_recipient = $3 and f.fee_amount >= $4::numeric
       and not exists (select 1 from trades s where s.fee_tx_hash = f.tx_hash and s.tx_hash <> $5
         and (s.status in ('relaying', 'pending', 'mined') or (s.status = 'dropped' and not s.settled)))
     order by f.id desc limit 1`,
    [planned.wallet, due.token, due.recipient, (due.amount ?? 0n).toString(), signed.hash],
  )
  return row?.tx_hash
}
/** Number of a wallet's newest transactions to search. */
const NEWEST = 50

/** How long to wait for a fee that another call is still relaying. */
const WAIT_MS = 2_000
const WAIT_STEP_MS = 40

/** Refuses unless this hash is this wallet's relayed fee, large enough and not used by another swap. */
export async function checkFeeSent(
  { waitForFee, ...deps }: Pick<RelayDeps, 'db' | 'clock'> & { waitForFee: FeeWaiter },
  keyId: number,
  feeTxHash: Hex,
  { planned, signed }: Item,
): Promise<void> {
  const due = planned?.terms?.fee
  if (!planned || !due) return
  const row = await readFee(deps, feeTxHash)
  if (!row || row.wallet !== planned.wallet) refuse('fee_tx_hash is not a fee relayed for this wallet')
  const amount = BigInt(row.fee_amount)
  if (!paysFor({ token: row.fee_token, recipient: row.fee_recipient, amount }, due))
    refuse('the fee sent does not match this swap')
  if (row.used_by !== null && row.used_by !== signed.hash) refuse('this fee already paid for another swap')
  if (row.status !== 'mined' && row.status !== 'pending') refuse('that fee did not reach the chain')
  if (row.status === 'pending') await feeMined(waitForFee, keyId, feeTxHash)
}

/**
 * Waits until a fee reached its recipient. A swap sent earlier could be mined without it: the wallet may give
 * the fee's transaction too little gas, or reuse its nonce.
 */
export async function feeMined(
  waitForFee: FeeWaiter,
  keyId: number,
  hash: Hex,
  sent: readonly Hex[] = [],
): Promise<void> {
  const fate = await waitForFee(keyId, hash)
  if (fate !== 'mined') refuse(NOT_MINED[fate], sent)
}

const LATER = 'send the swap alone with fee_tx_hash once it is mined'
const NOT_MINED = {
  reverted: 'the fee reverted, so the swap was not sent',
  'not yet': `the fee is not mined yet; ${LATER}`,
  'too many': `the fee is not mined yet, and too many other fees of this key are pending; ${LATER}`,
} as const

function readFee({ db, clock }: Pick<RelayDeps, 'db' | 'clock'>, hash: Hex): Promise<FeeRow | undefined> {
  const look = async () => {
    const [row] = await db.query<FeeRow>(
      `select f.wallet, f.status, f.fee_token, f.fee_recipient, f.fee_amount,
         (select s.tx_hash from trades s where s.fee_tx_hash = f.tx_hash
            and (s.status in ('relaying', 'pending', 'mined') or (s.status = 'dropped' and not s.settled))
          limit 1) as used_by
       from trades f where f.tx_hash = $1 and f.kind = 'fee_transfer'`,
      [hash],
    )
    return row
  }
  const holds = (row: FeeRow | undefined) => row?.status !== 'relaying'
  return lookUntil(clock, look, { holds, withinMs: WAIT_MS, everyMs: WAIT_STEP_MS })
}

function refuse(why: string, sent: readonly Hex[] = []): never {
  fail('FEE_FIRST', { message: `The fee of a curve trade must be sent first: ${why}.`, sent: [...sent] })
}
