import { type Address, ERC20_TRANSFER_TOPIC } from '@pit/chain'
import { addressIn, type Move, type RanCall, wordIn } from '@pit/platform/reads'
import { type ChainProfile, lower } from '@pit/protocol'
import { isEth, type SimulateParams } from './deps.ts'

/**
 * Tokens whose movements are measured by logs, without reads before and after: the node reports all ETH
 * transfers (`traceTransfers`), and the profile's own tokens log every balance change. Stock tokens may scale
 * their balances and other tokens are not trusted: those are measured by balances.
 */
export const tokensWithLogs = ({ core_tokens }: Pick<ChainProfile, 'core_tokens'>): ReadonlySet<Address> =>
  new Set(core_tokens.filter(({ kind }) => kind !== 'stock').map(({ address }) => lower(address)))

/** Wrapped ether logs no transfer when it is minted or burned. */
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

/**
 * Why logs alone are inconclusive for a successful plan. `cut`: more logs than are kept. `untold`: sent ether is
 * not among the transfers (the node may not support such logs), or less arrived than required.
 */
export type Doubt = 'cut' | 'untold'

/** Received amounts according to logs. `held`: the wallet's balance of a lent input, if read. */
export function measuredByLogs(request: SimulateParams, planned: readonly RanCall[], held: RanCall | null) {
  const output = netOf(planned, request.tokenOut, request.wallet)
  const fee = netOf(planned, request.fee.token, lower(request.fee.recipient))
  return {
    received: { output, fee },
    inputHeld: wordIn(held?.ok ? held.data : null),
    doubt: planned.every(({ ok }) => ok) ? doubtOf(request, planned, output) : null,
  }
}

function doubtOf(request: SimulateParams, planned: readonly RanCall[], output: bigint): Doubt | null {
  if (planned.some(({ isCut }) => isCut)) return 'cut'
  const isTold = request.transactions.every(
    ({ tx: { from, to, valueWei } }, i) =>
      valueWei === 0n || from === lower(to) || planned[i]!.etherMoves.some((move) => move.from === from),
  )
  return isTold && output > 0n && output >= request.amountOutMin ? null : 'untold'
}

/** Change of an account's balance of a token, before gas. */
function netOf(calls: readonly RanCall[], token: Address, holder: Address): bigint {
  let net = 0n
  for (const { from, to, atoms } of calls.flatMap((call) => movesOf(call, token))) {
    if (to === holder) net += atoms
    if (from === holder) net -= atoms
  }
  return net
}

function movesOf({ logs, etherMoves }: RanCall, token: Address): Move[] {
  if (isEth(token)) return etherMoves
  return logs.flatMap(({ address, topics: [what, first, second], data }) => {
    if (address !== token || data.length < 66) return []
    const atoms = BigInt(data.slice(0, 66))
    if (what === ERC20_TRANSFER_TOPIC) return { from: addressIn(first), to: addressIn(second), atoms }
    if (what === DEPOSIT) return { from: null, to: addressIn(first), atoms }
    return what === WITHDRAWAL ? { from: addressIn(first), to: null, atoms } : []
  })
}
