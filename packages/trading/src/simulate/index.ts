export { createSimulator, type Simulator, type SimulatorOptions } from './createSimulator.ts'
export type { SimulateAsk } from './deps.ts'
export type { WalletAsk } from './readWallet.ts'
