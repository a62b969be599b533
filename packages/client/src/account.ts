import { type Hex, hexToBytes } from '@pit/chain'
import { lower } from '@pit/protocol'
import {
  hashMessage,
  hashTypedData,
  keccak256,
  parseSignature,
  serializeTransaction,
  type TypedDataDefinition,
} from 'viem'
import { hashAuthorization } from 'viem/utils'

/** A transaction as an account signs it. Not viem's type: its declarations do not compile everywhere. */
export type Transaction = TransactionFields &
  ({ type: 'eip1559' } | { type: 'eip7702'; authorizationList: readonly SignedCodeAuthorization[] })
interface TransactionFields {
  chainId: number
  nonce: number
  to: Hex
  value?: bigint
  data?: Hex
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}
export interface CodeAuthorization {
  chainId: number
  address: Hex
  nonce: number
}
export interface SignedCodeAuthorization extends CodeAuthorization {
  yParity: number
  r: Hex
  s: Hex
}

/**
 * EIP-712.
 * @public
 */
export interface TypedData {
  domain: object
  types: object
  primaryType: string
  message: object
}

/**
 * Signs for the client. It receives only verified data.
 * @public
 */
export interface Account {
  address: Hex
  signMessage(text: string): Promise<Hex>
  signTypedData(data: TypedData): Promise<Hex>
  /** The whole signed transaction. */
  signTransaction(transaction: Transaction): Promise<Hex>
  /** Signs and sends it, and answers its hash; only of wallets that sign no transaction without sending it. */
  sendTransaction?(transaction: Transaction): Promise<Hex>
  /** EIP-7702; absent where the wallet does not sign them, as browser wallets do not. */
  signAuthorization?(authorization: CodeAuthorization): Promise<Hex>
}

/** The part of viem's local accounts that is used. */
interface ViemAccount {
  address: Hex
  signMessage(args: { message: string }): Promise<Hex>
  signTypedData(data: never): Promise<Hex>
  signTransaction(transaction: never): Promise<Hex>
  sign?: ((args: { hash: Hex }) => Promise<Hex>) | undefined
}

/**
 * A provider of a wallet, as EIP-1193 has it.
 * @public
 */
export interface Eip1193 {
  request(args: { method: string; params?: unknown }): Promise<unknown>
}

/**
 * An account of viem: from a private key, a mnemonic, or one of its signers.
 * @public
 */
export function fromViem(account: ViemAccount): Account {
  const { sign } = account
  return {
    address: lower(account.address),
    signMessage: (message) => account.signMessage({ message }),
    signTypedData: (data) => account.signTypedData(data as never),
    signTransaction: (transaction) => account.signTransaction(transaction as never),
    ...(sign && { signAuthorization: (one) => sign({ hash: hashAuthorization(one) }) }),
  }
}

/**
 * Anything that signs 32 bytes: a hardware key, a key service. It answers 65 bytes, v as 27 or 28.
 * @public
 */
export function fromSign(address: Hex, sign: (digest: Hex) => Promise<Hex>): Account {
  return {
    address: lower(address),
    signMessage: (text) => sign(hashMessage(text)),
    signTypedData: (data) => sign(hashTypedData(data as TypedDataDefinition)),
    async signTransaction(transaction) {
      const signature = parseSignature(await sign(keccak256(serializeTransaction(transaction))))
      return serializeTransaction(transaction, signature)
    },
    signAuthorization: (one) => sign(hashAuthorization(one)),
  }
}

/**
 * A browser wallet: it signs a transaction only to send it, by the node it is set to.
 * @public
 */
export function fromWallet(provider: Eip1193, address: Hex): Account {
  return {
    ...fromProvider(provider, address),
    sendTransaction: (transaction) =>
      provider.request({
        method: 'eth_sendTransaction',
        params: [rpcTransaction(address, transaction)],
      }) as Promise<Hex>,
  }
}

/**
 * A wallet behind an EIP-1193 provider that has eth_signTransaction; most have not: see `fromWallet`.
 * @public
 */
export function fromProvider(provider: Eip1193, address: Hex): Account {
  const ask = (method: string, params: unknown[]) => provider.request({ method, params }) as Promise<Hex>
  return {
    address: lower(address),
    signMessage: (text) => ask('personal_sign', [utf8Hex(text), address]),
    signTypedData: (data) => ask('eth_signTypedData_v4', [address, JSON.stringify(data, withTextNumbers)]),
    async signTransaction(transaction) {
      const answer: unknown = await ask('eth_signTransaction', [rpcTransaction(address, transaction)])
      return (typeof answer === 'string' ? answer : (answer as { raw: Hex }).raw) as Hex
    },
  }
}

const utf8Hex = (text: string): Hex =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
const withTextNumbers = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)
const quantity = (value: bigint | number | undefined): Hex => `0x${BigInt(value ?? 0).toString(16)}`

function rpcTransaction(from: Hex, { to, value, data, gas, nonce, ...fees }: Transaction) {
  return {
    from,
    to,
    value: quantity(value),
    data,
    gas: quantity(gas),
    nonce: quantity(nonce),
    maxFeePerGas: quantity(fees.maxFeePerGas),
    maxPriorityFeePerGas: quantity(fees.maxPriorityFeePerGas),
    chainId: quantity(fees.chainId),
    type: '0x2',
  }
}

/** A signature as 65 bytes with v 27 or 28, which is how the service takes every one. */
export function normalized(signature: Hex): Hex {
  const bytes = hexToBytes(signature)
  if (bytes.length !== 65) return signature
  const v = bytes[64]!
  return v >= 27 ? signature : `0x${signature.slice(2, 130)}${(v + 27).toString(16)}`
}
