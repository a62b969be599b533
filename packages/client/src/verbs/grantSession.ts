import { type Address, type Hex, launchpadAbi, NATIVE } from '@pit/chain'
import type { Answer, BodyInput } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { normalized } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must, readingAnswer, refuse } from '../errors.ts'
import { askMarks } from '../own/marks.ts'
import { given, RpcFailure } from '../own/rpc.ts'
import { checkBinding, checkRoot, type GrantAsk, type Pending } from '../verify/grant.ts'
import { sendSetup } from './sendSetup.ts'

export interface GrantOptions extends VerbOptions {
  /** The owner agrees that the wallet takes the delegator's code (EIP-7702). */
  allow7702?: boolean
  /** Send the token approvals a session needs before it can sell tokens; otherwise they are yours to send. */
  sendSetup?: boolean
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
  const signatures = await readingAnswer('GRANT_BINDING', () => sign(deps, ask, answer, options))
  const active = await deps.api['live.session.grant']({ body: signatures }, { signal: options.signal })
  if (active.status !== 'active') return broken('GRANT_BINDING', 'the session was not switched on')
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
  const allowed = curves.flatMap(({ root }) => (root.kind === 'curve' ? root.curves : []))
  await checkCurves(deps, binding.tokens, allowed)
  const next = Number(BigInt(given(nonce)))
  const authorization = checkAuthorization(deps, pending, next, options)
  if (options.confirm && !(await options.confirm(pending)))
    refuse('CONSENT_REQUIRED', 'the grant was not confirmed; nothing was signed')
  if (options.sendSetup) {
    await sendSetup(deps, pending, { ask, binding, marks, curves: allowed }, options)
    // It counts at the nonce that the approvals leave behind.
    if (authorization) authorization.nonce = next + pending.setup.length
  }
  const typed = async (data: unknown): Promise<Hex> => normalized(await account.signTypedData(data as never))
  const delegation_signature = await typed(main.typedData)
  const curve_root_signatures: Record<string, Hex> = {}
  for (const { root, typedData } of curves) curve_root_signatures[root.hash] = await typed(typedData)
  return {
    session_id: pending.session_id,
    delegation_signature,
    ...(authorization && {
      authorization_signature: normalized(await account.signAuthorization!(authorization)),
    }),
    ...(curves.length > 0 && { curve_root_signatures }),
  }
}

/** The wallet takes code only from the pinned delegator, at its own next nonce, and only with its owner's word. */
function checkAuthorization(
  { pins, account }: ClientDeps,
  { sign: { authorization }, setup }: Pending,
  nonce: number,
  { allow7702 = false }: GrantOptions,
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
  // The setup may be sent before the first trade; the authorization then counts at the nonce after it.
  const isNext = at >= nonce && at <= nonce + setup.length
  must(isNext, 'GRANT_BINDING', 'the authorization is for another nonce than the wallet’s', { at, nonce })
  if (!allow7702) refuse('CONSENT_REQUIRED', 'pass allow7702 if your wallet may take this code', { address })
  if (!account.signAuthorization)
    refuse('CONSENT_REQUIRED', 'this wallet does not sign EIP-7702 authorizations: grant with a local key')
  return { chainId: chain_id, address: pins.addresses.delegator, nonce: at }
}

const curveRootsIn = ({ sign: { curve_roots } }: Pending) =>
  Object.entries((curve_roots ?? {}) as Record<string, { typed_data: unknown }>)

/** Each curve must be the launchpad's own, of a token that the session binds. */
async function checkCurves(
  { rpc, pins }: ClientDeps,
  tokens: readonly Address[],
  curves: readonly Address[],
): Promise<void> {
  if (curves.length === 0) return
  const { launchpad } = pins
  if (launchpad === null) return broken('GRANT_CAPS', 'the profile pins no launchpad')
  const answers = await rpc.all(
    tokens.map((token) => ({
      method: 'eth_call',
      params: [
        {
          to: launchpad,
          data: encodeFunctionData({ abi: launchpadAbi, functionName: 'curveOf', args: [token] }),
        },
        'latest',
      ],
    })),
  )
  const known = new Set(
    answers.flatMap((answer) =>
      answer instanceof RpcFailure
        ? []
        : decodeFunctionResult({
            abi: launchpadAbi,
            functionName: 'curveOf',
            data: answer as Hex,
          }).toLowerCase(),
    ),
  )
  const stray = curves.find((curve) => !known.has(curve))
  must(stray === undefined, 'GRANT_CAPS', 'a curve is none of the launchpad’s for these tokens', {
    curve: stray,
  })
}
