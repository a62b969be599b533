export type { DecodeFault } from '../bytes/readWords.ts'
export {
  ACTION_BYTE,
  ADDRESS_THIS,
  COMMAND_BYTE,
  CONTRACT_BALANCE,
  ERC20_TRANSFER_TOPIC,
  EXECUTE_SELECTOR,
  EXECUTE_WITH_DEADLINE_SELECTOR,
  MSG_SENDER,
  NATIVE,
  OPEN_DELTA,
} from './constants.ts'
export { type DecodedCall, decodeExecute } from './decodeExecute.ts'
export { encodePermit, hashPermit, type Permit2Domain, permitTypedData } from './permit2.ts'
export { encodePoolKey, poolIdOf } from './poolId.ts'
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
