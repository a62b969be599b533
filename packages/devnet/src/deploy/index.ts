export { SANCTIONED_ADDRESS, type WorldAgent } from './agents.ts'
export { deployWorld, HISTORY_S, type WorldOptions } from './deployWorld.ts'
export type { WorldFeed } from './feeds.ts'
export type { Specimen } from './gallery.ts'
export type { LongTailToken } from './longTail.ts'
export {
  blockWallet,
  encodeActs,
  launch,
  type OperatorAct,
  operate,
  pauseStock,
  setFeed,
  upgradeToken,
} from './operate.ts'
export { FEE_RECIPIENT, TREASURY_BUCKETS } from './profile.ts'
export { loadWorld, saveWorld, type World } from './world.ts'
