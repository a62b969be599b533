import type { Hex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail } from '@pit/protocol'
import type { RelayDeps } from './deps.ts'
import { diffsAgainst } from './diffs.ts'
import {
  checkFeeSent,
  feeBefore,
  feeMined,
  findFee,
  hasFeeApart,
  type Item,
  needsFee,
  orderFault,
} from './feeFirst.ts'
import type { FeeWaiter } from './feeWaiter.ts'
import { findPlanned, nearPlans, type PlanCache } from './findPlanned.ts'
import { type Built, planHash } from './planHash.ts'
import { builtOf, type ReadTx, readSigned } from './readSigned.ts'
import { refuseOutcome } from './refuseOutcome.ts'
import type { RelayOnce } from './relayOnce.ts'
import { checkApprovals, checkFeeCaps } from './sendable.ts'
import { relayedAmong } from './tradeRows.ts'
import type { RelayOutcome, Trader } from './types.ts'

type SubmitDeps = Pick<
  RelayDeps,
  | 'db'
  | 'rpc'
  | 'crypto'
  | 'clock'
  | 'market'
  | 'isSanctioned'
  | 'submitEnabled'
  | 'executorOf'
  | 'sessionOpen'
> & { plans: PlanCache; relayOnce: RelayOnce; waitForFee: FeeWaiter }

/** Signed transactions of one key's plans. */
export interface SubmitParams {
  by: Trader
  /** One, or several in order: a refusal of several lists those sent before it. */
  raws: Hex | readonly Hex[]
  /** Hash of the separately relayed fee of a swap; 'sent before' looks it up. */
  feeTxHash?: Hex | 'sent before'
  /** Reader of a refusal: only the owner of the key sees how the bytes differ from its unsent plans. */
  reader: 'owner' | 'anyone'
}

export interface Submitted {
  hashes: Hex[]
  /** Whether a fee, or a swap with a separate fee, was among them. */
  feeFirst: boolean
  timings: { checkMs: number; writeMs: number; sendMs: number; totalMs: number }
}

export type SubmitBytes = (request: SubmitParams) => Promise<Submitted>

/** Relays transactions built for this key, byte for byte, and nothing else. */
export function createSubmitBytes(deps: SubmitDeps): SubmitBytes {
  return async ({ by, raws, feeTxHash, reader }) => {
    if (!deps.submitEnabled) fail('SUBMIT_DISABLED', { status: 403 })
    const started = performance.now()
    const isSingle = typeof raws === 'string'
    const read = (isSingle ? [raws] : raws).map((raw) => readSigned(deps.crypto, raw))
    await checkSigners(deps, by, read)
    const items = await findItems(deps, by, reader, read)
    const fees = await checkOrder(deps, by, items, feeTxHash)
    await checkFeeCaps(deps, read)
    await checkApprovals(deps, items, read)
    const feeFirst = items.some(hasFeeApart)
    const checkMs = performance.now() - started

    const hashes: Hex[] = []
    const ms = { write: 0, send: 0 }
    for (const item of items) {
      const paid = fees.get(item.signed.hash)
      if (paid && hashes.includes(paid)) await feeMined(deps.waitForFee, by.keyId, paid, hashes)
      const outcome = await relay(deps, by, item, paid ?? null)
      if (outcome.kind !== 'sent' && outcome.kind !== 'repeat')
        refuseOutcome(outcome, isSingle ? null : hashes)
      hashes.push(outcome.hash)
      ms.write += outcome.ms.write
      ms.send += outcome.ms.send
    }
    const totalMs = performance.now() - started
    return { hashes, feeFirst, timings: { checkMs, writeMs: ms.write, sendMs: ms.send, totalMs } }
  }
}

/** The signer must be the key's wallet or an executor of its sessions, and not sanctioned. */
async function checkSigners(
  deps: SubmitDeps,
  { keyId, wallet }: Trader,
  read: readonly ReadTx[],
): Promise<void> {
  for (const signer of new Set(read.map(({ signed }) => signed.signer))) {
    if (deps.isSanctioned(signer)) fail('SANCTIONED', { field: 'signer' })
    if (signer === wallet) continue
    if (await deps.executorOf?.({ keyId, wallet, signer })) continue
    fail('WALLET_MISMATCH', {
      message: `Signed by ${signer}, which is neither the key's wallet nor an executor of its sessions.`,
    })
  }
}

/** Each transaction with its plan; one relayed before needs none. */
async function findItems(
  deps: SubmitDeps,
  { keyId, wallet }: Trader,
  reader: SubmitParams['reader'],
  read: readonly ReadTx[],
): Promise<Item[]> {
  const built = read.map(builtOf)
  const hashes = built.map((one) => planHash(deps.crypto, one))
  const now = deadlineClockS(deps)
  const planned = await findPlanned(deps, keyId, hashes, now)
  const items: Item[] = read.map(({ signed }, i) => ({ signed, planned: planned.get(hashes[i]!) ?? null }))
  for (const { planned: plan } of items) {
    if (plan && plan.wallet !== wallet && deps.isSanctioned(plan.wallet))
      fail('SANCTIONED', { field: 'session_wallet' })
  }
  await checkSessions(deps, items)
  const lacking = items.filter(({ planned: plan }) => plan === null || plan.expiresAtS < now)
  if (lacking.length === 0) return items
  const relayed = await relayedAmong(
    deps.db,
    lacking.map(({ signed }) => signed.hash),
  )
  for (const item of lacking) {
    if (relayed.has(item.signed.hash)) item.planned = null
    else if (item.planned === null) {
      if (reader === 'anyone') refuseAsBuilt()
      await refuseUnknown(deps, keyId, built[items.indexOf(item)]!, now)
    } else {
      fail('SUBMIT_REJECTED', {
        message: 'The plan’s deadline has passed. Prepare it again and sign the new one.',
        why: 'DEADLINE_PASSED',
      })
    }
  }
  return items
}

/** The later of both clocks: the chain enforces deadlines. */
const deadlineClockS = ({ clock, market }: SubmitDeps): number =>
  Math.max(nowS(clock), market.head()?.timestampS ?? 0)

/** A trade planned before its session was revoked is not relayed after. */
async function checkSessions({ db, sessionOpen }: SubmitDeps, items: readonly Item[]): Promise<void> {
  for (const { planned, signed } of items) {
    const id = planned?.terms?.sessionId
    if (!id || !sessionOpen || (await sessionOpen(id))) continue
    // Relayed before the session ended: its outcome is the response.
    if ((await relayedAmong(db, [signed.hash])).size > 0) continue
    fail('SUBMIT_REJECTED', {
      message: 'The session was revoked or has ended. Its trades are no longer relayed.',
      why: 'SESSION_ENDED',
    })
  }
}

/** The same for every reason, so that it shows nothing about the wallet's keys or plans. */
export const refuseAsBuilt = (): never =>
  fail('NOT_AS_BUILT', {
    message: 'This transaction was not built here. Prepare the trade again and sign it unchanged.',
  })

async function refuseUnknown(deps: SubmitDeps, keyId: number, built: Built, now: number): Promise<never> {
  const near = await nearPlans(deps.db, keyId, built, now)
  return fail('NOT_AS_BUILT', { diffs: diffsAgainst(near, built) })
}

/** Checks the order; finds the fee transaction of each swap that needs one, or refuses. */
async function checkOrder(
  deps: SubmitDeps,
  { keyId }: Trader,
  items: readonly Item[],
  feeTxHash: SubmitParams['feeTxHash'],
): Promise<Map<Hex, Hex>> {
  const fault = orderFault(items)
  if (fault) {
    const message = `Invalid transaction order: ${fault}.`
    if (items.some(hasFeeApart)) fail('FEE_FIRST', { message, sent: [] })
    fail('SUBMIT_REJECTED', { message, why: fault })
  }
  const fees = new Map<Hex, Hex>()
  for (const swap of items.filter(needsFee)) {
    const beside = feeBefore(items, swap)
    if (beside) {
      fees.set(swap.signed.hash, beside.hash)
      continue
    }
    const named = feeTxHash === 'sent before' ? await findFee(deps.db, swap) : feeTxHash
    if (named !== undefined) {
      const fee = named.toLowerCase() as Hex
      await checkFeeSent(deps, keyId, fee, swap)
      fees.set(swap.signed.hash, fee)
      continue
    }
    // Relayed before, with its fee: its outcome is the response.
    if ((await relayedAmong(deps.db, [swap.signed.hash])).size > 0) swap.planned = null
    else fail('FEE_FIRST', { sent: [] })
  }
  return fees
}

/** A transaction without a plan was relayed before: returns its recorded outcome without sending. */
async function relay(
  { relayOnce }: SubmitDeps,
  { keyId }: Trader,
  { signed, planned }: Item,
  feeTxHash: Hex | null,
): Promise<RelayOutcome> {
  if (planned) {
    const { kind, wallet, terms } = planned
    return relayOnce({ signed, kind, keyId, wallet, terms, feeTxHash })
  }
  const earlier = await relayOnce.lookUp(signed)
  if (earlier) return earlier
  return fail('SUBMIT_REJECTED', {
    message: 'It was refused before and its plan has expired. Prepare it again and sign the new one.',
    why: 'DEADLINE_PASSED',
  })
}
