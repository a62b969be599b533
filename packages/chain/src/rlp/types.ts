import type { Address, Hex } from '../bytes/hex.ts'

export type AccessList = readonly { address: Address; storageKeys: readonly Hex[] }[]

/** EIP-7702: lets an account run the code at `address`. Chain id 0 means every chain. */
export type Authorization = { chainId: number; address: Address; nonce: number }
export type SignedAuthorization = Authorization & { yParity: 0 | 1; r: Hex; s: Hex }

type Call = { nonce: number; gas: bigint; value: bigint; data: Hex }
type Fees = { maxPriorityFeePerGas: bigint; maxFeePerGas: bigint }

export type FeeMarketTx = Call &
  Fees & { type: 2; chainId: number; to: Address | null; accessList: AccessList }
export type SetCodeTx = Call &
  Fees & {
    type: 4
    chainId: number
    to: Address
    accessList: AccessList
    authorizationList: readonly SignedAuthorization[]
  }
/** A chain id of undefined is a signature that counts on every chain (before EIP-155). */
export type LegacyTx = Call & { type: 0; chainId: number | undefined; gasPrice: bigint; to: Address | null }
export type AccessListTx = Call & {
  type: 1
  chainId: number
  gasPrice: bigint
  to: Address | null
  accessList: AccessList
}

/** What Pit builds and signs itself. */
export type UnsignedTx = FeeMarketTx | SetCodeTx

/** A transaction read from its bytes; `source` is what its hashes are computed from. */
export type SignedTx = (LegacyTx | AccessListTx | FeeMarketTx | SetCodeTx) & {
  r: Hex
  s: Hex
  yParity: 0 | 1
  source: TxSource
}
export type TxSource = {
  bytes: Uint8Array
  /** Start and end of the signed fields in `bytes`. */
  fieldsStart: number
  fieldsEnd: number
  /** r and s, 32 bytes each. */
  rs: Uint8Array
}

export type TxFault =
  | 'NOT_HEX'
  | 'TOO_LONG'
  | 'UNKNOWN_TYPE'
  | 'NOT_CANONICAL'
  | 'TRAILING_BYTES'
  | 'WRONG_FIELDS'
  | 'BAD_NUMBER'
  | 'BAD_ADDRESS'
  | 'BAD_ACCESS_LIST'
  | 'BAD_AUTHORIZATION'
  | 'BAD_SIGNATURE'
  | 'HIGH_S'
