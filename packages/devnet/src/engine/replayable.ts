import { serializeTransaction, type TransactionSerializable } from 'viem'
import type { Hex } from './types.ts'

/** A mined transaction in the form with which another engine mines it again with the same hash. */
export type Replayable = { raw: Hex } | { impersonated: Record<string, unknown> }

interface TxJson {
  hash: Hex
  from: Hex
  nonce: Hex
  [field: string]: unknown
}

/** EDR's stand-in signature for an impersonated sender: r and s are the sender's address. */
const isImpersonated = (tx: TxJson) => tx['r'] === tx['s'] && BigInt(tx['r'] as Hex) === BigInt(tx.from)

export function replayableOf(tx: TxJson): Replayable {
  return isImpersonated(tx) ? { impersonated: requestOf(tx) } : { raw: rawOf(tx) }
}

/** The signed bytes, rebuilt from eth_getBlockByNumber. */
export function rawOf(tx: TxJson): Hex {
  const big = (field: string) =>
    tx[field] === undefined || tx[field] === null ? undefined : BigInt(tx[field] as Hex)
  const shared = {
    chainId: Number(tx['chainId'] ?? 0) || undefined,
    nonce: Number(tx.nonce),
    to: (tx['to'] as Hex | null) ?? undefined,
    value: big('value'),
    gas: big('gas'),
    data: tx['input'] as Hex,
  }
  const v = big('v') ?? 0n
  const r = fullWord(tx['r'] as Hex)
  const s = fullWord(tx['s'] as Hex)
  const type = Number(tx['type'] ?? 0)
  if (type === 0) {
    return serializeTransaction(
      { ...shared, type: 'legacy', gasPrice: big('gasPrice') } as TransactionSerializable,
      {
        r,
        s,
        v,
      },
    )
  }
  const whole = { ...shared, ...typedPart(type, tx), accessList: tx['accessList'] ?? [] }
  return serializeTransaction(whole as TransactionSerializable, { r, s, yParity: Number(v) & 1 })
}

function typedPart(type: number, tx: TxJson): Record<string, unknown> {
  if (type === 1) return { type: 'eip2930', gasPrice: BigInt(tx['gasPrice'] as Hex) }
  if (type === 2) return feeMarket('eip1559', tx)
  if (type === 4) return { ...feeMarket('eip7702', tx), authorizationList: authorizationsOf(tx) }
  throw new Error(`transaction ${tx.hash} has type ${type}, which this chain does not take`)
}

const feeMarket = (type: string, tx: TxJson) => ({
  type,
  maxFeePerGas: BigInt(tx['maxFeePerGas'] as Hex),
  maxPriorityFeePerGas: BigInt(tx['maxPriorityFeePerGas'] as Hex),
})

const fullWord = (value: Hex): Hex => `0x${value.slice(2).padStart(64, '0')}`

const authorizationsOf = (tx: TxJson) =>
  (tx['authorizationList'] as Record<string, Hex>[]).map((auth) => ({
    chainId: Number(auth['chainId']),
    address: auth['address'],
    nonce: Number(auth['nonce']),
    r: fullWord(auth['r'] as Hex),
    s: fullWord(auth['s'] as Hex),
    yParity: Number(auth['yParity'] ?? auth['v']) & 1,
  }))

function requestOf(tx: TxJson): Record<string, unknown> {
  const fields = ['from', 'to', 'nonce', 'value', 'gas', 'accessList', 'authorizationList']
  const fees = Number(tx['type']) >= 2 ? ['maxFeePerGas', 'maxPriorityFeePerGas'] : ['gasPrice']
  const present = [...fields, ...fees].filter((field) => tx[field] !== undefined && tx[field] !== null)
  return { ...Object.fromEntries(present.map((field) => [field, tx[field]])), data: tx['input'] }
}
