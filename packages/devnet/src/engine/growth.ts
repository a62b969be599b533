const KB_PER_BLOCK = 5
const KB_PER_TX = 20
const KB_PER_MGAS = 120

/**
 * How much an engine grows by a block, for good, as measured with swaps: in kilobytes, and what it takes to
 * replay the block is in proportion.
 */
export const growthOf = (txs: number, gasUsed: bigint): number =>
  KB_PER_BLOCK + txs * KB_PER_TX + (Number(gasUsed) / 1e6) * KB_PER_MGAS
