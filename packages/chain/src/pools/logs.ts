import type { Address, Hex } from '../bytes/hex.ts'

/** A log as returned by a node, in lower case. The caller has checked its emitter. */
export type PoolLog = { address: Address; topics: readonly Hex[]; data: Hex }

export const TOPIC = {
  v2PairCreated: '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
  v2Sync: '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1',
  v3PoolCreated: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
  v3Initialize: '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95',
  v3Mint: '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde',
  v3Burn: '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c',
  v3Swap: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
  v4Initialize: '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
  v4ModifyLiquidity: '0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec',
  v4Swap: '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f',
  v4ProtocolFeeUpdated: '0xe9c42593e71f84403b84352cd168d693e2c9fcd1fdbcc3feb21d92b43e6696f9',
  curveLaunched: '0x0fce3423bcc2210f02beb5eb4da88019d8557a78595fcf4df10f2e3971fa9ed6',
  curveTrade: '0x0e17a2fbc1d0ce7aa26d7cb917747235611d5e5e0e4860766acb9207e7acfd81',
  curveGraduated: '0x90bfabf7fe7a7459820072ca4b29646e73472d7df06454015a99cd3862692a7f',
  ponsLaunched: '0x8d4aad4953d0ca700d468f3753aa14432d1b35b43ec6409f051fb6aa43a89607',
  ponsBuy: '0xec36bf571f136799e8dc0b0b8bea4b04d8bd3d43de838aab0d5fc21d4cbfc455',
  ponsSell: '0x8113d738abdcb6b38357e9d53a54a7157861a09031b453651f0fe7fe151f59df',
  ponsBuyback: '0x5feba9b0d52c92ada4b9c571c2bee52390c54f2947208ab250221e6ee32f12ff',
  ponsCompleted: '0xf8d37a90738ae063b8b8058b66f5880cf3cf7ab0c5d4fa78219696591dfbfb67',
} as const satisfies Record<string, Hex>

/** Thrown when a log under a known topic has not the words it must have: its emitter is not what it seems. */
export class MalformedLog extends Error {}

export function topicAt(log: PoolLog, index: number): Hex {
  const topic = log.topics[index]
  if (topic?.length !== 66) throw new MalformedLog(`no topic ${index}`)
  return topic
}

function wordAt(log: PoolLog, index: number): string {
  const word = log.data.slice(2 + 64 * index, 66 + 64 * index)
  if (word.length !== 64) throw new MalformedLog(`no word ${index}`)
  return word
}

export function uintWord(log: PoolLog, index: number): bigint {
  return BigInt(`0x${wordAt(log, index)}`)
}

export function intWord(log: PoolLog, index: number): bigint {
  return BigInt.asIntN(256, uintWord(log, index))
}

export function numberWord(log: PoolLog, index: number): number {
  const value = Number(uintWord(log, index))
  if (!Number.isSafeInteger(value)) throw new MalformedLog(`word ${index} is not a safe integer`)
  return value
}

export function tickWord(log: PoolLog, index: number): number {
  return tickOf(wordAt(log, index))
}

export function addressWordOf(log: PoolLog, index: number): Address {
  return `0x${wordAt(log, index).slice(24)}`
}

export function tickTopic(log: PoolLog, index: number): number {
  return tickOf(topicAt(log, index).slice(2))
}

export function addressTopic(log: PoolLog, index: number): Address {
  return `0x${topicAt(log, index).slice(26)}`
}

/** The low three bytes, as a signed number. */
function tickOf(word: string): number {
  return (Number.parseInt(word.slice(58), 16) << 8) >> 8
}
