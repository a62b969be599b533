import type { RawTrade, SeasonRecord } from '@pit/league/record'
import type { StakeRow } from '@pit/league/rules'
import type { Rpc, RpcCall } from '@pit/platform/rpc'
import { CommandRefused } from '../backtest/refused.ts'
import type { ChainFacts } from './rebuildSeason.ts'

const BATCH = 100
/** stakeOf(uint256) */
const STAKE_OF = '0x24a66539'

/** What the chain says otherwise than the record, if anything. */
export interface ChainCheck {
  facts: ChainFacts
  difference: { path: string; recorded: unknown; rebuilt: unknown } | null
}

interface Receipt {
  status: string
  blockNumber: string
  gasUsed: string
  effectiveGasPrice: string
  l1Fee?: string
}

/** Holds every transaction's outcome, block and time, the stake and the first funders against the chain, and reads gas. */
export async function readChain(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  record: SeasonRecord,
): Promise<ChainCheck> {
  const gas = new Map<number, bigint | null>()
  const times = await readTimes(rpc, [...new Set(record.trades.map(({ block }) => block))])
  let difference: ChainCheck['difference'] = null
  const differ = (path: string, recorded: unknown, rebuilt: unknown) => {
    if (recorded !== rebuilt) difference ??= { path, recorded, rebuilt }
  }
  const receipts = await readAll<Receipt>(
    rpc,
    record.trades.map(({ tx_hash }) => ['eth_getTransactionReceipt', [tx_hash]]),
  )
  for (const [i, trade] of record.trades.entries()) {
    const receipt = receipts[i]
    gas.set(trade.id, receipt ? costOf(receipt) : null)
    // One that the league never saw either stays unknown; otherwise a node that forgot proves nothing.
    if (!receipt && trade.taken && trade.gas_wei === null) continue
    if (!receipt) throw new CommandRefused(`the node has no receipt of ${trade.tx_hash}: ${TRY_ANOTHER}`)
    const path = `trades.${trade.id}`
    differ(`${path}.status`, trade.status, BigInt(receipt.status) === 1n ? 'mined' : 'reverted')
    differ(`${path}.block`, trade.block, Number(receipt.blockNumber))
    differ(`${path}.mined_at_s`, trade.mined_at_s, times.get(trade.block))
  }
  return { facts: { gasOf: (trade: RawTrade) => gas.get(trade.id) ?? null }, difference }
}

const costOf = ({ gasUsed, effectiveGasPrice, l1Fee }: Receipt): bigint =>
  BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee ?? 0)

async function readTimes(rpc: Pick<Rpc, 'batch'>, blocks: readonly number[]): Promise<Map<number, number>> {
  const headers = await readAll<{ timestamp: string }>(
    rpc,
    blocks.map((block) => ['eth_getBlockByNumber', [hex(block), false]]),
  )
  return new Map(
    blocks.map((block, i) => {
      const header = headers[i]
      if (!header) throw new CommandRefused(`the node has no block ${block}: ${TRY_ANOTHER}`)
      return [block, Number(header.timestamp)]
    }),
  )
}

const TRY_ANOTHER = 'ask one that keeps everything, or use --no-chain'

/** In order; null where the node has nothing. One that would not say has not said no. */
async function readAll<T>(rpc: Pick<Rpc, 'batch'>, calls: readonly RpcCall[]): Promise<(T | null)[]> {
  const answers: (T | null)[] = []
  for (let from = 0; from < calls.length; from += BATCH) {
    for (const answer of await rpc.batch(calls.slice(from, from + BATCH), { timeoutMs: 30_000 })) {
      if (answer.ok) answers.push(answer.result as T | null)
      else throw new CommandRefused(`the node does not answer as it should: ${answer.error.message}`)
    }
  }
  return answers
}

/** The stake and the funders as the chain shows them now, held against what was recorded. */
export async function checkFacts(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  record: SeasonRecord,
  place: { registry: string | null; platformAgentId: string | null },
): Promise<ChainCheck['difference']> {
  const { start, end } = record.stakes
  for (const [name, stake] of [
    ['start', start],
    ['end', end],
  ] as const) {
    if (!stake || stake.block === null || place.registry === null || place.platformAgentId === null) continue
    const gain = await gainAt(rpc, place.registry, place.platformAgentId, stake)
    if (gain !== stake.gain) return { path: `stakes.${name}.gain`, recorded: stake.gain, rebuilt: gain }
  }
  const parties = record.entries.map(({ facts }) => facts.party)
  const linked = new Set(parties.flatMap(({ funders, namedFunders }) => [...funders, ...namedFunders]))
  const addresses = new Set(parties.flatMap(({ own, named }) => [...own, ...named]))
  for (const { address, funder, block } of record.funders) {
    if (!linked.has(funder) || !addresses.has(address)) continue
    const found = await rpc.request<{ transactions: { from: string; to: string | null; value: string }[] }>(
      'eth_getBlockByNumber',
      [hex(block), true],
    )
    const sent = found.transactions.find(
      ({ to, value }) => to?.toLowerCase() === address && BigInt(value) > 0n,
    )
    const shown = sent?.from.toLowerCase()
    if (shown !== funder) return { path: `funders.${address}`, recorded: funder, rebuilt: shown }
  }
  return null
}

async function gainAt(
  rpc: Pick<Rpc, 'request'>,
  registry: string,
  agentId: string,
  { block }: StakeRow,
): Promise<string> {
  const data = `${STAKE_OF}${BigInt(agentId).toString(16).padStart(64, '0')}`
  const answer = await rpc.request<string>('eth_call', [{ to: registry, data }, hex(block ?? 0)])
  return BigInt(`0x${answer.slice(66, 130)}`).toString()
}

const hex = (block: number): string => `0x${block.toString(16)}`
