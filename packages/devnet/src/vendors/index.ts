export { VENDOR_KEY } from './aggregatorShapes.ts'
export type { QuoteNearMid } from './aggregators.ts'
export type { Verdict } from './audit.ts'
export { COST_HEADER } from './gatewayStyles.ts'
export { BROKE_KEY, LIMITED_KEY, MODELS, SERVICE_KEY } from './models.ts'
export {
  UnknownVendorMode,
  VENDOR_MODES,
  VENDOR_NAMES,
  type VendorName,
  type VendorOptions,
} from './modes.ts'
export { startVendors, type Vendors, type VendorsOptions } from './startVendors.ts'
