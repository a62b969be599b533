export { checkChain } from './checkChain.ts'
export { type Closing, createClosing } from './closing.ts'
export { lockStore, StoreLockedError } from './processLock.ts'
export { runProcess } from './runProcess.ts'
