import { type Address, NATIVE } from '@pit/chain'
import { type Rpc, RpcUnreachable } from '../rpc.ts'
import { askCall, askEther, type CallTerms, type ContractCall } from './accounts.ts'
import { type BlockTag, wordIn } from './hex.ts'
import { askMulticall } from './multicall.ts'
import { type Question, readAll, readOne } from './question.ts'
import { balanceOfCall, encodeCall } from './tokens.ts'

/** Whose balance of what; all zero for ETH. */
export interface Holding {
  wallet: Address
  token: Address
}

const GET_ETH_BALANCE = '4d2301cc'
/**
 * Several times what an honest balanceOf takes, and too little to return more than some hundred kilobytes.
 */
const BALANCE_GAS = 150_000

/** A balance as a call, for a multicall or a simulation: Multicall3 answers for ETH. */
export const balanceCall = ({ wallet, token }: Holding, multicall3: Address): ContractCall =>
  token === NATIVE
    ? { to: multicall3, data: encodeCall(GET_ETH_BALANCE, wallet) }
    : balanceOfCall(token, wallet)

/** A balance by itself. A token's is its answer's first word, as contracts read it. */
export function askBalance({ wallet, token }: Holding, terms: CallTerms = {}): Question<bigint> {
  if (token === NATIVE) return askEther(wallet, terms.block)
  const { call, parse } = askCall(balanceOfCall(token, wallet), terms)
  return { call, parse: (result) => wordIn(parse(result)) ?? undefined }
}

/** Balances of one block, in order; null for one that cannot be read. */
export function askBalances(
  multicall3: Address,
  holdings: readonly Holding[],
  { block = 'latest' }: { block?: BlockTag } = {},
): Question<(bigint | null)[]> {
  const calls = holdings.map((holding) => balanceCall(holding, multicall3))
  const { call, parse } = askMulticall(multicall3, calls, {
    block,
    gas: BALANCE_GAS * (calls.length + 1),
  })
  return { call, parse: (result) => parse(result)?.map((answer) => wordIn(answer)) }
}

/** Tokens in one multicall. */
const AT_ONCE = 50

/**
 * What a wallet holds of some tokens, all of one block; null for what cannot be read. No group shares a call
 * with another, and whatever fails is asked again alone with gas of its own: one that burns all it gets
 * spoils nobody else's reading. Throws only when the node does not answer.
 */
export async function readBalances(
  { rpc, multicall3 }: { rpc: Pick<Rpc, 'request' | 'batch'>; multicall3: Address },
  { wallet, groups }: { wallet: Address; groups: readonly (readonly Address[])[] },
  { block = 'latest', timeoutMs }: { block?: BlockTag; timeoutMs: number },
): Promise<Map<Address, bigint | null>> {
  const holdingsOf = (tokens: readonly Address[]) => tokens.map((token) => ({ wallet, token }))
  const readTogether = async (tokens: readonly Address[]): Promise<(bigint | null)[]> => {
    try {
      return await readOne(rpc, askBalances(multicall3, holdingsOf(tokens), { block }), { timeoutMs })
    } catch (error) {
      if (error instanceof RpcUnreachable && error.why !== 'unreadable') throw error
      // A token took all the gas, or the answer is none: each is asked by itself.
      return tokens.map(() => null)
    }
  }
  const chunks = groups.flatMap((tokens) => [...chunksOf(tokens)])
  const together = await Promise.all(chunks.map(readTogether))
  const balances = new Map<Address, bigint | null>()
  for (const [i, tokens] of chunks.entries()) {
    for (const [j, token] of tokens.entries()) balances.set(token, together[i]![j]!)
  }
  const failed = [...balances].filter(([, balance]) => balance === null).map(([token]) => token)
  const questions = holdingsOf(failed).map((holding) => askBalance(holding, { block, gas: BALANCE_GAS }))
  // A node that takes no batches leaves these unread; the others stand.
  const alone = await readAll(rpc, questions, { timeoutMs }).catch(() => [])
  for (const [i, token] of failed.entries()) balances.set(token, alone[i] ?? null)
  return balances
}

function* chunksOf(tokens: readonly Address[]): Generator<readonly Address[]> {
  for (let at = 0; at < tokens.length; at += AT_ONCE) yield tokens.slice(at, at + AT_ONCE)
}
