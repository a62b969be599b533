import type { Address, Hex } from '@pit/chain'
import {
  type ChainFacts,
  type Difference,
  groupBy,
  type RawTrade,
  type SeasonRecord,
  type StakeRow,
} from '@pit/league/rules'
import {
  askBlockTime,
  askCall,
  askReceipt,
  needAll,
  readHoldings,
  readOne,
  wordIn,
} from '@pit/platform/reads'
import { type Rpc, RpcError } from '@pit/platform/rpc'
import { CommandRefused } from '../backtest/refused.ts'

const BOUND = { perRequest: 100, timeoutMs: 30_000 }
/** stakeOf(uint256) */
const STAKE_OF = '0x24a66539'

export interface ChainCheck {
  facts: ChainFacts
  difference: Difference | null
}

/** Compares every transaction's outcome, block and time with the chain, and reads gas. */
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
  const questions = record.trades.map(({ tx_hash }) => askReceipt(tx_hash as Hex))
  const receipts = await orRefuse(needAll(rpc, questions, BOUND))
  for (const [i, trade] of record.trades.entries()) {
    const receipt = receipts[i]
    gas.set(trade.id, receipt?.gasCostWei ?? null)
    // Without a receipt here and in the record the gas stays unknown; a pruned node proves nothing.
    if (!receipt && trade.taken && trade.gas_wei === null) continue
    if (!receipt) throw new CommandRefused(`The node has no receipt of ${trade.tx_hash}. ${TRY_ANOTHER}`)
    const path = `trades.${trade.id}`
    differ(`${path}.status`, trade.status, receipt.ok ? 'mined' : 'reverted')
    differ(`${path}.block`, trade.block, receipt.block)
    differ(`${path}.mined_at_s`, trade.mined_at_s, times.get(trade.block))
  }
  return { facts: { gasOf: (trade: RawTrade) => gas.get(trade.id) ?? null }, difference }
}

async function readTimes(rpc: Pick<Rpc, 'batch'>, blocks: readonly number[]): Promise<Map<number, number>> {
  const questions = blocks.map((block) => askBlockTime(block))
  const times = await orRefuse(needAll(rpc, questions, BOUND))
  return new Map(blocks.map((block, i) => [block, times[i] ?? refuseBlock(block)]))
}

const TRY_ANOTHER = 'Use an archive node, or --no-chain.'

export const refuseBlock = (block: number): never => {
  throw new CommandRefused(`The node has no block ${block}. ${TRY_ANOTHER}`)
}

/** A node error is not evidence of a difference: refuse instead. */
export const orRefuse = <T>(answers: Promise<T>): Promise<T> =>
  answers.catch((error: unknown) => {
    if (!(error instanceof RpcError)) throw error
    throw new CommandRefused(`Unexpected response from the node: ${error.message}`)
  })

/** Compares recorded balances and stakes with the chain. */
export async function checkFacts(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  record: SeasonRecord,
  place: { registry: string | null; platformAgentId: string | null; multicall3: Address },
): Promise<ChainCheck['difference']> {
  const { registry, platformAgentId, multicall3 } = place
  const held = await balancesDifference(rpc, record, multicall3)
  if (held) return held
  const { start, end } = record.stakes
  for (const [name, stake] of [
    ['start', start],
    ['end', end],
  ] as const) {
    if (!stake || stake.block === null || registry === null || platformAgentId === null) continue
    const gain = await gainAt(rpc, registry, platformAgentId, stake)
    if (gain !== stake.gain) return { path: `stakes.${name}.gain`, recorded: stake.gain, rebuilt: gain }
  }
  return null
}

/** Compares balances at the sampled blocks; hours that could not be read are skipped. */
async function balancesDifference(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  { samples, balances, entries }: SeasonRecord,
  multicall3: Address,
): Promise<ChainCheck['difference']> {
  const read = samples.flatMap(({ at_s, block }) => (block === null ? [] : [{ at_s, block }]))
  const times = await readTimes(rpc, [...new Set(read.map(({ block }) => block))])
  const walletOf = new Map(entries.map(({ id, wallet }) => [id, wallet as Address]))
  const recorded = groupBy(balances, ({ at_s }) => at_s)
  for (const { at_s, block } of read) {
    const timeS = times.get(block)!
    if (timeS >= at_s) return { path: `samples.${at_s}.block`, recorded: block, rebuilt: `mined at ${timeS}` }
    const held = (recorded.get(at_s) ?? []).flatMap(({ entry_id, balances: own }) =>
      Object.entries(own).map(([token, atoms]) => ({ entry_id, token: token as Address, atoms })),
    )
    const holdings = held.map(({ entry_id, token }) => ({ wallet: walletOf.get(entry_id)!, token }))
    const shown = await orRefuse(
      readHoldings({ rpc, multicall3 }, [holdings], { block, timeoutMs: BOUND.timeoutMs }),
    )
    for (const [i, { entry_id, token, atoms }] of held.entries()) {
      const now = shown[i]?.toString() ?? null
      if (atoms === null || now === atoms) continue
      if (now === null) throw new CommandRefused(`The node has no balances of block ${block}. ${TRY_ANOTHER}`)
      return { path: `balances.${at_s}.${entry_id}.${token}`, recorded: atoms, rebuilt: now }
    }
  }
  return null
}

async function gainAt(
  rpc: Pick<Rpc, 'request'>,
  registry: string,
  agentId: string,
  { block }: StakeRow,
): Promise<string> {
  const data: Hex = `${STAKE_OF}${BigInt(agentId).toString(16).padStart(64, '0')}`
  const answer = await readOne(rpc, askCall({ to: registry as Address, data }, { block: block ?? 0 }))
  const gain = wordIn(answer, 1)
  if (gain === null) throw new CommandRefused('Unexpected response from the node: no stake')
  return gain.toString()
}
