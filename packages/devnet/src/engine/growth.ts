const KB_PER_BLOCK = 5
const KB_PER_TX = 20
const KB_PER_MGAS = 120

/** Permanent growth of an engine per block in kilobytes, measured with swaps; replay time is proportional. */
export const growthOf = (txs: number, gasUsed: bigint): number =>
  KB_PER_BLOCK + txs * KB_PER_TX + (Number(gasUsed) / 1e6) * KB_PER_MGAS
