import type { Address } from '@pit/chain'
import {
  balanceCall,
  balanceOfCall,
  decodeMulticall,
  encodeMulticall,
  type RanCall,
  type SimCall,
  wordIn,
} from '@pit/platform/reads'
import { lower } from '@pit/protocol'
import { isEth, READING_GAS, type SimulateParams, type SimulatorDeps } from './deps.ts'

/** Null: could not be read. */
interface Balances {
  /** The wallet's, of the output. */
  output: bigint | null
  /** The fee recipient's, of the fee token. */
  fee: bigint | null
  /** The wallet's, of a lent input. */
  input: bigint | null
}

/** Balances to read before and after. The input only if lent, to confirm the loan. */
export function readingOf({ profile }: SimulatorDeps, request: SimulateParams, lent: boolean): SimCall {
  const { wallet, tokenIn, tokenOut, fee } = request
  const multicall3 = lower(profile.contracts.multicall3)
  const holdings = [
    { wallet, token: tokenOut },
    { wallet: fee.recipient, token: fee.token },
  ]
  if (lent) holdings.push({ wallet, token: tokenIn })
  const calls = holdings.map((holding) => balanceCall(holding, multicall3))
  return { to: multicall3, gas: READING_GAS, data: encodeMulticall(calls) }
}

/** The wallet's balance of a lent token. */
export const heldReading = ({ tokenIn, wallet }: SimulateParams): SimCall => ({
  ...balanceOfCall(tokenIn, wallet),
  gas: READING_GAS,
})

interface Read {
  before: RanCall
  after: RanCall
  planned: readonly RanCall[]
  baseFeeWei: bigint
}

/** Received amounts, before gas. */
export function measuredByBalances(request: SimulateParams, read: Read, lent: boolean) {
  const [before, after] = [heldIn(read.before, lent), heldIn(read.after, lent)]
  const net = (what: 'output' | 'fee', account: Address, token: Address): bigint | null => {
    if (before[what] === null || after[what] === null) return null
    return after[what] + gasOf(request, read.planned, account, token) * read.baseFeeWei - before[what]
  }
  const received = {
    output: net('output', request.wallet, request.tokenOut),
    fee: net('fee', lower(request.fee.recipient), request.fee.token),
  }
  return { received, inputHeld: before.input, doubt: null }
}

function heldIn({ ok, data }: RanCall, lent: boolean): Balances {
  const [output, fee, input] = decodeMulticall(ok ? data : '0x', lent ? 3 : 2) ?? []
  return { output: wordIn(output), fee: wordIn(fee), input: wordIn(input) }
}

/** Gas an account paid out of the counted balance: it pays the base fee and no tip. */
function gasOf(
  request: SimulateParams,
  planned: readonly RanCall[],
  account: Address,
  token: Address,
): bigint {
  if (!isEth(token)) return 0n
  return request.transactions.reduce(
    (sum, { tx }, i) => (tx.from === account ? sum + BigInt(planned[i]!.gasUsed) : sum),
    0n,
  )
}
