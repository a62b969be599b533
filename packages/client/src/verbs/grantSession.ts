import { type Address, type Hex, NATIVE, type SessionRoot } from '@pit/chain'
import { type Answer, type BodyInput, boundMarks, type SessionBindingV3 } from '@pit/protocol'
import { normalized } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must, readingAnswer, refuse } from '../errors.ts'
import { askCurves, curvesIn, type OwnCurve } from '../own/curves.ts'
import { askMarks } from '../own/marks.ts'
import { readPrice } from '../own/price.ts'
import { given } from '../own/rpc.ts'
import { checkBinding, checkMarks, checkRoot, type GrantAsk, type Pending } from '../verify/grant.ts'
import { sendSetup } from './sendSetup.ts'

export interface GrantOptions extends VerbOptions {
  /** The owner agrees that the wallet takes the delegator's code (EIP-7702). */
  allow7702?: boolean
  /** Send the token approvals a session needs before it can sell tokens; otherwise they are yours to send. */
  sendSetup?: boolean
  /** You send those approvals yourself, before the first trade: the authorization counts after them. */
  afterSetup?: boolean
  /** Shows what will be signed; false ends it with nothing signed. */
  confirm?(pending: Pending): Promise<boolean> | boolean
}
export type Active = Extract<Answer<'live.session.grant'>, { status: 'active' }>
export interface Granted {
  active: Active
  /** Token approvals the owner sends before the session can sell tokens. */
  setup: Pending['setup']
  pending: Pending
}

/** Grants a session: asks, reads every root itself, signs, switches on. */
export async function grantSession(
  deps: ClientDeps,
  ask: GrantAsk,
  options: GrantOptions = {},
): Promise<Granted> {
  await deps.checked()
  const body: BodyInput<'live.session.grant'> = { ...ask, wallet: deps.account.address }
  const answer = await deps.api['live.session.grant']({ body }, { signal: options.signal })
  if (answer.status !== 'pending') return broken('GRANT_BINDING', 'a grant that was not signed is active')
  const { body: signed, roots } = await readingAnswer('GRANT_BINDING', () => sign(deps, ask, answer, options))
  const active = await deps.api['live.session.grant']({ body: signed }, { signal: options.signal })
  if (active.status !== 'active') return broken('GRANT_BINDING', 'the session was not switched on')
  deps.granted.set(answer.session_id, roots)
  return { active, setup: answer.setup, pending: answer }
}

async function sign(deps: ClientDeps, ask: GrantAsk, pending: Pending, options: GrantOptions) {
  const { pins, account, rpc } = deps
  const nowS = Math.floor(deps.nowMs() / 1000)
  const binding = checkBinding({ pins, wallet: account.address, ask, nowS }, pending)
  const asked = askMarks(pins, [NATIVE, ...binding.tokens], nowS * 1000)
  const [marksAnswer, nonce] = await rpc.all(
    [asked.call, { method: 'eth_getTransactionCount', params: [account.address, 'latest'] }],
    options.signal,
  )
  const marks = asked.read(given(marksAnswer))
  await checkPrices(deps, binding, nowS, options)
  const main = checkRoot({ pins, binding, marks }, pending.sign.delegation.typed_data)
  must(main.root.kind === 'router', 'GRANT_CAPS', 'the session’s root is not for the router')
  const curves = curveRootsIn(pending).map(([hash, root]) => {
    const read = checkRoot({ pins, binding, marks }, root.typed_data)
    must(
      read.root.hash === hash.toLowerCase(),
      'GRANT_BINDING',
      'a curve root has another hash than its name',
    )
    must(read.root.kind !== 'router', 'GRANT_CAPS', 'a curve root is for the router')
    return read
  })
  const curveRoots = curves.flatMap(({ root }) => (root.kind === 'curve' ? [root] : []))
  const allowed = curveRoots.flatMap((root) => root.curves)
  await checkCurves(deps, binding.tokens, curveRoots)
  const authorization = checkAuthorization(deps, pending, Number(BigInt(given(nonce))), options)
  if (options.confirm && !(await options.confirm(pending)))
    refuse('CONSENT_REQUIRED', 'the grant was not confirmed; nothing was signed')
  if (options.sendSetup) await sendSetup(deps, pending, { ask, binding, marks, curves: allowed }, options)
  const typed = async (data: unknown): Promise<Hex> => normalized(await account.signTypedData(data as never))
  const delegation_signature = await typed(main.typedData)
  const curve_root_signatures: Record<string, Hex> = {}
  for (const { root, typedData } of curves) curve_root_signatures[root.hash] = await typed(typedData)
  const body = {
    session_id: pending.session_id,
    delegation_signature,
    ...(authorization && {
      authorization_signature: normalized(await account.signAuthorization!(authorization)),
    }),
    ...(curves.length > 0 && { curve_root_signatures }),
  }
  return { body, roots: [main, ...curves].map(({ root }) => root.hash) }
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
  if (!allow7702) refuse('CONSENT_REQUIRED', 'pass allow7702 if your wallet may take this code', { address })
  if (!account.signAuthorization)
    refuse('CONSENT_REQUIRED', 'this wallet does not sign EIP-7702 authorizations: grant with a local key')
  // It counts at the nonce that the approvals leave behind.
  const counted = afterSetup ? nonce + setup.length : nonce
  return { chainId: chain_id, address: pins.addresses.delegator, nonce: counted }
}

const curveRootsIn = ({ sign: { curve_roots } }: Pending) =>
  Object.entries((curve_roots ?? {}) as Record<string, { typed_data: unknown }>)

async function checkPrices(
  { rpc, pins }: ClientDeps,
  binding: SessionBindingV3,
  nowS: number,
  { signal }: VerbOptions,
): Promise<void> {
  const prices = new Map<Address, Awaited<ReturnType<typeof readPrice>>>()
  for (const { token } of boundMarks(binding))
    prices.set(token, await readPrice(rpc, pins, token, nowS * 1000, signal))
  checkMarks({ pins, binding }, prices)
}

/** Each curve must be the launchpad's own, of a token that the session binds. */
async function checkCurves(
  { rpc, pins }: ClientDeps,
  tokens: readonly Address[],
  roots: readonly Pick<Extract<SessionRoot, { kind: 'curve' }>, 'curves' | 'launchpads'>[],
): Promise<void> {
  if (roots.length === 0) return
  const asked = tokens.map((token) => askCurves(pins, token))
  const answers = await rpc.all(asked.flat())
  const known = new Map<Address, OwnCurve['launchpad']>()
  for (const [i, calls] of asked.entries()) {
    const own = answers.slice(i * calls.length, (i + 1) * calls.length)
    for (const { id, launchpad } of curvesIn(pins, own)) known.set(id, launchpad)
  }
  for (const { curves, launchpads } of roots) {
    const stray = curves.find((curve) => !known.has(curve))
    must(stray === undefined, 'GRANT_CAPS', 'a curve is none of the launchpads’ for these tokens', {
      curve: stray,
    })
    const kinds = new Set(curves.map((curve) => known.get(curve)))
    const strange = launchpads.some((kind) => !kinds.has(kind))
    must(!strange, 'GRANT_CAPS', 'a curve root allows methods that none of its curves has')
  }
}
