import { type Address, ERC20_TRANSFER_TOPIC } from '@pit/chain'
import { addressIn, type Move, type RanCall, wordIn } from '@pit/platform/reads'
import type { ChainProfile } from '@pit/protocol'
import { isEth, lower, type SimulateParams } from './deps.ts'

/**
 * Whose moves are told by logs, so that nothing has to be read before and after: of ETH the node tells every
 * one (`traceTransfers`), and the profile's own tokens log every change of a balance. Stock tokens may scale
 * what they show, and no stranger's token is taken at its word: of those, balances tell.
 */
export const toldByLogs = ({ core_tokens }: Pick<ChainProfile, 'core_tokens'>): ReadonlySet<Address> =>
  new Set(core_tokens.filter(({ kind }) => kind !== 'stock').map(({ address }) => lower(address)))

/** Wrapped ether's own: it logs no transfer where it is made or undone. */
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

/**
 * Why logs alone do not settle a plan that went through. `cut`: there were more than are kept. `untold`:
 * ether was sent along and is not among what moved (a node may not know such logs), or less came in than
 * there must be.
 */
export type Doubt = 'cut' | 'untold'

/** What came in, as it was logged. `held`: what the wallet held of a lent input, where that was read. */
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

/** What an account has more of a token than before, but for gas. */
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
