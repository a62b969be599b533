export { deployWorld, HISTORY_S, type WorldOptions } from './deployWorld.ts'
export {
  announceMultiplier,
  blockWallet,
  encodeActs,
  launch,
  type OperatorAct,
  pauseOracle,
  pauseStock,
  setFeed,
  upgradeToken,
} from './operate.ts'
export { loadWorld, saveWorld, type World } from './world.ts'
