export { deployWorld, HISTORY_S, type WorldOptions } from './deployWorld.ts'
export {
  blockWallet,
  encodeActs,
  launch,
  type OperatorAct,
  pauseStock,
  setFeed,
  upgradeToken,
} from './operate.ts'
export { loadWorld, saveWorld, type World } from './world.ts'
