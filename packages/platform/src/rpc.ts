export { type AgreeingRpc, agreeOfTwo } from './rpc/agreeOfTwo.ts'
export { createRpc } from './rpc/createRpc.ts'
export { createPassThrough, type PassThrough } from './rpc/passThrough.ts'
export {
  type AddressHealth,
  type Rpc,
  type RpcCall,
  RpcError,
  RpcUnreachable,
} from './rpc/types.ts'
export { watchAddresses } from './rpc/watchAddresses.ts'
export { saysReverted } from './rpc/words.ts'

/** Splits a comma-separated setting into addresses. */
export const addressesIn = (setting: string): string[] =>
  setting
    .split(',')
    .map((url) => url.trim())
    .filter((url) => url !== '')
