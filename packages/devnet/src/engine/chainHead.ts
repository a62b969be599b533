import type { Entry } from './entries.ts'
import type { Image } from './image.ts'
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

/** The head of an engine built from an image; only the engine knows the hash of block 0. */
export const headOfImage = ({ base }: Image, headBlock: BlockJson): Head =>
  base.number === 0 && Number(headBlock.number) === 0
    ? headOf(headBlock)
    : {
        number: BigInt(base.number),
        hash: base.hash,
        timestampS: BigInt(base.timestampS),
        baseFeeWei: BigInt(base.baseFeeWei),
      }
