import { type Address, ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'

interface Log {
  address: Address
  topics: readonly Hex[]
  data: Hex
}
export interface Receipt {
  hash: Hex
  block: number
  gasUsed: bigint
  gasPriceWei: bigint
  logs: readonly Log[]
}

export interface RawReceipt {
  status: Hex
  blockNumber: Hex
  gasUsed: Hex
  effectiveGasPrice: Hex
  logs: Log[]
}

export const receiptOf = (hash: Hex, raw: RawReceipt): Receipt => ({
  hash,
  block: Number(BigInt(raw.blockNumber)),
  gasUsed: BigInt(raw.gasUsed),
  gasPriceWei: BigInt(raw.effectiveGasPrice),
  logs: raw.logs,
})

export interface Transfer {
  token: Address
  from: Address
  to: Address
  atoms: bigint
}

/** ERC-20 transfers in logs; the standard shape only. */
export const transfersIn = (logs: readonly Log[]): Transfer[] =>
  logs.flatMap(({ address, topics: [topic, from, to, ...more], data }) =>
    topic === ERC20_TRANSFER_TOPIC && from && to && more.length === 0
      ? [
          {
            token: address.toLowerCase() as Address,
            from: addressIn(from),
            to: addressIn(to),
            atoms: BigInt(data),
          },
        ]
      : [],
  )

const addressIn = (word: Hex): Address => `0x${word.slice(26).toLowerCase()}`

/** Transfers of a token to a holder, less those away from it. */
export const netOf = (transfers: readonly Transfer[], token: Address, holder: Address): bigint =>
  transfers.reduce((sum, one) => {
    if (one.token !== token) return sum
    return sum + (one.to === holder ? one.atoms : 0n) - (one.from === holder ? one.atoms : 0n)
  }, 0n)
