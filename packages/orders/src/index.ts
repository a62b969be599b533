export { decideOrders } from './decideOrders.ts'
export { meetTrigger, type Watched } from './trigger.ts'
export * from './types.ts'
export { unconfirmedText } from './why.ts'
