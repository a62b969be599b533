import {
  type Address,
  type Receipt as CosignerReceipt,
  type Delegation,
  delegationHash,
  encodeDisable,
  type Hex,
  NATIVE,
  readRoot,
} from '@pit/chain'
import type { Answer } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, must, PitRefusal, readingAnswer } from '../errors.ts'
import { randomWord, receiptFault } from '../orders/receipt.ts'
import { type Allowance, readAllowances } from '../own/allowances.ts'
import { type RootState, readRootStates } from '../own/roots.ts'
import type { SessionRecord } from '../records.ts'
import { hashing } from '../verify/grant.ts'
import { rootIn } from '../verify/readDisable.ts'
import { ending, sendOwn } from './sendOwn.ts'
import type { Receipt } from './sendSigned.ts'

export interface RevokeSessionRequest {
  sessionId: string
  /** Hashes of all its roots, if you kept them yourself; the local record has them otherwise. */
  rootHashes?: readonly Hex[] | undefined
  /** Its roots themselves: what ends them is then built without the server. */
  delegations?: readonly Delegation[] | undefined
  /** False: only at the service and the co-signer; nothing is signed and the roots stay alive. */
  onChain?: boolean
}
/**
 * Result of `revokeSession`.
 * @public
 */
export interface RevokedSession {
  sessionId: string
  /** The service's answer; null if it gave none. */
  revoked: Answer<'live.session.revoke'> | null
  cosignerConfirmed: boolean
  /** The pinned co-signer's own word; null if only the server says that it stopped. */
  receipt: CosignerReceipt | null
  /** By the client's own node, after the transactions. */
  roots: readonly { hash: Hex; state: RootState }[]
  /** False: nothing kept here says which roots there are, so others may be alive. */
  complete: boolean
  receipts: readonly Receipt[]
  /** Allowances left for the session's tokens; null without a local record. */
  approvals: readonly Allowance[] | null
}

interface Root {
  hash: Hex
  /** Null: only its hash is known, and no step of the server ends it. */
  delegation: Delegation | null
  expiresS: number
  /** The wallet's nonce that it repeats; null without controls. */
  nonce: bigint | null
}

/**
 * Ends a session at the service and the co-signer, and on chain by transactions the client builds from its own
 * record. A service that fails does not stop them. Refused unless every root is found ended afterwards.
 * @param request the session; `rootHashes` or `delegations` if this client has no record of it
 * @param options `signal`, `confirm`
 * @returns the state of every root by your own node, and the allowances that are left
 * @throws REVOCATION_INCOMPLETE a root is alive (`details.live_roots`) or the co-signer did not confirm
 * @example
 * ```ts
 * const ended = await client.revokeSession({ sessionId: active.session_id })
 * console.log(ended.roots)
 * ```
 */
export async function revokeSession(
  deps: ClientDeps,
  request: RevokeSessionRequest,
  options: VerbOptions = {},
): Promise<RevokedSession> {
  const { sessionId, onChain = true } = request
  const isNamed = request.rootHashes !== undefined || request.delegations !== undefined
  const record = await deps.records.session(sessionId).catch((error: unknown) => {
    if (!isNamed) throw error
    return null
  })
  const service = await revokeAtService(deps, sessionId, options)
  const roots = await rootsOf(deps, request, record, service.answer)
  const sent = onChain ? await endAll(deps, roots, options) : { receipts: [], error: null }
  const states = await statesOf(deps, roots, options)
  const proof = await proofOf(deps, service, roots, record !== null || isNamed)
  const result: RevokedSession = {
    sessionId,
    revoked: service.answer,
    cosignerConfirmed: service.answer?.signer_revoked === true && proof.fault === null,
    receipt: proof.receipt,
    roots: roots.map(({ hash }, i) => ({ hash, state: states[i]! })),
    complete: record !== null || isNamed,
    receipts: sent.receipts,
    approvals: record && (await approvalsOf(deps, record, options)),
  }
  refuseIfIncomplete(result, { onChain, receiptFault: proof.fault, errors: [sent.error, service.error] })
  return result
}

/** An answer or the reason there is none: the rest goes on either way. */
async function revokeAtService(deps: ClientDeps, sessionId: string, options: VerbOptions) {
  const challenge = randomWord()
  try {
    await deps.checked()
    const body = { session_id: sessionId, challenge }
    return { challenge, answer: await deps.api['live.session.revoke']({ body }, options), error: null }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { challenge, answer: null, error }
  }
}

/** The co-signer's receipt, checked if the client knows the session's main root; a false one is a fault. */
async function proofOf(
  deps: ClientDeps,
  { answer, challenge }: { answer: RevokedSession['revoked']; challenge: Hex },
  roots: readonly Root[],
  isKnown: boolean,
): Promise<{ receipt: CosignerReceipt | null; fault: string | null }> {
  const receipt = (answer?.receipt ?? null) as CosignerReceipt | null
  const session = roots[0]?.hash
  if (!receipt || !isKnown || session === undefined) return { receipt: null, fault: null }
  const fault = await receiptFault(deps, receipt, { what: ['revoked'], session, id: session, challenge })
  return fault === null ? { receipt, fault } : { receipt: null, fault }
}

const statesOf = ({ rpc, pins, account }: ClientDeps, roots: readonly Root[], { signal }: VerbOptions) =>
  readRootStates(rpc, pins, { wallet: account.address, roots }, signal)

/** From what is kept here; only without that from the server's steps. */
async function rootsOf(
  deps: ClientDeps,
  { delegations, rootHashes }: RevokeSessionRequest,
  record: SessionRecord | null,
  answer: RevokedSession['revoked'],
): Promise<Root[]> {
  const own = delegations ?? record?.roots.map(({ delegation }) => delegation)
  if (own) return own.map((delegation) => rootOf(deps, delegation))
  const steps = answer
    ? await readingAnswer('RECIPIENT', () => answer.on_chain.map(({ tx }) => rootIn(deps, tx)))
    : []
  // Each once and in an order of the client's, however often the server lists it.
  const byHash = new Map(steps.map((one) => rootOf(deps, one)).map((root) => [root.hash, root]))
  const listed = [...byHash.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1))
  const hashes = rootHashes?.map((hash) => hash.toLowerCase() as Hex)
  const isOfIt = hashes === undefined || listed.every(({ hash }) => hashes.includes(hash))
  must(isOfIt, 'RECIPIENT', 'a step revokes another session')
  const unlisted = (hashes ?? []).filter((hash) => !listed.some((one) => one.hash === hash))
  return [
    ...listed,
    ...unlisted.map((hash) => ({ hash, delegation: null, expiresS: Number.MAX_VALUE, nonce: null })),
  ]
}

function rootOf({ pins, account }: ClientDeps, delegation: Delegation): Root {
  must(delegation.delegator === account.address, 'RECIPIENT', 'a root belongs to another wallet')
  const { expiresS = Number.MAX_VALUE, nonce = null } = readRoot(hashing, pins.addresses, delegation) ?? {}
  return { hash: delegationHash(hashing, delegation), delegation, expiresS, nonce }
}

/** A failure is kept for the report: the chain is read afterwards whatever happened. */
async function endAll(deps: ClientDeps, roots: readonly Root[], options: VerbOptions) {
  const states = await statesOf(deps, roots, options)
  const receipts: Receipt[] = []
  let error: PitRefusal | null = null
  for (const [i, { delegation }] of roots.entries()) {
    if (states[i] !== 'alive' || delegation === null) continue
    const call = { to: deps.pins.addresses.manager, data: encodeDisable(delegation) }
    try {
      receipts.push(...(await sendOwn(ending(deps), [call], options)))
    } catch (cause) {
      if (!isRefusal(cause)) throw cause
      error ??= cause
    }
  }
  return { receipts, error }
}

async function approvalsOf(
  { rpc, pins, account }: ClientDeps,
  { binding, roots }: SessionRecord,
  { signal }: VerbOptions,
): Promise<Allowance[]> {
  const tokens = binding.tokens.filter((token) => token !== NATIVE)
  const curves = roots.flatMap(({ delegation }) => {
    const root = readRoot(hashing, pins.addresses, delegation)
    return root?.kind === 'curve' ? root.curves : []
  })
  const of = (spender?: Address) =>
    readAllowances(rpc, pins, { wallet: account.address, tokens, spender }, signal)
  const all = await Promise.all([of(), ...curves.map(of)])
  return all.flat().filter(({ amount }) => amount > 0n)
}

function refuseIfIncomplete(
  result: RevokedSession,
  {
    onChain,
    receiptFault: receiptWhy,
    errors,
  }: { onChain: boolean; receiptFault: string | null; errors: readonly (PitRefusal | null)[] },
): void {
  const { sessionId, roots, cosignerConfirmed, complete, receipts } = result
  const live = roots.flatMap(({ hash, state }) => (state === 'alive' ? [hash] : []))
  const faults: string[] = []
  if (onChain && live.length > 0) faults.push(`alive on chain: ${live.join(', ')}`)
  if (!complete && roots.length === 0)
    faults.push(
      'no local record of it exists and the server lists no root, so nothing could be ended on chain',
    )
  if (!cosignerConfirmed)
    faults.push(`the co-signer did not confirm${receiptWhy === null ? '' : ` (${receiptWhy})`}`)
  if (faults.length === 0) return
  const cause = errors.find((error) => error !== null)
  const why = cause ? ` (${cause.code}: ${cause.message})` : ''
  throw new PitRefusal(
    'REVOCATION_INCOMPLETE',
    `Session ${sessionId} is not proven to be over: ${faults.join('; ')}${why}.`,
    {
      retry: live.length > 0 || !complete ? 'no' : 'pause',
      hint: 'Revoke it again, with enough ETH for gas and a node that answers.',
      details: {
        session_id: sessionId,
        live_roots: live,
        ended_roots: roots.flatMap(({ hash, state }) => (state === 'alive' ? [] : [hash])),
        cosigner_confirmed: cosignerConfirmed,
        complete,
        transactions: receipts.map(({ hash }) => hash),
      },
      cause,
    },
  )
}
