import type { Entry } from './entries.ts'
import type { BlockJson, Head } from './types.ts'

/** The newest block, and whether admin calls changed the state after it. */
export interface ChainHead {
  current(): Head
  block(): BlockJson
  advance(block: BlockJson): void
  markChanged(): void
  isChanged(): boolean
}

export function createChainHead(newest: BlockJson, entries: readonly Entry[]): ChainHead {
  let block = newest
  let head = headOf(newest)
  let isChanged = entries.findLast((entry) => entry.kind !== 'pool')?.kind === 'admin'
  return {
    current: () => head,
    block: () => block,
    advance(next) {
      block = next
      head = headOf(next)
      isChanged = false
    },
    markChanged() {
      isChanged = true
    },
    isChanged: () => isChanged,
  }
}

const headOf = (block: BlockJson): Head => ({
  number: BigInt(block.number),
  hash: block.hash,
  timestampS: BigInt(block.timestamp),
  baseFeeWei: BigInt(block.baseFeePerGas),
})
