import { recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { rpcFailure } from '../engine/provider.ts'
import type { Chain, Hex } from '../engine/types.ts'
import type { Method } from './methods.ts'

/** Rejects transactions of some senders, with the message of a filtering chain. */
export function createSenderFilter(chain: Pick<Chain, 'sendRaw'>): {
  sendRaw: Chain['sendRaw']
  /** devnet_filterSender(address, filtered). */
  methods: Record<string, Method>
} {
  const filtered = new Set<string>()
  const senderOf = (raw: Hex): Promise<string> =>
    recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized }).then(
      (address) => address.toLowerCase(),
      () => '',
    )
  return {
    async sendRaw(raw) {
      if (filtered.size > 0 && filtered.has(await senderOf(raw))) throw rpcFailure(-32000, 'internal error')
      return chain.sendRaw(raw)
    },
    methods: {
      devnet_filterSender: async ([address, isFiltered]) => {
        if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address))
          throw rpcFailure(-32602, 'expected an address')
        if (isFiltered === false) filtered.delete(address.toLowerCase())
        else filtered.add(address.toLowerCase())
        return [...filtered]
      },
    },
  }
}
