import { type Address, erc20Abi, type Hex, multicall3Abi, permit2Abi } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import { type ChainProfile, fail, NATIVE_TOKEN } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { Funds, TokenFunds } from './facts.ts'
import type { End, PinnedTable } from './table.ts'

const stockAbi = parseAbi([
  'function paused() view returns (bool)',
  'function isBlocked(address token, address wallet) view returns (bool)',
])
const WORD = 64
const READ_BOUND_MS = 3_000

interface Question {
  target: Address
  callData: Hex
}

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

  function questionsOf(wallet: Address): Question[] {
    const ether = encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [wallet] })
    return [
      { target: multicall3, callData: ether },
      ...tokens.flatMap((token) => tokenQuestions(token, wallet)),
    ]
  }

  function tokenQuestions({ address, stock }: End, wallet: Address): Question[] {
    const { router, permit2 } = pinned.addresses!
    const allowed = { functionName: 'allowance', args: [wallet, permit2] } as const
    const permitted = { functionName: 'allowance', args: [wallet, address, router] } as const
    const questions: Question[] = [
      {
        target: address,
        callData: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
      },
      { target: address, callData: encodeFunctionData({ abi: erc20Abi, ...allowed }) },
      { target: permit2, callData: encodeFunctionData({ abi: permit2Abi, ...permitted }) },
    ]
    if (!stock) return questions
    const blocked = { functionName: 'isBlocked', args: [address, wallet] } as const
    return [
      ...questions,
      { target: address, callData: encodeFunctionData({ abi: stockAbi, functionName: 'paused' }) },
      // Without its registry nobody can say who may hold it: asked of nobody, it cannot be read, and is refused.
      { target: registry ?? multicall3, callData: encodeFunctionData({ abi: stockAbi, ...blocked }) },
    ]
  }

  return async (wallets) => {
    const readAtMs = nowMs()
    const questions = wallets.map(questionsOf)
    const args = [questions.flat().map((question) => ({ ...question, allowFailure: true }))] as const
    const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args })
    const answer = await rpc
      .request<Hex>('eth_call', [{ to: multicall3, data }, 'latest'], { timeoutMs: READ_BOUND_MS })
      .catch(() => unreadable('it did not answer for the wallet'))
    const answers = readAnswers(answer)
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

function readAnswers(answer: Hex): (Hex | null)[] {
  try {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
    return results.map(({ success, returnData }) => (success ? returnData : null))
  } catch {
    return unreadable('its answer is none of Multicall3')
  }
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

function word(answer: Hex | null | undefined, index = 0): bigint {
  const digits = answer?.slice(2 + index * WORD, 2 + (index + 1) * WORD) ?? ''
  return digits.length === WORD ? BigInt(`0x${digits}`) : unreadable('a token or Permit2 does not answer')
}

/** A declaration for the compiler's sake, as `fail` is. */
function unreadable(why: string): never {
  fail('RPC_UNAVAILABLE', { message: `The chain's RPC gave no usable answer: ${why}.` })
}
