import { type Address, erc20Abi, type Hex, NATIVE, readRoot } from '@pit/chain'
import { groupedText } from '@pit/protocol'
import { encodeFunctionData } from 'viem'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal } from '../errors.ts'
import { readAllowances } from '../own/allowances.ts'
import { ethCall, isReverted, RpcFailure, resultOf } from '../own/rpc.ts'
import { hashing } from '../verify/grant.ts'
import { recordedSessions } from './recordedSessions.ts'

export interface SendBackRequest {
  to: Address
  /** Besides the pinned ones and those of recorded sessions. */
  tokens?: readonly string[]
  /** Tokens worth too little to pay the gas for: they are listed and stay. */
  dust?: readonly string[]
}
/**
 * One thing that `sendBack` will do, read from the client's own node and records.
 * @public
 */
export type SendBackItem =
  /** `id` is null for the transaction that ends every session with controls. */
  | { kind: 'session'; name: string; id: string | null }
  | { kind: 'approval'; name: string; token: Address }
  /** `amount` is whole tokens with their symbol, or atoms of an unknown token. */
  | { kind: 'token' | 'ether'; name: string; token: Address; atoms: bigint; amount: string; to: Address }

/** Reasons why something stays or could not be read. */
export interface Unmoved {
  kind: SendBackItem['kind']
  name: string
  why: string
}
export interface SendBackPlan {
  items: readonly SendBackItem[]
  left: readonly Unmoved[]
  tokens: readonly Address[]
}

const UNREAD = 'Your node could not read it. Run it again later.'

/** Reads what is there to end, revoke and move; whatever could not be read is named as left. */
export async function planSendBack(
  deps: ClientDeps,
  { to, tokens: named = [], dust = [] }: SendBackRequest,
  options: VerbOptions,
): Promise<SendBackPlan> {
  const left: Unmoved[] = []
  const { sessions, damaged } = await recordedSessions(deps, options)
  for (const name of damaged)
    left.push({ kind: 'session', name, why: 'Its local record is damaged, so it may still be alive.' })
  const tokens = candidates(deps, [...named, ...sessions.flatMap(({ binding }) => binding.tokens)])
  const items: SendBackItem[] = await sessionsToEnd(deps, sessions, options)
  const approved = await readApproved(deps, tokens, options)
  for (const token of approved.unread) left.push({ kind: 'approval', name: nameOf(deps, token), why: UNREAD })
  for (const token of approved.tokens) items.push({ kind: 'approval', name: nameOf(deps, token), token })
  const holdings = await readHoldings(deps, tokens, options)
  for (const token of holdings.unread) left.push({ kind: 'token', name: nameOf(deps, token), why: UNREAD })
  const isDust = new Set(dust.map((token) => token.toLowerCase()))
  for (const [token, atoms] of holdings.held) {
    const name = nameOf(deps, token)
    const amount = amountText(deps, token, atoms)
    if (isDust.has(token)) left.push({ kind: 'token', name, why: `${amount} is worth less than its gas.` })
    else items.push({ kind: 'token', name, token, atoms, amount, to })
  }
  const atoms = await readEther(deps, options)
  const amount = `${amountText(deps, NATIVE, atoms)} less gas`
  items.push({ kind: 'ether', name: 'ETH', token: NATIVE, atoms, amount, to })
  return { items, left, tokens }
}

type Sessions = Awaited<ReturnType<typeof recordedSessions>>['sessions']

/** By one transaction if they have controls, else one by one. */
async function sessionsToEnd(
  deps: ClientDeps,
  sessions: Sessions,
  options: VerbOptions,
): Promise<SendBackItem[]> {
  const alive = sessions.filter(({ state }) => state === 'alive')
  const listed = await listedSessions(deps, options)
  const hasNonce = alive.some(({ roots }) =>
    roots.some(
      ({ delegation }) => (readRoot(hashing, deps.pins.addresses, delegation)?.nonce ?? null) !== null,
    ),
  )
  // Sessions of a wallet restored from its file are in no record of this machine.
  const mayBeUnknown = sessions.length === 0 && (await runsCode(deps, options))
  const ids = new Set([...alive.map(({ session_id }) => session_id), ...listed])
  return [
    ...(hasNonce || mayBeUnknown
      ? [{ kind: 'session' as const, name: 'all sessions with controls', id: null }]
      : []),
    ...[...ids].map((id) => ({ kind: 'session' as const, name: id, id })),
  ]
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

/** Tokens with an allowance, in one exchange; one by one if an address among them is not a token. */
async function readApproved(deps: ClientDeps, tokens: readonly Address[], { signal }: VerbOptions) {
  const { rpc, pins, account } = deps
  const read = async (some: readonly Address[]) =>
    (await readAllowances(rpc, pins, { wallet: account.address, tokens: some }, signal))
      .filter(({ amount }) => amount > 0n)
      .map(({ token }) => token)
  const unread: Address[] = []
  const approved = await read(tokens).catch(async () => {
    const each = tokens.map((token) =>
      read([token]).catch((error: unknown) => {
        // No contract, or one without allowances: there is nothing to revoke.
        const isNone = error instanceof RangeError || isRevert(isRefusal(error) ? error.cause : null)
        if (!isNone) unread.push(token)
        return []
      }),
    )
    return (await Promise.all(each)).flat()
  })
  return { tokens: [...new Set(approved)], unread }
}

const isRevert = (failure: unknown): boolean => failure instanceof RpcFailure && isReverted(failure)

function candidates({ pins }: ClientDeps, named: readonly string[]): Address[] {
  const addresses = named.flatMap((one) =>
    /^0x[0-9a-fA-F]{40}$/.test(one) ? [one.toLowerCase() as Address] : [],
  )
  return [...new Set([...pins.tokens.keys(), pins.weth, ...addresses])].filter((token) => token !== NATIVE)
}

/** Balances in one exchange; an address without a token contract has none. */
export async function readHoldings(
  { rpc, account }: ClientDeps,
  tokens: readonly Address[],
  { signal }: VerbOptions,
): Promise<{ held: ReadonlyMap<Address, bigint>; unread: readonly Address[] }> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account.address] })
  const answers = await rpc.all(
    tokens.map((token) => ethCall(token, data)),
    signal,
  )
  const held = new Map<Address, bigint>()
  const unread: Address[] = []
  for (const [i, token] of tokens.entries()) {
    const answer = answers[i]
    if (answer instanceof RpcFailure && !isReverted(answer)) unread.push(token)
    const atoms = typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer) ? BigInt(answer) : 0n
    if (atoms > 0n) held.set(token, atoms)
  }
  return { held, unread }
}

async function readEther({ rpc, account }: ClientDeps, { signal }: VerbOptions): Promise<bigint> {
  const [balance] = await rpc.all([{ method: 'eth_getBalance', params: [account.address, 'latest'] }], signal)
  return BigInt(resultOf<Hex>(balance))
}

export const nameOf = ({ pins }: ClientDeps, token: Address): string =>
  pins.tokens.get(token)?.symbol ?? token
export function amountText({ pins }: ClientDeps, token: Address, atoms: bigint): string {
  const info = pins.tokens.get(token)
  return info ? `${groupedText(atoms, info.decimals)} ${info.symbol}` : `${atoms} atoms of ${token}`
}
