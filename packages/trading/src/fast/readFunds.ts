import type { Address, Hex } from '@pit/chain'
import {
  allowanceCall,
  askMulticall,
  balanceCall,
  balanceOfCall,
  type ContractCall,
  isBlockedCall,
  pausedCall,
  permitCall,
  readOne,
  rpcUnavailable,
  wordIn,
} from '@pit/platform/reads'
import { type Rpc, RpcUnreachable } from '@pit/platform/rpc'
import { type ChainProfile, NATIVE_TOKEN } from '@pit/protocol'
import type { Funds, TokenFunds } from './facts.ts'
import type { End, PinnedTable } from './table.ts'

const READ_BOUND_MS = 3_000

/** What all fast tokens are to some wallets, in one call and of one block. */
export type ReadFunds = (wallets: readonly Address[]) => Promise<Funds[]>

export function createFundsReader({
  rpc,
  profile,
  pinned,
  nowMs,
}: {
  rpc: Pick<Rpc, 'request'>
  profile: ChainProfile
  pinned: PinnedTable
  nowMs: () => number
}): ReadFunds {
  const multicall3 = profile.contracts.multicall3.toLowerCase() as Address
  const registry = (profile.contracts.stock_registry?.toLowerCase() ?? null) as Address | null
  const tokens = tokensOf(pinned)

  const questionsOf = (wallet: Address): ContractCall[] => [
    balanceCall({ wallet, token: NATIVE_TOKEN }, multicall3),
    ...tokens.flatMap((token) => tokenQuestions(token, wallet)),
  ]

  function tokenQuestions({ address, stock }: End, wallet: Address): ContractCall[] {
    const { router, permit2 } = pinned.addresses!
    const questions = [
      balanceOfCall(address, wallet),
      allowanceCall(address, wallet, permit2),
      permitCall(permit2, { owner: wallet, token: address, spender: router }),
    ]
    if (!stock) return questions
    // Without a registry nobody can say who may hold it: what is asked of Multicall3 fails, and is refused.
    return [...questions, pausedCall(address), isBlockedCall(registry ?? multicall3, address, wallet)]
  }

  return async (wallets) => {
    const readAtMs = nowMs()
    const questions = wallets.map(questionsOf)
    const asked = askMulticall(multicall3, questions.flat())
    const answers = await readOne(rpc, asked, { timeoutMs: READ_BOUND_MS }).catch(unanswered)
    return questions.map((asked) => {
      const [ether, ...words] = answers.splice(0, asked.length)
      let at = 0
      const entries = tokens.map((token): [Address, TokenFunds] => {
        const size = token.stock ? 5 : 3
        at += size
        return [token.address, fundsOf(words.slice(at - size, at))]
      })
      return { readAtMs, balanceWei: word(ether), tokens: new Map(entries) }
    })
  }
}

/** Every fast token but ETH, each once. */
function tokensOf({ routes }: PinnedTable): End[] {
  const ends = [...routes.values()].flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])
  return [...new Map(ends.map((end) => [end.address, end])).values()].filter(
    ({ address }) => address !== NATIVE_TOKEN,
  )
}

function fundsOf([balance, allowance, permit, paused, blocked]: (Hex | null)[]): TokenFunds {
  return {
    balance: word(balance),
    allowance: word(allowance),
    permit: { amount: word(permit), expirationS: Number(word(permit, 1)), nonce: Number(word(permit, 2)) },
    paused: paused !== undefined && word(paused) !== 0n,
    blocked: blocked !== undefined && word(blocked) !== 0n,
  }
}

const word = (answer: Hex | null | undefined, index = 0): bigint =>
  wordIn(answer, index) ?? rpcUnavailable('a token or Permit2 does not answer')

const unanswered = (error: unknown): never =>
  rpcUnavailable(
    error instanceof RpcUnreachable && error.why === 'unreadable'
      ? 'its answer is none of Multicall3'
      : 'it did not answer for the wallet',
  )
