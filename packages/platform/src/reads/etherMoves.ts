import type { Address, Hex } from '@pit/chain'
import type { Rpc } from '../rpc/index.ts'
import { quantityIn } from './hex.ts'

const TRACE_BOUND_MS = 3_000
const MAX_FRAMES = 10_000

interface Frame {
  type?: string
  from?: string
  to?: string
  value?: Hex
  error?: string
  calls?: Frame[]
}

export interface EtherMoves {
  /** A holder's gain, without gas. */
  net(holder: Address): bigint
  /** ETH sent from one address to another. */
  paid(from: Address, to: Address): bigint
}

/** ETH transfers inside a transaction; null if the node does not trace. */
export async function traceEther(rpc: Pick<Rpc, 'request'>, hash: Hex): Promise<EtherMoves | null> {
  let top: Frame
  try {
    const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall: false } }
    top = await rpc.request<Frame>('debug_traceTransaction', [hash, options], { timeoutMs: TRACE_BOUND_MS })
  } catch {
    return null
  }
  if (typeof top?.from !== 'string' || top.error !== undefined) return null
  const moves: { from: string; to: string; wei: bigint }[] = []
  const waiting: Frame[] = [top]
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen >= MAX_FRAMES) return null
    const { type, from, to, value, error, calls = [] } = waiting.pop()!
    // Transfers of a failed call, and of calls inside it, were reverted.
    if (error !== undefined) continue
    // A delegate call repeats its caller's value and moves none.
    const moved = type === 'DELEGATECALL' || type === 'STATICCALL' ? 0n : (quantityIn(value) ?? 0n)
    if (moved > 0n && from && to) moves.push({ from: from.toLowerCase(), to: to.toLowerCase(), wei: moved })
    waiting.push(...calls)
  }
  return {
    net: (holder) =>
      moves.reduce(
        (sum, { from, to, wei }) => sum + (to === holder ? wei : 0n) - (from === holder ? wei : 0n),
        0n,
      ),
    paid: (from, to) => moves.reduce((sum, m) => sum + (m.from === from && m.to === to ? m.wei : 0n), 0n),
  }
}
