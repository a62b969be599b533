import { toHex } from './hex.ts'
import type { Provider } from './provider.ts'
import type { Replayable } from './replayable.ts'
import type { BlockJson, Hex } from './types.ts'

/** What decides a block besides its transactions and the state before it. */
export interface BlockTerms {
  timestampS: bigint
  baseFeeWei: bigint
  prevRandao: Hex
}

export async function mineBlock(engine: Provider, terms: BlockTerms): Promise<BlockJson> {
  await setTerms(engine, terms)
  await engine.request('evm_mine')
  return engine.request<BlockJson>('eth_getBlockByNumber', ['latest', true])
}

/** Mines a block again: the same terms, the same transactions in the same order. Answers its hash. */
export async function replayBlock(
  engine: Provider,
  terms: BlockTerms,
  transactions: readonly Replayable[],
): Promise<BlockJson> {
  // The base fee first: the pool judges fees against the next block's.
  await setTerms(engine, terms)
  for (const tx of transactions) await pool(engine, tx)
  await engine.request('evm_mine')
  return engine.request<BlockJson>('eth_getBlockByNumber', ['latest', false])
}

export async function pool(engine: Provider, tx: Replayable): Promise<void> {
  if ('raw' in tx) {
    await engine.request('eth_sendRawTransaction', [tx.raw])
    return
  }
  await engine.request('hardhat_impersonateAccount', [tx.impersonated['from']])
  await engine.request('eth_sendTransaction', [tx.impersonated])
}

async function setTerms(engine: Provider, terms: BlockTerms): Promise<void> {
  await engine.request('evm_setNextBlockTimestamp', [toHex(terms.timestampS)])
  await engine.request('hardhat_setNextBlockBaseFeePerGas', [toHex(terms.baseFeeWei)])
  await engine.request('hardhat_setPrevRandao', [terms.prevRandao])
}
