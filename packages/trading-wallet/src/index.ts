export { askNode, WalletRefusal } from './askNode.ts'
export { askWallet, useWalletStatus } from './frameClient.ts'
export type { WalletRequest, WalletStatus } from './messages.ts'
export { createTradingWallet, TRADING_WALLET } from './provider.ts'
