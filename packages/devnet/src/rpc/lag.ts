import { rpcFailure } from '../engine/provider.ts'
import { type Habits, numberIn, STATE_READS, toTag } from './habits.ts'

const NEWEST: readonly unknown[] = [undefined, null, 'latest', 'pending', 'safe', 'finalized']

/** A node that is this many blocks behind the chain. */
export function laggingHabits({ head, lagBlocks }: { head(): number; lagBlocks(): number }): Habits {
  const own = () => Math.max(0, head() - lagBlocks())
  const moved = (params: unknown[], place: number): unknown[] => {
    if (!NEWEST.includes(params[place])) return params
    const adjusted = [...params]
    while (adjusted.length < place) adjusted.push(undefined)
    adjusted[place] = toTag(own())
    return adjusted
  }
  const isAhead = (tag: unknown): boolean => (numberIn(tag) ?? 0) > own()
  return {
    before(method, params) {
      if (lagBlocks() === 0) return params
      const place = STATE_READS[method]
      if (place !== undefined) {
        if (isAhead(params[place])) throw rpcFailure(-32000, 'header not found')
        return moved(params, place)
      }
      if (method === 'eth_getBlockByNumber') return moved(params, 0)
      if (method === 'eth_getLogs') {
        const { toBlock, blockHash, ...filter } = (params[0] ?? {}) as Record<string, unknown>
        if (blockHash !== undefined) return params
        // Blocks it does not have yet are omitted without an error.
        return [{ ...filter, toBlock: isAhead(toBlock) || NEWEST.includes(toBlock) ? toTag(own()) : toBlock }]
      }
      return params
    },
    after(method, params, result) {
      if (lagBlocks() === 0) return result
      if (method === 'eth_blockNumber') return toTag(own())
      if (method === 'eth_getBlockByNumber') return isAhead(params[0]) ? null : result
      if (method === 'eth_getLogs' && Array.isArray(result))
        return result.filter(({ blockNumber }) => !isAhead(blockNumber))
      if (!/^eth_get(BlockByHash|Transaction)/.test(method) || typeof result !== 'object') return result
      const { number, blockNumber } = (result ?? {}) as Record<string, unknown>
      return isAhead(number ?? blockNumber) ? null : result
    },
  }
}
