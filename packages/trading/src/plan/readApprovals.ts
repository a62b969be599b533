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

/** A token whose approval is to be taken back, and where the request names it. */
export interface ApprovedToken {
  address: Address
  symbol: string
  /** Null where nobody has asked the token. */
  decimals: number | null
  field: string
}
export interface Approved {
  allowance: bigint
  /** What Permit2 lets the router move; null when another spender is asked about. */
  permit: { amount: bigint; expirationS: number } | null
}
export interface ApprovalReading {
  nonce: number
  balanceWei: bigint
  /** In the tokens' order. */
  approved: Approved[]
}
export interface ApprovalRequest {
  wallet: Address
  spender: Address
  tokens: readonly ApprovedToken[]
  /** The router's allowance at Permit2 is read too. */
  throughPermit2: { permit2: Address; router: Address } | null
}

/** What a token may spend to answer; a hostile one hurts nobody but itself. */
export const READ_GAS = 150_000

/** The calls that tell what is approved, token by token: the allowance, then Permit2's where it counts. */
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

/** The answers of those calls; null for what cannot be read. */
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

/** Everything a revocation is made of, in one request. */
export async function readApprovals(
  { rpc, profile }: Pick<PlanDeps, 'rpc' | 'profile'>,
  request: ApprovalRequest,
): Promise<ApprovalReading> {
  const asked = [
    askNonce(request.wallet, 'pending'),
    askEther(request.wallet),
    askChainId(),
    ...approvalCalls(request).map((call) => askCall(call, { gas: READ_GAS })),
  ] as const
  const [nonce, balanceWei, chainId, ...said] = await readAll(rpc, asked).catch(() => fail('RPC_UNAVAILABLE'))
  // Nothing approved on another chain is nothing to rest on.
  if (nonce === undefined || balanceWei === undefined || chainId !== profile.chain_id) {
    return fail('RPC_UNAVAILABLE')
  }
  const approved = readApprovalAnswers(request, said).map(
    (one, i) =>
      one ??
      fail('TOKEN_UNKNOWN', {
        field: request.tokens[i]!.field,
        message: `${request.tokens[i]!.address} does not answer as an ERC-20 token does.`,
      }),
  )
  return { nonce, balanceWei, approved }
}
