import { type Address, delegationOf, type Hex } from '@pit/chain'
import type { RpcCall } from '@pit/platform/rpc'
import { NATIVE_TOKEN } from '@pit/protocol'
import type { TradeToken, WalletState } from '../types.ts'
import { isEth, lower, quantity, type SimulatorDeps, unavailable } from './deps.ts'
import {
  allowance,
  decodeReadings,
  encodeReadings,
  flagIn,
  holding,
  isBlocked,
  paused,
  permitAllowance,
  READING_GAS,
  type Reading,
  wordIn,
} from './readings.ts'

export interface WalletAsk {
  wallet: Address
  tokenIn: Pick<TradeToken, 'address' | 'stock'>
  tokenOut: Pick<TradeToken, 'address' | 'stock'>
  /** The curve that is traded on; null for pools. */
  curve: Address | null
}

/** Every question of the one Multicall3 call; what a trade has no use for is left out. */
type Question =
  | 'balanceWei'
  | 'balanceIn'
  | 'allowance'
  | 'permit'
  | 'curveAllowance'
  | `${'paused' | 'blocked'} ${Address}`

/**
 * What a plan must know of its wallet, in one round trip: what Multicall3 answers is of one block, and that block is
 * the one named or came while the batch was answered.
 *
 * Nothing here is believed further than a suggestion. A node (or a token) that claims a balance or an allowance the
 * wallet has not makes a plan whose simulation reverts, because that moves the tokens; one that hides a balance makes
 * a simulation on a lent one, which says so. Either way the chain itself holds the trade to the minimum that was signed.
 */
export async function readWallet(deps: SimulatorDeps, ask: WalletAsk): Promise<WalletState> {
  const { wallet, tokenIn, tokenOut } = ask
  const readings = questionsOf(deps, ask)
  const calls: RpcCall[] = [
    ['eth_blockNumber', []],
    [
      'eth_call',
      [
        {
          to: lower(deps.profile.contracts.multicall3),
          data: encodeReadings([...readings.values()]),
          gas: quantity(READING_GAS),
        },
        'latest',
      ],
    ],
    ['eth_getTransactionCount', [wallet, 'pending']],
    ['eth_getCode', [wallet, 'latest']],
    ['eth_chainId', []],
  ]
  const answers = await deps.rpc
    .batch(calls, { timeoutMs: deps.timeoutMs })
    .catch(() => unavailable('it did not answer for the wallet'))
  const [block, aggregate, nonce, code, chainId] = answers.map((answer, i) => {
    if (!answer.ok || !isHex(answer.result)) return unavailable(`${calls[i]![0]} failed`)
    return answer.result
  }) as [Hex, Hex, Hex, Hex, Hex]
  if (numberIn(chainId) !== deps.profile.chain_id) unavailable(`it is a node of chain ${numberIn(chainId)}`)
  const results = decodeReadings(aggregate, readings.size)
  const said = new Map([...readings.keys()].map((question, i) => [question, results[i]]))

  const need = (question: Question, what: string): bigint =>
    !readings.has(question) ? 0n : (wordIn(said.get(question)) ?? unavailable(`${what} cannot be read`))
  const needFlag = (question: Question, what: string): boolean =>
    flagIn(said.get(question)) ?? unavailable(`${what} cannot be read`)
  const balanceWei = need('balanceWei', 'the ETH balance')
  const delegatedTo = delegationOf(code)
  return {
    wallet,
    block: numberIn(block),
    nonce: numberIn(nonce),
    balanceWei,
    balanceIn: isEth(tokenIn.address) ? balanceWei : need('balanceIn', `the balance of ${tokenIn.address}`),
    allowance: need('allowance', `the allowance of ${tokenIn.address}`),
    permit: readings.has('permit')
      ? readPermit(said.get('permit'))
      : { amount: 0n, expirationS: 0, nonce: 0 },
    curveAllowance: need('curveAllowance', `the curve's allowance of ${tokenIn.address}`),
    delegatedTo,
    hasOtherCode: code !== '0x' && delegatedTo === null,
    stocks: [tokenIn, tokenOut]
      .filter(({ stock }) => stock)
      .map(({ address }) => ({
        token: address,
        paused: needFlag(`paused ${address}`, `whether ${address} is paused`),
        blocked: needFlag(`blocked ${address}`, `whether ${address} is barred to this wallet`),
      })),
  }
}

function questionsOf({ profile }: SimulatorDeps, ask: WalletAsk): Map<Question, Reading> {
  const { wallet, tokenIn, tokenOut, curve } = ask
  const { permit2, universal_router: router, stock_registry: registry } = profile.contracts
  const multicall3 = lower(profile.contracts.multicall3)
  const token = tokenIn.address
  const questions = new Map<Question, Reading>()
  questions.set('balanceWei', holding(NATIVE_TOKEN, wallet, multicall3))
  if (!isEth(token)) {
    questions.set('balanceIn', holding(token, wallet, multicall3))
    questions.set('allowance', allowance(token, wallet, lower(permit2)))
    if (router !== null) {
      const spender = lower(router)
      questions.set('permit', permitAllowance(lower(permit2), { owner: wallet, token, spender }))
    }
    if (curve !== null) questions.set('curveAllowance', allowance(token, wallet, curve))
  }
  for (const { address, stock } of [tokenIn, tokenOut]) {
    if (!stock) continue
    // Without its registry nobody can say who may hold it.
    if (registry === null) return unavailable('the profile of this chain names no registry of stock tokens')
    questions.set(`paused ${address}`, paused(address))
    questions.set(`blocked ${address}`, isBlocked(lower(registry), address, wallet))
  }
  return questions
}

function readPermit(answer: Hex | null | undefined): WalletState['permit'] {
  const [amount, expiration, nonce] = [0, 1, 2].map((index) => wordIn(answer, index))
  if (amount == null || expiration == null || nonce == null)
    return unavailable('the allowance at Permit2 cannot be read')
  return { amount, expirationS: Number(expiration), nonce: Number(nonce) }
}

const numberIn = (quantity: Hex): number =>
  quantity.length > 2 && quantity.length < 15 ? Number(quantity) : unavailable(`${quantity} is no number`)

const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)
