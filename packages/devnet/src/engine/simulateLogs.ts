import type { Hex } from './types.ts'

export interface Frame {
  type: string
  from: Hex
  to?: Hex
  value?: Hex
  gasUsed: Hex
  output?: Hex
  error?: string
  logs?: FrameLog[]
  calls?: Frame[]
}

interface FrameLog {
  address: Hex
  topics: Hex[]
  data: Hex
  /** How many of the frame's own calls came before it. */
  position?: Hex | number
}

export interface PlainLog {
  address: Hex
  topics: Hex[]
  data: Hex
}

/** Address under which the execution APIs log ETH transfers like a token's Transfer. */
export const ETH_LOG_ADDRESS: Hex = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const MOVES_ETH = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** A call's logs in order; with `transfers`, ETH transfers among them. */
export function logsOf(root: Frame, withTransfers: boolean): PlainLog[] {
  const logs: PlainLog[] = []
  collect(root, withTransfers, logs)
  return logs
}

function collect(frame: Frame, withTransfers: boolean, into: PlainLog[]): void {
  // Logs and transfers of a failed frame and its children were undone.
  if (frame.error !== undefined) return
  if (withTransfers && movesEth(frame)) into.push(transferOf(frame))
  const own = frame.logs ?? []
  const calls = frame.calls ?? []
  let next = 0
  for (let index = 0; index <= calls.length; index += 1) {
    while (next < own.length && Number(own[next]!.position ?? calls.length) <= index) {
      const { address, topics, data } = own[next]!
      into.push({ address, topics, data })
      next += 1
    }
    if (index < calls.length) collect(calls[index]!, withTransfers, into)
  }
}

const movesEth = (frame: Frame) =>
  MOVES_ETH.has(frame.type) && frame.to !== undefined && BigInt(frame.value ?? '0x0') > 0n

const transferOf = (frame: Frame): PlainLog => ({
  address: ETH_LOG_ADDRESS,
  topics: [TRANSFER, padded(frame.from), padded(frame.to!)],
  data: padded(frame.value!),
})

const padded = (value: Hex): Hex => `0x${value.slice(2).padStart(64, '0')}`
