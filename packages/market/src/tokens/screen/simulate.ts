import type { Address, Hex } from '@pit/chain'
import { revertReason } from '@pit/platform/revertReason'
import type { Rpc } from '@pit/platform/rpc'

export interface SimCall<Label extends string> {
  label: Label
  from: Address
  to: Address
  data: Hex
  gas: number
  valueWei?: bigint
}

export interface SimBlock<Label extends string> {
  calls: SimCall<Label>[]
  /** After the block before; its time as the node has it when absent. */
  timeS?: number
}

export interface SimLog {
  address: Address
  topics: Hex[]
  data: Hex
}

export type SimResult =
  | { ok: true; data: Hex; logs: SimLog[] }
  /** `reason` is for people; `data` is what the call reverted with. */
  | { ok: false; data: Hex; reason: string }

export type SimResults<Label extends string> = Map<Label, SimResult>

interface Answered {
  calls: { status: Hex; returnData?: Hex; logs?: SimLog[]; error?: { message?: string; data?: Hex } }[]
}

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`
const LENT_WEI = 1_000n * 10n ** 18n

/**
 * Runs blocks of calls on the chain's newest state in one request, each sender with lent ETH. Calls pay for gas as a
 * transaction does: a token that asks whether gas is free would know that nobody is trading.
 */
export async function simulate<Label extends string>(
  rpc: Pick<Rpc, 'request'>,
  blocks: readonly SimBlock<Label>[],
  { baseFeeWei, timeoutMs }: { baseFeeWei: bigint; timeoutMs: number },
): Promise<SimResults<Label>> {
  const senders = new Set(blocks.flatMap(({ calls }) => calls.map(({ from }) => from)))
  const lent = Object.fromEntries([...senders].map((sender) => [sender, { balance: hex(LENT_WEI) }]))
  const fees = { maxFeePerGas: hex(2n * baseFeeWei + 2n), maxPriorityFeePerGas: '0x1' }
  const blockStateCalls = blocks.map(({ calls, timeS }, i) => ({
    blockOverrides: {
      baseFeePerGas: hex(baseFeeWei),
      ...(timeS === undefined ? {} : { time: hex(timeS) }),
    },
    ...(i === 0 ? { stateOverrides: lent } : {}),
    calls: calls.map(({ from, to, data, gas, valueWei }) => ({
      from,
      to,
      input: data,
      gas: hex(gas),
      ...fees,
      ...(valueWei === undefined ? {} : { value: hex(valueWei) }),
    })),
  }))
  const payload = { blockStateCalls, traceTransfers: false, validation: false }
  const answer = await rpc.request<Answered[]>('eth_simulateV1', [payload, 'latest'], { timeoutMs })
  const results: SimResults<Label> = new Map()
  for (const [i, { calls }] of blocks.entries()) {
    for (const [j, { label }] of calls.entries()) {
      const one = answer[i]?.calls[j]
      if (!one) throw new Error('the simulation answered fewer calls than were asked')
      results.set(label, readResult(one))
    }
  }
  return results
}

function readResult(one: Answered['calls'][number]): SimResult {
  if (one.status === '0x1') return { ok: true, data: one.returnData ?? '0x', logs: one.logs ?? [] }
  const data = one.error?.data ?? one.returnData ?? '0x'
  return { ok: false, data, reason: revertReason(data, one.error?.message) }
}
