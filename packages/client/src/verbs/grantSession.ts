import { type Address, type Hex, NATIVE } from '@pit/chain'
import { type Answer, type BodyInput, boundMarks, SESSION, type SessionBindingV3 } from '@pit/protocol'
import { normalized } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must, PitRefusal, readingAnswer, refuse } from '../errors.ts'
import { type OwnCurve, readSessionCurves } from '../own/curves.ts'
import { marksRequest } from '../own/marks.ts'
import { readPrices } from '../own/price.ts'
import type { RpcCall } from '../own/rpc.ts'
import { readSessionNonce } from '../own/sessionNonce.ts'
import { isRecordId } from '../records.ts'
import { checkBinding, checkMarks, checkRoots, type GrantParams, type Pending } from '../verify/grant.ts'
import { checkDescription, type SignedTerms, signedTerms } from '../verify/signedTerms.ts'
import { handOverSignature } from './handOverSignature.ts'
import { sendOwn } from './sendOwn.ts'
import { readSetup } from './sendSetup.ts'

export interface GrantOptions extends VerbOptions {
  /** The owner agrees that the wallet takes the delegator's code (EIP-7702). */
  allow7702?: boolean
  /** Send the token approvals a session needs before it can sell tokens; otherwise they are yours to send. */
  sendSetup?: boolean
  /** You send those approvals yourself, before the first trade: the authorization counts after them. */
  afterSetup?: boolean
  /** Receives what the signed bytes say; false ends it with nothing signed. */
  confirm?(terms: SignedTerms): Promise<boolean> | boolean
}
export type Active = Extract<Answer<'live.session.grant'>, { status: 'active' }>
export interface Granted {
  active: Active
  /** The terms that were signed. */
  terms: SignedTerms
  /** Token approvals the owner sends before the session can sell tokens, as answered: verify them first. */
  setup: Pending['setup']
}

/**
 * Grants a session: requests it, rebuilds every root, signs, records the roots, switches it on.
 * @param request executor, tokens and limits
 * @param options `allow7702` consents to the wallet's delegation; `confirm` receives the terms in words
 * @returns the active session and the signed terms
 * @throws CONSENT_REQUIRED the wallet has no code yet: pass `allow7702`
 * @throws VERIFICATION_FAILED the typed data does not match the request (GRANT_BINDING, GRANT_CAPS)
 * @throws NOT_CONFIRMED `confirm` returned false
 * @throws RECEIPT_MISSING the service did not confirm the signed session, so it may be active (`details.session_id`)
 * @example
 * ```ts
 * const { active } = await client.grantSession(
 *   {
 *     executor: bot.address,
 *     tokens: ['ETH', 'USDG'],
 *     max_trade_usd: 10,
 *     max_day_usd: 20,
 *     setup_budget_usd: 0,
 *     controls: {},
 *   },
 *   { allow7702: true },
 * )
 * console.log(active.session_id)
 * ```
 */
export async function grantSession(
  deps: ClientDeps,
  request: GrantParams,
  options: GrantOptions = {},
): Promise<Granted> {
  await deps.checked()
  const body: BodyInput<'live.session.grant'> = { ...request, wallet: deps.account.address }
  const answer = await deps.api['live.session.grant']({ body }, { signal: options.signal })
  if (answer.status !== 'pending') return broken('GRANT_BINDING', 'a grant that was not signed is active')
  const signed = await readingAnswer('GRANT_BINDING', () => sign(deps, request, answer, options)).catch(
    async (error: unknown) => {
      await cancel(deps, answer.session_id)
      throw error
    },
  )
  return { active: await switchOn(deps, signed, options), terms: signed.terms, setup: answer.setup }
}

const CANCEL_MS = 5_000

/** Best effort: an unsigned session ends by itself. One that was signed before is never cancelled. */
async function cancel(deps: ClientDeps, sessionId: unknown): Promise<void> {
  if (!isRecordId(sessionId) || (await deps.records.session(sessionId).catch(() => true))) return
  const options = { signal: AbortSignal.timeout(CANCEL_MS) }
  await deps.api['live.session.revoke']({ body: { session_id: sessionId } }, options).catch(() => {})
}

type GrantCall = Extract<BodyInput<'live.session.grant'>, { session_id: string }>

/** Its root is signed and recorded: without the confirmation it counts as alive until it is revoked. */
async function switchOn(
  deps: ClientDeps,
  { body, terms: { sessionId, roots } }: { body: GrantCall; terms: SignedTerms },
  { signal }: VerbOptions,
): Promise<Active> {
  const handed = {
    what: `the session ${sessionId}`,
    toEnd: `Do not grant another. Revoke session ${sessionId}, which ends it on chain.`,
    details: { session_id: sessionId, roots: roots.map(({ hash }) => hash) },
  }
  const send = () => deps.api['live.session.grant']({ body }, { signal })
  const active = await handOverSignature(
    handed,
    send,
    (one) =>
      one.status === 'active' &&
      one.session_id === sessionId &&
      one.delegation_hash.toLowerCase() === roots[0]!.hash,
  )
  return active as Active
}

async function sign(deps: ClientDeps, request: GrantParams, pending: Pending, options: GrantOptions) {
  const { pins, account, rpc, records } = deps
  const { session_id: sessionId } = pending
  must(isRecordId(sessionId), 'GRANT_BINDING', 'the session id is malformed')
  const isNew = (await records.session(sessionId)) === null
  must(isNew, 'GRANT_BINDING', 'the response has the id of an earlier session')
  const nowS = Math.floor(deps.nowMs() / 1000)
  const lastsS = request.expires_in_s ?? SESSION.expiresInSDefault
  const binding = checkBinding({ pins, wallet: account.address, request: request, nowS }, pending)
  const markRequest = marksRequest(pins, [NATIVE, ...binding.tokens], nowS * 1000)
  const nonce: RpcCall = { method: 'eth_getTransactionCount', params: [account.address, 'latest'] }
  const [reading, curves, sessionNonce] = await Promise.all([
    rpc.read([markRequest.call, nonce], options.signal),
    readSessionCurves(rpc, pins, binding.tokens, options.signal),
    binding.controls ? readSessionNonce(deps, options) : null,
  ])
  const marks = markRequest.read(reading)
  await checkPrices(deps, binding, nowS, options)
  const checked = checkRoots({ pins, binding, marks, lastsS, curves, nonce: sessionNonce }, pending)
  const authorization = checkAuthorization(deps, pending, Number(BigInt(reading.value(nonce))), options)
  const setup = options.sendSetup
    ? readSetup(deps, pending, { request, binding, marks, curves: curves.map(({ id }: OwnCurve) => id) })
    : { approvals: [], calls: [] }
  const takesCode = authorization && pins.addresses.delegator
  const terms = signedTerms(pins, { sessionId, binding, checked, takesCode, approvals: setup.approvals })
  checkDescription(pending, terms, { binding, lastsS })
  if (options.confirm && !(await options.confirm(terms)))
    throw new PitRefusal('NOT_CONFIRMED', 'The session was not confirmed; nothing was signed.')
  await sendOwn(deps, setup.calls, options)
  const signatures: Hex[] = []
  for (const { typedData } of checked.roots)
    signatures.push(normalized(await account.signTypedData(typedData as never)))
  const [delegation_signature, ...ofCurves] = signatures
  const body = {
    session_id: sessionId,
    delegation_signature: delegation_signature!,
    ...(authorization && {
      authorization_signature: normalized(await account.signAuthorization!(authorization)),
    }),
    ...(ofCurves.length > 0 && {
      curve_root_signatures: Object.fromEntries(
        ofCurves.map((signature, i) => [checked.roots[i + 1]!.hash, signature]),
      ),
    }),
  }
  // Before any signature leaves: a root that may be used must be known even if the answer is lost.
  await records.putSession({
    session_id: sessionId,
    wallet: account.address,
    executor: binding.executor,
    binding,
    roots: checked.roots.map(({ hash, delegation }) => ({ hash, delegation })),
    granted_at: nowS,
  })
  return { body, terms }
}

/** The wallet takes code only from the pinned delegator, at its own next nonce, and only with its owner's word. */
function checkAuthorization(
  { pins, account }: ClientDeps,
  { sign: { authorization }, setup }: Pending,
  nonce: number,
  { allow7702 = false, sendSetup: sends = false, afterSetup = sends }: GrantOptions,
) {
  if (authorization === null) return null
  const {
    chain_id,
    address,
    nonce: at,
  } = authorization as { chain_id: number; address: string; nonce: number }
  must(chain_id === pins.profile.chain_id, 'GRANT_BINDING', 'the authorization is for another chain')
  const isPinned = address.toLowerCase() === pins.addresses.delegator
  must(isPinned, 'GRANT_BINDING', 'the authorization is for code that is not pinned', { address })
  must(at === nonce, 'GRANT_BINDING', 'the authorization is for another nonce than the wallet’s', {
    at,
    nonce,
  })
  if (!allow7702)
    refuse('CONSENT_REQUIRED', 'pass allow7702 if your wallet may delegate to this contract', { address })
  if (!account.signAuthorization)
    refuse('CONSENT_REQUIRED', 'this wallet does not sign EIP-7702 authorizations: grant with a local key')
  // It counts at the nonce that the approvals leave behind.
  const counted = afterSetup ? nonce + setup.length : nonce
  return { chainId: chain_id, address: pins.addresses.delegator, nonce: counted }
}

async function checkPrices(
  { rpc, pins }: ClientDeps,
  binding: SessionBindingV3,
  nowS: number,
  { signal }: VerbOptions,
): Promise<void> {
  const acceptsUnknownHooks = binding.risk.accept_risks.includes('UNKNOWN_HOOK')
  const prices = new Map<Address, Awaited<ReturnType<typeof readPrices>>>()
  for (const { token } of boundMarks(binding))
    prices.set(token, await readPrices(rpc, pins, token, { nowMs: nowS * 1000, acceptsUnknownHooks, signal }))
  checkMarks({ pins, binding }, prices)
}
