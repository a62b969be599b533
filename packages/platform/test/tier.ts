import { describe, it } from 'vitest'

/** Tests that `npm test` skips and `npm run test:all` runs. */
const isQuick = process.env['TIER'] === 'quick'
export const itInFull = it.skipIf(isQuick)
export const describeInFull = describe.skipIf(isQuick)
