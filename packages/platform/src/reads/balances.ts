import { type Address, NATIVE } from '@pit/chain'
import { type Rpc, RpcUnreachable } from '../rpc/index.ts'
import { askCall, askEther, type CallTerms, type ContractCall } from './accounts.ts'
import { type BlockTag, wordIn } from './hex.ts'
import { askMulticall } from './multicall.ts'
import { type Question, readAll, readOne } from './question.ts'
import { balanceOfCall, encodeCall } from './tokens.ts'

/** Holder and token; the zero address is ETH. */
export interface Holding {
  wallet: Address
  token: Address
}

const GET_ETH_BALANCE = '4d2301cc'
/**
 * Several times the gas of an honest balanceOf, and too little to return more than a few hundred kilobytes.
 */
const BALANCE_GAS = 150_000

/** A balance as a call, for a multicall or a simulation: Multicall3 returns ETH balances. */
export const balanceCall = ({ wallet, token }: Holding, multicall3: Address): ContractCall =>
  token === NATIVE
    ? { to: multicall3, data: encodeCall(GET_ETH_BALANCE, wallet) }
    : balanceOfCall(token, wallet)

/** A single balance. A token's is the first word of its return data, as contracts read it. */
export function askBalance({ wallet, token }: Holding, terms: CallTerms = {}): Question<bigint> {
  if (token === NATIVE) return askEther(wallet, terms.block)
  const { call, parse } = askCall(balanceOfCall(token, wallet), terms)
  return { call, parse: (result) => wordIn(parse(result)) ?? undefined }
}

/** Balances at one block, in order; null if unreadable. */
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

/** Tokens per multicall. */
const AT_ONCE = 50

interface BalanceReader {
  rpc: Pick<Rpc, 'request' | 'batch'>
  multicall3: Address
}

/** A wallet's balances of some tokens, all at one block; null if unreadable. */
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
 * Balances of any wallets, all at one block and in order; null if unreadable. Groups do not share a call, and
 * a failed one is read again alone with its own gas, so a token that burns all its gas affects no other.
 * Throws only if the node does not answer.
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
      // A token used all the gas, or the response is invalid: read each alone.
      return holdings.map(() => null)
    }
  }
  const chunks = groups.flatMap((holdings) => [...chunksOf(holdings)])
  const balances = (await Promise.all(chunks.map(readTogether))).flat()
  const holdings = chunks.flat()
  const failed = [...balances.keys()].filter((i) => balances[i] === null)
  const questions = failed.map((i) => askBalance(holdings[i]!, { block, gas: BALANCE_GAS }))
  // A node without batches leaves these unread; the others remain valid.
  const alone = await readAll(rpc, questions, { timeoutMs }).catch(() => [])
  for (const [n, i] of failed.entries()) balances[i] = alone[n] ?? null
  return balances
}

function* chunksOf(holdings: readonly Holding[]): Generator<readonly Holding[]> {
  for (let at = 0; at < holdings.length; at += AT_ONCE) yield holdings.slice(at, at + AT_ONCE)
}
