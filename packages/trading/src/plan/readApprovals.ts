import type { Address, Hex } from '@pit/chain'
import {
  allowanceCall,
  askCall,
  askChainId,
  askEther,
  askNonce,
  permitCall,
  readAll,
  wordsIn,
} from '@pit/platform/reads'
import { fail } from '@pit/protocol'
import type { PlanDeps } from './deps.ts'

/** A token whose approval is to be revoked, and its field in the request. */
export interface ApprovedToken {
  address: Address
  symbol: string
  /** Null if not read. */
  decimals: number | null
  field: string
}
export interface Approved {
  allowance: bigint
  /** Permit2's allowance to the router; null for another spender. */
  permit: { amount: bigint; expirationS: number } | null
}
export interface ApprovalReading {
  nonce: number
  balanceWei: bigint
  /** In the order of the tokens. */
  approved: Approved[]
}
export interface ApprovalRequest {
  wallet: Address
  spender: Address
  tokens: readonly ApprovedToken[]
  /** Set to read the router's allowance at Permit2 too. */
  throughPermit2: { permit2: Address; router: Address } | null
}

/** Gas per token call, so that a hostile token cannot fail the others. */
export const READ_GAS = 150_000

/** The calls that read approvals, token by token: the allowance, then Permit2's if it applies. */
export function approvalCalls({
  wallet,
  spender,
  tokens,
  throughPermit2,
}: ApprovalRequest): { to: Address; data: Hex }[] {
  return tokens.flatMap(({ address }) => {
    const own = allowanceCall(address, wallet, spender)
    if (!throughPermit2) return [own]
    const { permit2, router } = throughPermit2
    return [own, permitCall(permit2, { owner: wallet, token: address, spender: router })]
  })
}

/** Decodes the results of those calls; null if unreadable. */
export function readApprovalAnswers(
  { tokens, throughPermit2 }: ApprovalRequest,
  answers: readonly (Hex | null | undefined)[],
): (Approved | null)[] {
  const each = throughPermit2 ? 2 : 1
  return tokens.map((_, i) => {
    const allowance = wordsIn(answers[i * each], 1)
    const permit = throughPermit2 ? wordsIn(answers[i * each + 1], 3) : []
    if (!allowance || !permit) return null
    const [amount, expiration] = permit
    return {
      allowance: allowance[0]!,
      permit: amount === undefined ? null : { amount, expirationS: Number(expiration) },
    }
  })
}

/** Reads everything for a revocation in one request. */
export async function readApprovals(
  { rpc, profile }: Pick<PlanDeps, 'rpc' | 'profile'>,
  request: ApprovalRequest,
): Promise<ApprovalReading> {
  const reads = [
    askNonce(request.wallet, 'pending'),
    askEther(request.wallet),
    askChainId(),
    ...approvalCalls(request).map((call) => askCall(call, { gas: READ_GAS })),
  ] as const
  const [nonce, balanceWei, chainId, ...said] = await readAll(rpc, reads).catch(() => fail('RPC_UNAVAILABLE'))
  // Approvals of another chain must not be used.
  if (nonce === undefined || balanceWei === undefined || chainId !== profile.chain_id) {
    return fail('RPC_UNAVAILABLE')
  }
  const approved = readApprovalAnswers(request, said).map(
    (one, i) =>
      one ??
      fail('TOKEN_UNKNOWN', {
        field: request.tokens[i]!.field,
        message: `${request.tokens[i]!.address} is not an ERC-20 token.`,
      }),
  )
  return { nonce, balanceWei, approved }
}
