import { type Address, erc20Abi, type Hex, NATIVE, readRoot } from '@pit/chain'
import { groupedText } from '@pit/protocol'
import { encodeFunctionData } from 'viem'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal } from '../errors.ts'
import { type Allowance, readAllowances } from '../own/allowances.ts'
import { ethCall, resultOf } from '../own/rpc.ts'
import { hashing } from '../verify/grant.ts'
import { endAllSessions } from './endAllSessions.ts'
import { recordedSessions } from './recordedSessions.ts'
import { revokeApprovals } from './revokeApprovals.ts'
import { revokeSession } from './revokeSession.ts'
import { ending, sendOwn } from './sendOwn.ts'

export interface SendBackRequest {
  to: Address
  /** Besides the pinned ones and those of recorded sessions. */
  tokens?: readonly string[]
  /** Tokens worth too little to pay the gas for: they are listed and stay. */
  dust?: readonly string[]
}
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
 * Ends sessions first, then approvals, then moves tokens, and ETH last. Everything to do is read from the chain,
 * so a run that was interrupted is resumed by another one. A failing step is listed and does not stop the rest.
 * @param request the receiving address, further tokens to look for, and tokens to leave
 * @param options `onSteps` receives the steps after every change
 * @returns the steps, and what is left
 * @throws NOT_CONFIRMED the wallet refused to sign
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
  { to, tokens: named = [], dust = [] }: SendBackRequest,
  options: SendBackOptions = {},
): Promise<SentBack> {
  const steps: SendBackStep[] = []
  const say = () => options.onSteps?.(steps.map((step) => ({ ...step })))
  const run = async (step: Pick<SendBackStep, 'kind' | 'name'>, act: () => Promise<unknown>) => {
    const row: SendBackStep = { ...step, state: 'running', why: null }
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
  const { sessions, damaged } = await recordedSessions(deps, options)
  for (const key of damaged) leave('session', key, 'Its local record is damaged, so it may still be alive.')
  const bound = sessions.flatMap(({ binding }) => binding.tokens)
  const tokens = candidates(deps, [...named, ...bound])
  const spenders = await endSessions(deps, sessions, run, options)
  await takeApprovalsBack(deps, { tokens, spenders }, run, options)
  const isDust = new Set(dust.map((token) => token.toLowerCase()))
  for (const { token, held } of await readHoldings(deps, tokens, options)) {
    const name = nameOf(deps, token)
    if (isDust.has(token))
      leave('token', name, `${amountText(deps, token, held)} is worth less than its gas.`)
    else await run({ kind: 'token', name }, () => sendToken(deps, { to, token, held }, options))
  }
  await run({ kind: 'ether', name: 'ETH' }, () =>
    sendOwn(ending(deps), [{ to, data: '0x', value: 'rest' }], options),
  )
  return { steps, left: steps.filter(({ state }) => state === 'left') }
}

type Run = (step: Pick<SendBackStep, 'kind' | 'name'>, act: () => Promise<unknown>) => Promise<void>
type Sessions = Awaited<ReturnType<typeof recordedSessions>>['sessions']

/** By one transaction where they have controls, else one by one; returns who holds allowances of curve tokens. */
async function endSessions(
  deps: ClientDeps,
  sessions: Sessions,
  run: Run,
  options: VerbOptions,
): Promise<Allowance[]> {
  const alive = sessions.filter(({ state }) => state === 'alive')
  const listed = await listedSessions(deps, options)
  const hasNonce = alive.some(({ roots }) =>
    roots.some(
      ({ delegation }) => (readRoot(hashing, deps.pins.addresses, delegation)?.nonce ?? null) !== null,
    ),
  )
  // Sessions of a wallet restored from its file are in no record of this machine.
  const mayBeUnknown = sessions.length === 0 && (await runsCode(deps, options))
  if (hasNonce || mayBeUnknown)
    await run({ kind: 'session', name: 'all sessions with controls' }, () => endAllSessions(deps, options))
  const spenders: Allowance[] = []
  for (const sessionId of new Set([...alive.map(({ session_id }) => session_id), ...listed]))
    await run({ kind: 'session', name: sessionId }, async () => {
      const { approvals } = await revokeSession(deps, { sessionId }, options)
      spenders.push(...(approvals ?? []))
    })
  return spenders
}

async function listedSessions({ api }: ClientDeps, options: VerbOptions): Promise<string[]> {
  try {
    const { sessions } = await api['me.sessions']({}, options)
    return sessions.filter(({ status }) => status === 'active').map(({ session_id }) => session_id)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return []
  }
}

async function runsCode({ rpc, account }: ClientDeps, { signal }: VerbOptions): Promise<boolean> {
  const call = { method: 'eth_getCode', params: [account.address, 'latest'] }
  const [code] = await rpc.all([call], signal)
  return resultOf<Hex>(code) !== '0x'
}

async function takeApprovalsBack(
  deps: ClientDeps,
  { tokens, spenders }: { tokens: readonly Address[]; spenders: readonly Allowance[] },
  run: Run,
  options: VerbOptions,
): Promise<void> {
  for (const token of await readApproved(deps, tokens, options))
    await run({ kind: 'approval', name: nameOf(deps, token) }, () =>
      revokeApprovals(deps, { tokens: [token] }, options),
    )
  for (const { token, spender } of spenders.filter(
    ({ by, spender }) => by === 'token' && spender !== deps.pins.permit2,
  ))
    await run({ kind: 'approval', name: `${nameOf(deps, token)} to ${spender}` }, () =>
      revokeApprovals(deps, { tokens: [token], spender }, options),
    )
}

/** Tokens with an allowance, in one exchange; one by one if a token among them is none. */
async function readApproved(deps: ClientDeps, tokens: readonly Address[], { signal }: VerbOptions) {
  const { rpc, pins, account } = deps
  const read = (some: readonly Address[]) =>
    readAllowances(rpc, pins, { wallet: account.address, tokens: some }, signal)
  const allowances = await read(tokens).catch(async () => {
    const each = await Promise.all(tokens.map((token) => read([token]).catch(() => [])))
    return each.flat()
  })
  return [...new Set(allowances.filter(({ amount }) => amount > 0n).map(({ token }) => token))]
}

function candidates({ pins }: ClientDeps, named: readonly string[]): Address[] {
  const addresses = named.flatMap((one) =>
    /^0x[0-9a-fA-F]{40}$/.test(one) ? [one.toLowerCase() as Address] : [],
  )
  return [...new Set([...pins.tokens.keys(), pins.weth, ...addresses])].filter((token) => token !== NATIVE)
}

/** Tokens with a balance, in one exchange; an address without a token contract has none. */
async function readHoldings(
  { rpc, account }: ClientDeps,
  tokens: readonly Address[],
  { signal }: VerbOptions,
) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account.address] })
  const answers = await rpc.all(
    tokens.map((token) => ethCall(token, data)),
    signal,
  )
  return tokens.flatMap((token, i) => {
    const answer = answers[i]
    const held = typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer) ? BigInt(answer) : 0n
    return held === 0n ? [] : [{ token, held }]
  })
}

function sendToken(
  deps: ClientDeps,
  { to, token, held }: { to: Address; token: Address; held: bigint },
  options: VerbOptions,
) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, held] })
  return sendOwn(ending(deps), [{ to: token, data }], options)
}

const nameOf = ({ pins }: ClientDeps, token: Address): string => pins.tokens.get(token)?.symbol ?? token
function amountText({ pins }: ClientDeps, token: Address, atoms: bigint): string {
  const info = pins.tokens.get(token)
  return info ? `${groupedText(atoms, info.decimals)} ${info.symbol}` : `${atoms} atoms of ${token}`
}
