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

interface BalanceReader {
  rpc: Pick<Rpc, 'request' | 'batch'>
  multicall3: Address
}

/** What a wallet holds of some tokens, all of one block; null for what cannot be read. */
export async function readBalances(
  reader: BalanceReader,
  { wallet, groups }: { wallet: Address; groups: readonly (readonly Address[])[] },
  terms: { block?: BlockTag; timeoutMs: number },
): Promise<Map<Address, bigint | null>> {
  const holdings = groups.map((tokens) => tokens.map((token) => ({ wallet, token })))
  const balances = await readHoldings(reader, holdings, terms)
  return new Map(holdings.flat().map(({ token }, i) => [token, balances[i]!]))
}

/**
 * Balances of any wallets, all of one block and in order; null for what cannot be read. No group shares a
 * call with another, and whatever fails is asked again alone with gas of its own: one that burns all it gets
 * spoils nobody else's reading. Throws only when the node does not answer.
 */
export async function readHoldings(
  { rpc, multicall3 }: BalanceReader,
  groups: readonly (readonly Holding[])[],
  { block = 'latest', timeoutMs }: { block?: BlockTag; timeoutMs: number },
): Promise<(bigint | null)[]> {
  const readTogether = async (holdings: readonly Holding[]): Promise<(bigint | null)[]> => {
    try {
      return await readOne(rpc, askBalances(multicall3, holdings, { block }), { timeoutMs })
    } catch (error) {
      if (error instanceof RpcUnreachable && error.why !== 'unreadable') throw error
      // A token took all the gas, or the answer is none: each is asked by itself.
      return holdings.map(() => null)
    }
  }
  const chunks = groups.flatMap((holdings) => [...chunksOf(holdings)])
  const balances = (await Promise.all(chunks.map(readTogether))).flat()
  const holdings = chunks.flat()
  const failed = [...balances.keys()].filter((i) => balances[i] === null)
  const questions = failed.map((i) => askBalance(holdings[i]!, { block, gas: BALANCE_GAS }))
  // A node that takes no batches leaves these unread; the others stand.
  const alone = await readAll(rpc, questions, { timeoutMs }).catch(() => [])
  for (const [n, i] of failed.entries()) balances[i] = alone[n] ?? null
  return balances
}

function* chunksOf(holdings: readonly Holding[]): Generator<readonly Holding[]> {
  for (let at = 0; at < holdings.length; at += AT_ONCE) yield holdings.slice(at, at + AT_ONCE)
}
