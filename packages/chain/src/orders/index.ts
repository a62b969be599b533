export { ORDER_LIMITS, type OrderFault, orderFault } from './checkList.ts'
export {
  orderDigest,
  orderId,
  orderListHash,
  orderListHashV1,
  orderSigner,
  orderTypedData,
} from './hash.ts'
export { type Receipt, receiptText } from './receipt.ts'
export {
  type Order,
  type OrderList,
  type Replaced,
  TRIGGER_KINDS,
  type Trigger,
  type TriggerKind,
} from './types.ts'
export {
  fromWireOrder,
  fromWireOrders,
  toWireOrder,
  toWireOrders,
  type WireOrder,
  type WireOrderList,
  type WireTrigger,
} from './wire.ts'
