export { keepConnections } from './connections/keepConnections.ts'
export { ExchangeFailed, exchange, exchangeOrThrow, type HttpAnswer, type NoAnswer } from './exchange.ts'
export {
  createVendor,
  fieldAt,
  rateOf,
  refuseStatus,
  VENDOR_REFUSALS,
  type Vendor,
  type VendorAnswer,
  type VendorRate,
  VendorRefused,
  type VendorRequest,
} from './vendor.ts'
