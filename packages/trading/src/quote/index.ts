export { createQuoter, type Quoter } from './createQuoter.ts'
export type { QuoterDeps } from './deps.ts'
export { disclosuresOf, marksOf, type RouteRow, refuseUnrouted, routeRowOf } from './rows.ts'
export { refusePolicies, type ShownQuote, type ShowQuoteDeps, showQuote } from './showQuote.ts'
