export type { PrizePayouts } from './buildAnswer.ts'
export { type Closing, RecordBroken } from './closeWeek.ts'
export type { TreasuryDeps } from './deps.ts'
export {
  type CloseWeekRequest,
  EarlyCloseRefused,
  openTreasury,
  type Treasury,
  type TreasuryOptions,
} from './openTreasury.ts'
export { TransferRefused } from './readTransfer.ts'
