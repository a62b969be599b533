export { type AgreeingRpc, agreeOfTwo } from './agreeOfTwo.ts'
export { createRpc } from './createRpc.ts'
export { gatherReads } from './gatherReads.ts'
export { createPassThrough, type PassThrough } from './passThrough.ts'
export {
  type AddressHealth,
  type Rpc,
  type RpcCall,
  RpcError,
  RpcUnreachable,
} from './types.ts'
export { watchAddresses } from './watchAddresses.ts'
export { saysReverted } from './words.ts'

/** Splits a comma-separated setting into addresses. */
export const addressesIn = (setting: string): string[] =>
  setting
    .split(',')
    .map((url) => url.trim())
    .filter((url) => url !== '')
