export { ORDER_LIMITS, type OrderFault, orderFault } from './checkList.ts'
export { orderDigest, orderId, orderListHash, orderSigner, orderTypedData } from './hash.ts'
export { type Order, type OrderList, TRIGGER_KINDS, type Trigger, type TriggerKind } from './types.ts'
export { fromWireOrders, toWireOrders, type WireOrder, type WireOrderList, type WireTrigger } from './wire.ts'
