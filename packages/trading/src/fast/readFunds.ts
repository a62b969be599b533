import { type Address, type Hex, stockIssuerOf } from '@pit/chain'
import {
  allowanceCall,
  askMulticall,
  balanceCall,
  balanceOfCall,
  type ContractCall,
  permitCall,
  readOne,
  rpcUnavailable,
  wordIn,
} from '@pit/platform/reads'
import { type Rpc, RpcUnreachable } from '@pit/platform/rpc'
import { type ChainProfile, NATIVE_TOKEN } from '@pit/protocol'
import type { Funds, TokenFunds } from './facts.ts'
import type { End, PinnedRoute, PinnedTable } from './table.ts'

const READ_BOUND_MS = 3_000

/** Reads balances and allowances of all fast tokens for these wallets, in one call at one block. */
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
  const issuer = stockIssuerOf(profile)
  // Without a registry the call goes to Multicall3 and fails, so stock trades are refused.
  const beacon = (profile.stocks.beacon?.toLowerCase() ?? multicall3) as Address
  const tokens = tokensOf(pinned)
  const parties = partiesOf(pinned, profile)
  const watched = (wallet: Address): Address[] => (parties.length === 0 ? [] : [wallet, ...parties])

  const questionsOf = (wallet: Address): ContractCall[] => [
    balanceCall({ wallet, token: NATIVE_TOKEN }, multicall3),
    ...tokens.flatMap((token) => tokenQuestions(token, wallet)),
    ...watched(wallet).map((who) => issuer.blockedCall(beacon, who)),
  ]

  function tokenQuestions({ address, stock }: End, wallet: Address): ContractCall[] {
    const { router, permit2 } = pinned.addresses!
    const questions = [
      balanceOfCall(address, wallet),
      allowanceCall(address, wallet, permit2),
      permitCall(permit2, { owner: wallet, token: address, spender: router }),
    ]
    return stock ? [...questions, issuer.pausedCall(address)] : questions
  }

  return async (wallets) => {
    const readAtMs = nowMs()
    const questions = wallets.map(questionsOf)
    const call = askMulticall(multicall3, questions.flat())
    const answers = await readOne(rpc, call, { timeoutMs: READ_BOUND_MS }).catch(unanswered)
    return questions.map((calls, i) => {
      const [ether, ...words] = answers.splice(0, calls.length)
      let at = 0
      const entries = tokens.map((token): [Address, TokenFunds] => {
        const size = token.stock ? 4 : 3
        at += size
        return [token.address, fundsOf(words.slice(at - size, at))]
      })
      const blocked = new Set(watched(wallets[i]!).filter((_, j) => word(words[at + j]) !== 0n))
      return { readAtMs, balanceWei: word(ether), tokens: new Map(entries), blocked }
    })
  }
}

/** Every fast token except ETH, once. */
function tokensOf({ routes }: PinnedTable): End[] {
  const ends = [...routes.values()].flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])
  return [...new Map(ends.map((end) => [end.address, end])).values()].filter(
    ({ address }) => address !== NATIVE_TOKEN,
  )
}

/** Addresses other than the wallet that touch a stock token in a fast trade; empty without stock routes. */
function partiesOf({ routes, addresses }: PinnedTable, { contracts }: ChainProfile): Address[] {
  const venues = [...routes.values()].flatMap((route) => venueOf(route, contracts) ?? [])
  return venues.length === 0 || addresses === null
    ? []
    : [...new Set([addresses.router, addresses.permit2, ...venues])]
}

/** Address that holds the tokens of a stock route's pool; null for other routes. */
export function venueOf(
  { tokenIn, tokenOut, hop, poolId }: PinnedRoute,
  { v4_pool_manager }: Pick<ChainProfile['contracts'], 'v4_pool_manager'>,
): Address | null {
  if (!tokenIn.stock && !tokenOut.stock) return null
  if (hop.version !== 'v4') return poolId as Address
  return (v4_pool_manager?.toLowerCase() ?? null) as Address | null
}

function fundsOf([balance, allowance, permit, paused]: (Hex | null)[]): TokenFunds {
  return {
    balance: word(balance),
    allowance: word(allowance),
    permit: { amount: word(permit), expirationS: Number(word(permit, 1)), nonce: Number(word(permit, 2)) },
    paused: paused !== undefined && word(paused) !== 0n,
  }
}

const word = (answer: Hex | null | undefined, index = 0): bigint =>
  wordIn(answer, index) ?? rpcUnavailable('a token or Permit2 returned no value')

const unanswered = (error: unknown): never =>
  rpcUnavailable(
    error instanceof RpcUnreachable && error.why === 'unreadable'
      ? 'the response is not a Multicall3 result'
      : 'the wallet could not be read',
  )
