import { SHORT_LIVED } from '@pit/platform/test/shortLived'

/** Flags of the processes that a test starts; benches run them as deployed. */
export const NODE_FLAGS: readonly string[] = process.env['VITEST'] ? SHORT_LIVED : []
