export { openAuth } from './openAuth.ts'
export type { PartnerAgent, PartnerFinding, PartnerRegistry } from './partner.ts'
