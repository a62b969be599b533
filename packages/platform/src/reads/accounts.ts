import type { Address, Hex } from '@pit/chain'
import { saysReverted } from '../rpc/index.ts'
import { type BlockTag, bytesIn, numberIn, quantityIn, tagOf, toQuantity } from './hex.ts'
import type { Question } from './question.ts'
import { revertReason } from './revertReason.ts'

/** ETH balance of an address. */
export const askEther = (address: Address, block: BlockTag = 'latest'): Question<bigint> => ({
  call: ['eth_getBalance', [address, tagOf(block)]],
  parse: quantityIn,
})

/** The next nonce; with `pending`, it counts pending transactions. */
export const askNonce = (address: Address, block: BlockTag = 'latest'): Question<number> => ({
  call: ['eth_getTransactionCount', [address, tagOf(block)]],
  parse: numberIn,
})

/** `0x` if there is none. */
export const askCode = (address: Address, block: BlockTag = 'latest'): Question<Hex> => ({
  call: ['eth_getCode', [address, tagOf(block)]],
  parse: bytesIn,
})

export const askStorage = (address: Address, slot: Hex, block: BlockTag = 'latest'): Question<Hex> => ({
  call: ['eth_getStorageAt', [address, slot, tagOf(block)]],
  parse: bytesIn,
})

export const askChainId = (): Question<number> => ({ call: ['eth_chainId', []], parse: numberIn })

export interface ContractCall {
  to: Address
  data: Hex
}
export interface CallTerms {
  block?: BlockTag
  /** Any sender if absent. */
  from?: Address
  valueWei?: bigint
  /** Gas limit of the callee, so that a hostile one cannot affect others. */
  gas?: number
}

/** Return data of a contract call. */
export const askCall = (
  { to, data }: ContractCall,
  { block = 'latest', from, valueWei, gas }: CallTerms = {},
): Question<Hex> => ({
  call: [
    'eth_call',
    [
      {
        ...(from !== undefined && { from }),
        to,
        data,
        ...(valueWei !== undefined && { value: toQuantity(valueWei) }),
        ...(gas !== undefined && { gas: toQuantity(gas) }),
      },
      tagOf(block),
    ],
  ],
  parse: bytesIn,
})

/** Return data of a contract call, or its revert; any other error is the node's. */
export const askCallOrRevert = (
  call: ContractCall,
  terms: CallTerms = {},
): Question<{ reverted: false; data: Hex } | { reverted: true; reason: string }> => {
  const plain = askCall(call, terms)
  return {
    call: plain.call,
    parse: (result) => {
      const data = plain.parse(result)
      return data === undefined ? undefined : { reverted: false, data }
    },
    refused: (error) =>
      saysReverted(error)
        ? { reverted: true, reason: revertReason(bytesIn(error.data) ?? '0x', error.message) }
        : undefined,
  }
}
