import { type Address, delegationOf, type Hex } from '@pit/chain'
import type { RpcCall } from '@pit/platform/rpc'
import { fail } from '@pit/protocol'
import { type Approved, approvalCalls, readApprovalAnswers } from '@pit/trading'
import { quantity, type SessionDeps } from './deps.ts'

/** What a wallet runs: nothing, the delegator sessions need, or something else. */
export type WalletCode = 'none' | 'delegator' | 'other'

export const codeOf = (delegatedTo: Address | null, hasOther: boolean, delegator: Address): WalletCode =>
  delegatedTo === null ? (hasOther ? 'other' : 'none') : delegatedTo === delegator ? 'delegator' : 'other'

export interface ApprovedToken {
  address: Address
  symbol: string
  /** Where it is approved besides Permit2. */
  curve: Address | null
}
export interface TokenApprovals {
  /** To Permit2, and from there to the router. */
  permit2: bigint
  permit: { amount: bigint; expirationS: number }
  /** To its curve; zero where there is none. */
  curve: bigint
}

export interface WalletReading {
  code: WalletCode
  /** The next one, pending ones counted. */
  nonce: number
  /** In the tokens' order; null for one that does not answer as a token does. */
  approvals: (TokenApprovals | null)[]
}

/** What a token may spend to answer. */
const READ_GAS = 150_000

/** An owner's wallet, in one request. Refuses RPC_UNAVAILABLE. */
export async function readWallet(
  deps: Pick<SessionDeps, 'rpc' | 'addresses'>,
  { wallet, tokens }: { wallet: Address; tokens: readonly ApprovedToken[] },
): Promise<WalletReading> {
  const { permit2, router, delegation } = deps.addresses()
  const named = tokens.map((token, i) => ({ ...token, field: `tokens.${i}` }))
  const ask = { wallet, spender: permit2, tokens: named, throughPermit2: { permit2, router } }
  const curveAsks = named.map(({ curve, ...token }) =>
    curve === null ? null : { wallet, spender: curve, tokens: [token], throughPermit2: null },
  )
  const reads = [...approvalCalls(ask), ...curveAsks.flatMap((one) => (one ? approvalCalls(one) : []))]
  const calls: RpcCall[] = [
    ['eth_getCode', [wallet, 'latest']],
    ['eth_getTransactionCount', [wallet, 'pending']],
    ...reads.map(({ to, data }): RpcCall => ['eth_call', [{ to, data, gas: quantity(READ_GAS) }, 'latest']]),
  ]
  const answers = await deps.rpc.batch(calls).catch(() => fail('RPC_UNAVAILABLE'))
  const said = answers.map((answer) => (answer.ok && isHex(answer.result) ? answer.result : null))
  const [code, nonce, ...rest] = said
  if (!code || !nonce) return fail('RPC_UNAVAILABLE')
  const approved = readApprovalAnswers(ask, rest)
  let next = 2 * tokens.length
  const curves = curveAsks.map((one) => (one ? readApprovalAnswers(one, [rest[next++] ?? null])[0]! : ZERO))
  const delegatedTo = delegationOf(code)
  return {
    code: codeOf(delegatedTo, code !== '0x' && delegatedTo === null, delegation.delegator),
    nonce: Number(nonce),
    approvals: approved.map((one, i) => joined(one, curves[i] ?? null)),
  }
}

const ZERO: Approved = { allowance: 0n, permit: null }

function joined(own: Approved | null, curve: Approved | null): TokenApprovals | null {
  if (!own?.permit || !curve) return null
  return { permit2: own.allowance, permit: own.permit, curve: curve.allowance }
}

const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)
