export { ADDRESS_THIS, CONTRACT_BALANCE, MSG_SENDER, NATIVE, OPEN_DELTA } from './constants.ts'
export { type DecodedCall, decodeExecute } from './decodeExecute.ts'
export { encodeExecute } from './encodeExecute.ts'
export { ERC20_TRANSFER_TOPIC, encodeErc20Approve, encodeErc20Transfer } from './erc20.ts'
export { encodePermit2Approve, hashPermit, type Permit2Place, permitTypedData } from './permit2.ts'
export { poolIdOf } from './poolId.ts'
export type { DecodeFault } from './readWords.ts'
export type {
  PathKey,
  PermitSingle,
  PoolKey,
  RouterCall,
  RouterCommand,
  RouterLayout,
  V3Path,
  V4Action,
} from './types.ts'
