import type { Rpc } from '../rpc/index.ts'
import { askBlockNumber, askBlockTime } from './blocks.ts'
import { type Bound, needAll, type Question, readAll } from './question.ts'

/** A condition on blocks that holds for every later block once it holds. */
export interface BlockSearch<T> {
  ask(block: number): Question<T>
  holds(answer: T): boolean
}
export interface FoundBlock {
  head: number
  /** The first block for which it holds; null if it does not hold at the head. */
  first: number | null
  /** False if the node does not read the block before: it may hold for older blocks too. */
  isFirst: boolean
}

/** Blocks in one request while an interval is narrowed. */
const AT_ONCE = 15

/** Searches back from the head: one request of some twenty blocks finds the interval, a few more narrow it. */
export async function firstBlockWhere<T>(
  rpc: Pick<Rpc, 'batch'>,
  { ask, holds }: BlockSearch<T>,
  bound: Bound = {},
): Promise<FoundBlock> {
  const [head] = await needAll(rpc, [askBlockNumber()], bound)
  let [low, high] = [-1, head + 1]
  let isLowRead = true
  const narrow = async (blocks: readonly number[]): Promise<void> => {
    const answers = await readAll(rpc, blocks.map(ask), bound)
    for (const [i, block] of blocks.entries()) {
      const answer = answers[i]
      if (answer !== undefined && holds(answer)) high = Math.min(high, block)
      else if (block > low && block < high) {
        low = block
        isLowRead = answer !== undefined
      }
    }
  }
  await narrow(doublingBack(head))
  while (high - low > 1) {
    const step = (high - low) / (AT_ONCE + 1)
    const between = Array.from({ length: AT_ONCE }, (_, i) => Math.round(low + step * (i + 1)))
    await narrow([...new Set(between)].filter((block) => block > low && block < high))
  }
  return { head, first: high > head ? null : high, isFirst: isLowRead }
}

/** The head, and blocks at doubling distances from it, oldest first. */
function doublingBack(head: number): number[] {
  const blocks = [head]
  for (let back = 1; back < head; back *= 2) blocks.push(head - back)
  if (head > 0) blocks.push(0)
  return blocks.reverse()
}

/** The last block before a time. Null if the chain began after it. */
export async function lastBlockBefore(rpc: Pick<Rpc, 'batch'>, timeS: number): Promise<number | null> {
  const { head, first, isFirst } = await firstBlockWhere(rpc, {
    ask: askBlockTime,
    holds: (blockS) => blockS !== null && blockS >= timeS,
  })
  if (!isFirst) throw new Error('the node does not have the headers of its blocks')
  if (first === null) return head
  return first === 0 ? null : first - 1
}
