export { createSimulator, type Simulator, type SimulatorOptions } from './createSimulator.ts'
export type { SimulateParams } from './deps.ts'
export type { WalletRequest } from './readWallet.ts'
