import { type Address, erc20Abi, NATIVE, permit2Abi } from '@pit/chain'
import { encodeFunctionData } from 'viem'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import { type Allowance, readAllowances } from '../own/allowances.ts'
import { ending, type OwnCall, sendOwn } from './sendOwn.ts'
import type { Receipt } from './sendSigned.ts'
import { named } from './trade.ts'

export interface RevokeApprovalsRequest {
  /** Core symbols or addresses; USDG by default. */
  tokens?: readonly string[]
  /** Who was approved; Permit2, and the router by Permit2, by default. */
  spender?: string
}
export interface RevokeApprovalsOptions extends VerbOptions {
  /** Receives the allowances that are left; false ends it with nothing signed. */
  confirm?(allowances: readonly Allowance[]): Promise<boolean> | boolean
}
export interface RevokedApprovals {
  /** Allowances before. None of them is left now, by the client's own node. */
  revoked: readonly Allowance[]
  receipts: readonly Receipt[]
}

/**
 * Takes approvals back. Server answers play no part: allowances are read and calls built by the client.
 * @param request tokens and spender; by default USDG, Permit2 and the router
 * @param options `confirm` receives the allowances
 * @returns the allowances that were reset, and the receipts
 * @throws APPROVALS_LEFT an allowance is left after the transactions
 * @example
 * ```ts
 * const { revoked } = await client.revokeApprovals({ tokens: ['USDG'] })
 * console.log(revoked.length)
 * ```
 */
export async function revokeApprovals(
  deps: ClientDeps,
  { tokens: names = ['USDG'], spender }: RevokeApprovalsRequest = {},
  options: RevokeApprovalsOptions = {},
): Promise<RevokedApprovals> {
  const { pins, account, rpc } = deps
  const tokens = [...new Set(names.map((name) => named(pins, name)))]
  if (tokens.includes(NATIVE)) throw new PitRefusal('TOKEN_NOT_ALLOWED', 'ETH has no approvals.')
  if (spender !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(spender))
    throw new PitRefusal('BAD_REQUEST', 'The spender is not an address.')
  const of = { wallet: account.address, tokens, spender: spender?.toLowerCase() as Address | undefined }
  const read = async () =>
    (await readAllowances(rpc, pins, of, options.signal)).filter(({ amount }) => amount > 0n)
  const before = await read()
  if (before.length === 0) return { revoked: [], receipts: [] }
  if (options.confirm && !(await options.confirm(before)))
    throw new PitRefusal('NOT_CONFIRMED', 'Revoking approvals was not confirmed; nothing was signed.')
  const receipts = await sendOwn(ending(deps), resetCalls(pins.permit2, before), options)
  const left = await read()
  if (left.length > 0)
    throw new PitRefusal(
      'APPROVALS_LEFT',
      `Allowances are left after the transactions: ${left.map(allowanceText).join('; ')}.`,
      {
        hint: 'Run it again. A token that does not take approvals back must be moved to another wallet.',
        details: {
          left: left.map(({ amount, ...rest }) => ({ ...rest, amount: amount.toString() })),
          transactions: receipts.map(({ hash }) => hash),
        },
      },
    )
  return { revoked: before, receipts }
}

const allowanceText = ({ by, token, spender, amount }: Allowance): string =>
  `${spender} may take ${amount} atoms of ${token}${by === 'permit2' ? ' by Permit2' : ''}`

/** `approve(spender, 0)` for each token, and one lockdown for all of Permit2's allowances. */
function resetCalls(permit2: Address, allowances: readonly Allowance[]): OwnCall[] {
  const pairs = allowances.flatMap(({ by, token, spender }) => (by === 'permit2' ? [{ token, spender }] : []))
  const calls = allowances.flatMap(({ by, token, spender }): OwnCall[] => {
    if (by === 'permit2') return []
    const args = [spender, 0n] as const
    return [{ to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }) }]
  })
  if (pairs.length === 0) return calls
  const data = encodeFunctionData({ abi: permit2Abi, functionName: 'lockdown', args: [pairs] })
  return [...calls, { to: permit2, data }]
}
