import { type Address, erc20Abi } from '@pit/chain'
import { encodeFunctionData } from 'viem'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, PitRefusal } from '../errors.ts'
import type { Allowance } from '../own/allowances.ts'
import { endAllSessions } from './endAllSessions.ts'
import { revokeApprovals } from './revokeApprovals.ts'
import { revokeSession } from './revokeSession.ts'
import {
  amountText,
  nameOf,
  planSendBack,
  readHoldings,
  type SendBackItem,
  type SendBackRequest,
} from './sendBackPlan.ts'
import { ending, sendOwn } from './sendOwn.ts'

/**
 * One thing to do, or one that could not be done.
 * @public
 */
export interface SendBackStep {
  kind: 'session' | 'approval' | 'token' | 'ether'
  name: string
  state: 'running' | 'done' | 'left'
  /** Why it was left; null otherwise. */
  why: string | null
}
export interface SendBackOptions extends VerbOptions {
  /** Receives everything that will be ended, revoked and sent, before any of it; false ends it with nothing signed. */
  confirm?(items: readonly SendBackItem[]): Promise<boolean> | boolean
  /** All steps so far, after every change. */
  onSteps?(steps: readonly SendBackStep[]): void
}
/**
 * The steps that were taken, and what is left.
 * @public
 */
export interface SentBack {
  steps: readonly SendBackStep[]
  /** Still in the wallet, or still allowed. */
  left: readonly SendBackStep[]
}

/**
 * Ends sessions first, then approvals, then moves tokens, and ETH last. Everything to do is read from the chain
 * before, so a run that was interrupted is resumed by another one; no token moves in a larger amount than was
 * confirmed. A failing step is listed and does not stop the rest.
 * @param request the receiving address, further tokens to look for, and tokens to leave
 * @param options `confirm` receives the list before anything is signed; `onSteps` the steps after every change
 * @returns the steps, and what is left
 * @throws NOT_CONFIRMED `confirm` returned false, or the wallet refused to sign
 * @example
 * ```ts
 * const closeWallet = async () => {
 *   const { left } = await client.sendBack({ to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
 *   for (const { name, why } of left) console.log(name, why)
 * }
 * ```
 */
export async function sendBack(
  deps: ClientDeps,
  request: SendBackRequest,
  options: SendBackOptions = {},
): Promise<SentBack> {
  const { items, left, tokens } = await planSendBack(deps, request, options)
  if (options.confirm && !(await options.confirm(items)))
    throw new PitRefusal('NOT_CONFIRMED', 'Sending everything back was not confirmed; nothing was signed.')
  const steps: SendBackStep[] = []
  const say = () => options.onSteps?.(steps.map((step) => ({ ...step })))
  const run = async ({ kind, name }: Step, act: () => Promise<unknown>) => {
    const row: SendBackStep = { kind, name, state: 'running', why: null }
    steps.push(row)
    say()
    try {
      await act()
      row.state = 'done'
    } catch (error) {
      // The owner's own no, or a lock, ends the run.
      if (!isRefusal(error)) throw error
      Object.assign(row, { state: 'left', why: error.message })
    }
    say()
  }
  const leave = (kind: SendBackStep['kind'], name: string, why: string) => {
    steps.push({ kind, name, state: 'left', why })
    say()
  }
  for (const { kind, name, why } of left) leave(kind, name, why)
  const call: VerbOptions = { signal: options.signal }
  const spenders: Allowance[] = []
  for (const item of items.filter(({ kind }) => kind === 'session'))
    await run(item, async () => spenders.push(...(await endSession(deps, item, call))))
  for (const item of items)
    if (item.kind === 'approval') await run(item, () => revokeApprovals(deps, { tokens: [item.token] }, call))
  // Of the curves of sessions that have just ended.
  for (const { token, spender } of spenders.filter(
    ({ by, spender }) => by === 'token' && spender !== deps.pins.permit2,
  ))
    await run({ kind: 'approval', name: `${nameOf(deps, token)} to ${spender}` }, () =>
      revokeApprovals(deps, { tokens: [token], spender }, call),
    )
  await sendTokens(deps, { items, tokens }, { run, leave }, call)
  const calls = [{ to: request.to, data: '0x' as const, value: 'rest' as const }]
  await run({ kind: 'ether', name: 'ETH' }, () => sendOwn(ending(deps), calls, call))
  return { steps, left: steps.filter(({ state }) => state === 'left') }
}

type Step = Pick<SendBackStep, 'kind' | 'name'>
interface Acts {
  run(step: Step, act: () => Promise<unknown>): Promise<void>
  leave(kind: SendBackStep['kind'], name: string, why: string): void
}

/** Returns the allowances that the session leaves. */
async function endSession(
  deps: ClientDeps,
  item: SendBackItem,
  options: VerbOptions,
): Promise<readonly Allowance[]> {
  if (item.kind !== 'session') return []
  if (item.id !== null) return (await revokeSession(deps, { sessionId: item.id }, options)).approvals ?? []
  await endAllSessions(deps, options)
  return []
}

/** Reads the balances again: a session may have traded since, and more than was confirmed stays. */
async function sendTokens(
  deps: ClientDeps,
  { items, tokens }: { items: readonly SendBackItem[]; tokens: readonly Address[] },
  { run, leave }: Acts,
  options: VerbOptions,
): Promise<void> {
  const { held } = await readHoldings(deps, tokens, options)
  for (const item of items) {
    if (item.kind !== 'token') continue
    const now = held.get(item.token) ?? 0n
    const atoms = now < item.atoms ? now : item.atoms
    if (atoms > 0n) await run(item, () => sendToken(deps, { ...item, atoms }, options))
    const more = now - atoms
    if (more > 0n)
      leave('token', item.name, `${amountText(deps, item.token, more)} arrived after the list was read.`)
  }
}

function sendToken(
  deps: ClientDeps,
  { to, token, atoms }: { to: Address; token: Address; atoms: bigint },
  options: VerbOptions,
) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, atoms] })
  return sendOwn(ending(deps), [{ to: token, data }], options)
}
