import type { Address } from '@pit/chain'
import { type RanCall, type SimCall as ReadCall, simulateBlocks } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'

export interface SimCall<Label extends string> extends Pick<ReadCall, 'to' | 'data' | 'gas' | 'valueWei'> {
  label: Label
  from: Address
}

export interface SimBlock<Label extends string> {
  calls: SimCall<Label>[]
  /** The node's own time if absent. */
  timeS?: number
}

/** Result of each call; `reason` is shown to people. */
export type SimResults<Label extends string> = Map<Label, RanCall>

const LENT_WEI = 1_000n * 10n ** 18n

/**
 * Runs blocks of calls on the newest state in one request, each sender with lent ETH. Calls pay for gas like a
 * transaction: a token could detect a simulation by free gas. Rethrows errors of the node's client.
 */
export async function simulate<Label extends string>(
  rpc: Pick<Rpc, 'request'>,
  blocks: readonly SimBlock<Label>[],
  { baseFeeWei, timeoutMs }: { baseFeeWei: bigint; timeoutMs: number },
): Promise<SimResults<Label>> {
  const senders = new Set(blocks.flatMap(({ calls }) => calls.map(({ from }) => from)))
  const overrides = Object.fromEntries([...senders].map((sender) => [sender, { balanceWei: LENT_WEI }]))
  const fees = { maxFeePerGasWei: 2n * baseFeeWei + 2n, tipWei: 1n }
  // The screen reports the client's error, not the refusal of simulateBlocks.
  let failure: unknown
  const request: Rpc['request'] = (...asked) =>
    rpc.request<never>(...asked).catch((error) => {
      failure = error
      throw error
    })
  const ran = await simulateBlocks(
    { request },
    blocks.map(({ calls, ...block }, i) => ({
      ...block,
      baseFeeWei,
      ...(i === 0 ? { overrides } : {}),
      calls: calls.map((call) => ({ ...call, ...fees })),
    })),
    { timeoutMs, maxLogs: Number.POSITIVE_INFINITY },
  ).catch((cause) => {
    throw failure ?? new Error('the simulation cannot be read', { cause })
  })
  return new Map(
    blocks.flatMap(({ calls }, i) => calls.map(({ label }, j) => [label, ran[i]!.calls[j]!] as const)),
  )
}
