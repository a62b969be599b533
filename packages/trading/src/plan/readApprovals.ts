import { type Address, erc20Abi, type Hex, permit2Abi } from '@pit/chain'
import type { RpcCall } from '@pit/platform/rpc'
import { fail } from '@pit/protocol'
import { encodeFunctionData } from 'viem'
import type { PlanDeps } from './deps.ts'

/** A token whose approval is to be taken back, and where the request names it. */
export interface ApprovedToken {
  address: Address
  symbol: string
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
export interface ApprovalAsk {
  wallet: Address
  spender: Address
  tokens: readonly ApprovedToken[]
  /** The router's allowance at Permit2 is read too. */
  throughPermit2: { permit2: Address; router: Address } | null
}

/** What a token may spend to answer; a hostile one hurts nobody but itself. */
export const READ_GAS = 150_000
const READ_GAS_HEX = `0x${READ_GAS.toString(16)}`

/** The calls that tell what is approved, token by token: the allowance, then Permit2's where it counts. */
export function approvalCalls({
  wallet,
  spender,
  tokens,
  throughPermit2,
}: ApprovalAsk): { to: Address; data: Hex }[] {
  return tokens.flatMap(({ address }) => {
    const own = {
      to: address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] }),
    }
    if (!throughPermit2) return [own]
    const { permit2, router } = throughPermit2
    const args = [wallet, address, router] as const
    return [
      own,
      { to: permit2, data: encodeFunctionData({ abi: permit2Abi, functionName: 'allowance', args }) },
    ]
  })
}

/** The answers of those calls; null for what cannot be read. */
export function readApprovalAnswers(
  { tokens, throughPermit2 }: ApprovalAsk,
  answers: readonly (Hex | null)[],
): (Approved | null)[] {
  const each = throughPermit2 ? 2 : 1
  return tokens.map((_, i) => {
    const allowance = wordsOf(answers[i * each], 1)
    const permit = throughPermit2 ? wordsOf(answers[i * each + 1], 3) : []
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
  ask: ApprovalAsk,
): Promise<ApprovalReading> {
  const reads = approvalCalls(ask).map(
    ({ to, data }): RpcCall => ['eth_call', [{ to, data, gas: READ_GAS_HEX }, 'latest']],
  )
  const answers = await rpc
    .batch([
      ['eth_getTransactionCount', [ask.wallet, 'pending']],
      ['eth_getBalance', [ask.wallet, 'latest']],
      ['eth_chainId', []],
      ...reads,
    ])
    .catch(() => fail('RPC_UNAVAILABLE'))
  const [nonce, balance, chainId, ...said] = answers.map((answer) =>
    answer.ok ? hexOf(answer.result) : null,
  )
  // Nothing approved on another chain is nothing to rest on.
  if (!nonce || !balance || Number(chainId) !== profile.chain_id) return fail('RPC_UNAVAILABLE')
  const approved = readApprovalAnswers(ask, said).map(
    (one, i) =>
      one ??
      fail('TOKEN_UNKNOWN', {
        field: ask.tokens[i]!.field,
        message: `${ask.tokens[i]!.address} does not answer as an ERC-20 token does.`,
      }),
  )
  return { nonce: Number(nonce), balanceWei: BigInt(balance), approved }
}

const hexOf = (value: unknown): Hex | null =>
  typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value) ? (value as Hex) : null

/** Exactly so many words, or nothing. */
function wordsOf(answer: Hex | null | undefined, count: number): bigint[] | null {
  if (answer?.length !== 2 + 64 * count) return null
  return Array.from({ length: count }, (_, i) => BigInt(`0x${answer.slice(2 + 64 * i, 66 + 64 * i)}`))
}
