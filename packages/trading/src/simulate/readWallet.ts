import { type Address, delegationOf, type Hex, stockIssuerOf } from '@pit/chain'
import {
  type Question as Asked,
  allowanceCall,
  askBalance,
  askBlockNumber,
  askChainId,
  askCode,
  askMulticall,
  askNonce,
  balanceCall,
  type ContractCall,
  flagIn,
  permitCall,
  permitIn,
  readAll,
  rpcUnavailable as unavailable,
  wordIn,
} from '@pit/platform/reads'
import { lower, NATIVE_TOKEN } from '@pit/protocol'
import type { TradeToken, WalletState } from '../types.ts'
import { isEth, READING_GAS, type SimulatorDeps } from './deps.ts'

export interface WalletRequest {
  wallet: Address
  tokenIn: Pick<TradeToken, 'address' | 'stock'>
  tokenOut: Pick<TradeToken, 'address' | 'stock'>
  /** The traded curve; null for pools. */
  curve: Address | null
}

/** Every read of the Multicall3 call; reads that a trade does not need are omitted. */
type Question =
  | 'balanceWei'
  | 'balanceIn'
  | 'allowance'
  | 'permit'
  | 'curveAllowance'
  | `${'paused' | 'blocked'} ${Address}`

/**
 * Reads the wallet state for a plan in one round trip: all Multicall3 results are from one block, which is the
 * named one or came while the batch ran.
 *
 * The results are only suggestions. If a node or token claims a balance or allowance that the wallet does not
 * have, the simulation reverts because it moves the tokens; if it hides a balance, the simulation runs on a
 * lent one and reports that. In both cases the chain enforces the signed minimum.
 */
export async function readWallet(deps: SimulatorDeps, request: WalletRequest): Promise<WalletState> {
  const { wallet, tokenIn, tokenOut } = request
  const readings = questionsOf(deps, request)
  const reads = [
    askBlockNumber(),
    askReadings(deps, wallet, readings),
    askNonce(wallet, 'pending'),
    askCode(wallet),
    askChainId(),
    askNonce(wallet),
  ] as const
  const [block, words, nonce, code, chainId, minedNonce] = await readAll(deps.rpc, reads, {
    timeoutMs: deps.timeoutMs,
  }).catch(() => unavailable('the wallet could not be read'))
  const needed = <T>(value: T | undefined, i: number): T =>
    value ?? unavailable(`${reads[i]!.call[0]} failed`)
  if (needed(chainId, 4) !== deps.profile.chain_id) unavailable(`the node is on chain ${chainId}`)
  const ran = needed(code, 3)
  const results = new Map([...readings.keys()].map((question, i) => [question, needed(words, 1)[i]]))

  const need = (question: Question, what: string): bigint =>
    !readings.has(question) ? 0n : (wordIn(results.get(question)) ?? unavailable(`${what} cannot be read`))
  const needFlag = (question: Question, what: string): boolean =>
    flagIn(results.get(question)) ?? unavailable(`${what} cannot be read`)
  const balanceWei = need('balanceWei', 'the ETH balance')
  const delegatedTo = delegationOf(ran)
  return {
    wallet,
    block: needed(block, 0),
    nonce: needed(nonce, 2),
    minedNonce: needed(minedNonce, 5),
    balanceWei,
    balanceIn: isEth(tokenIn.address) ? balanceWei : need('balanceIn', `the balance of ${tokenIn.address}`),
    allowance: need('allowance', `the allowance of ${tokenIn.address}`),
    permit: readings.has('permit')
      ? (permitIn(results.get('permit')) ?? unavailable('the allowance at Permit2 cannot be read'))
      : { amount: 0n, expirationS: 0, nonce: 0 },
    curveAllowance: need('curveAllowance', `the curve's allowance of ${tokenIn.address}`),
    delegatedTo,
    hasOtherCode: ran !== '0x' && delegatedTo === null,
    stocks: [tokenIn, tokenOut]
      .filter(({ stock }) => stock)
      .map(({ address }) => ({
        token: address,
        paused: needFlag(`paused ${address}`, `whether ${address} is paused`),
        blocked: needFlag(`blocked ${wallet}`, `whether ${address} is blocked for this wallet`),
      })),
    blockedParties: partiesOf(deps).filter(
      (party) =>
        readings.has(`blocked ${party}`) && needFlag(`blocked ${party}`, `whether ${party} may trade stocks`),
    ),
  }
}

/** A wallet that spends ETH needs only its ETH balance, for which no contract has to run. */
function askReadings(
  { profile }: Pick<SimulatorDeps, 'profile'>,
  wallet: Address,
  readings: ReadonlyMap<Question, ContractCall>,
): Asked<(Hex | null)[]> {
  if (readings.size > 1)
    return askMulticall(lower(profile.contracts.multicall3), [...readings.values()], { gas: READING_GAS })
  const { call, parse } = askBalance({ token: NATIVE_TOKEN, wallet })
  return {
    call,
    parse: (result) => {
      const wei = parse(result)
      return wei === undefined ? undefined : [`0x${wei.toString(16).padStart(64, '0')}`]
    },
  }
}

/** Contracts that touch the tokens in every router trade: an issuer that blocks one stops the trade. */
const partiesOf = ({ profile: { contracts } }: Pick<SimulatorDeps, 'profile'>): Address[] =>
  [contracts.permit2, contracts.universal_router].flatMap((party) => (party === null ? [] : [lower(party)]))

function questionsOf(deps: SimulatorDeps, request: WalletRequest): Map<Question, ContractCall> {
  const { profile } = deps
  const { wallet, tokenIn, tokenOut, curve } = request
  const { permit2, universal_router: router } = profile.contracts
  const multicall3 = lower(profile.contracts.multicall3)
  const token = tokenIn.address
  const questions = new Map<Question, ContractCall>()
  questions.set('balanceWei', balanceCall({ token: NATIVE_TOKEN, wallet }, multicall3))
  if (!isEth(token)) {
    questions.set('balanceIn', balanceCall({ token, wallet }, multicall3))
    questions.set('allowance', allowanceCall(token, wallet, lower(permit2)))
    if (router !== null) {
      const spender = lower(router)
      questions.set('permit', permitCall(lower(permit2), { owner: wallet, token, spender }))
    }
    if (curve !== null) questions.set('curveAllowance', allowanceCall(token, wallet, curve))
  }
  for (const { address, stock } of [tokenIn, tokenOut]) {
    if (!stock) continue
    const { beacon } = profile.stocks
    // Without its registry it is unknown who may hold it.
    if (beacon === null) return unavailable('the profile of this chain names no registry of stock tokens')
    const issuer = stockIssuerOf(profile)
    questions.set(`paused ${address}`, issuer.pausedCall(address))
    for (const who of [wallet, ...partiesOf(deps)]) {
      questions.set(`blocked ${who}`, issuer.blockedCall(lower(beacon), who))
    }
  }
  return questions
}
