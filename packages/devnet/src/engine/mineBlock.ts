import { toHex } from './hex.ts'
import type { Call, Provider } from './provider.ts'
import type { Replayable } from './replayable.ts'
import type { BlockJson, Hex } from './types.ts'

/** Terms of a block besides its transactions and the state before it. */
export interface BlockTerms {
  timestampS: bigint
  baseFeeWei: bigint
  prevRandao: Hex
}

/** Mines the pool, and returns the block with its transactions. */
export async function mineBlock(engine: Provider, terms: BlockTerms): Promise<BlockJson> {
  const latest: Call = ['eth_getBlockByNumber', ['latest', true]]
  return last(await engine.batch([...settingTerms(terms), ['evm_mine'], latest]))
}

/** Mines a block again: the same terms, the same transactions in the same order. */
export async function replayBlock(
  engine: Provider,
  terms: BlockTerms,
  transactions: readonly Replayable[],
): Promise<BlockJson> {
  const latest: Call = ['eth_getBlockByNumber', ['latest', false]]
  // The terms first: the pool checks fees against the next block's base fee.
  const calls = [...settingTerms(terms), ...transactions.flatMap(pooling), ['evm_mine'] as const, latest]
  return last(await engine.batch(calls))
}

/** Mines empty blocks again, one after another; returns the last, whose hash depends on all of them. */
export async function replayEmptyBlocks(engine: Provider, terms: readonly BlockTerms[]): Promise<BlockJson> {
  const latest: Call = ['eth_getBlockByNumber', ['latest', false]]
  const calls = terms.flatMap((each): Call[] => [...settingTerms(each), ['evm_mine']])
  return last(await engine.batch([...calls, latest]))
}

/** The calls that put a transaction into an engine's pool. */
export function pooling(tx: Replayable): Call[] {
  if ('raw' in tx) return [['eth_sendRawTransaction', [tx.raw]]]
  return [
    ['hardhat_impersonateAccount', [tx.impersonated['from']]],
    ['eth_sendTransaction', [tx.impersonated]],
  ]
}

const settingTerms = (terms: BlockTerms): Call[] => [
  ['evm_setNextBlockTimestamp', [toHex(terms.timestampS)]],
  ['hardhat_setNextBlockBaseFeePerGas', [toHex(terms.baseFeeWei)]],
  ['hardhat_setPrevRandao', [terms.prevRandao]],
]

const last = (answers: unknown[]) => answers[answers.length - 1] as BlockJson
