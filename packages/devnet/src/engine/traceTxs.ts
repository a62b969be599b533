import { toHex } from './hex.ts'
import type { Provider } from './provider.ts'
import type { Hex } from './types.ts'
import { openQuestions, type StateDiff, type WorldState } from './worldState.ts'

export interface TracedTx {
  hash: Hex
  blockNumber: number
  hasAuthorizations: boolean
}

const TRACER = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }

/** Traces the transactions in order and updates the world. */
export async function traceTxs(engine: Provider, txs: readonly TracedTx[], world: WorldState): Promise<void> {
  const calls = txs.map(({ hash }) => ['debug_traceTransaction', [hash, TRACER]] as const)
  const diffs = (await engine.batch(calls)) as StateDiff[]
  for (const [at, diff] of diffs.entries()) {
    world.atBlock(txs[at]!.blockNumber)
    world.applyDiff(diff)
    await answerOpenQuestions(engine, txs[at]!, diff, world)
  }
}

async function answerOpenQuestions(engine: Provider, tx: TracedTx, diff: StateDiff, world: WorldState) {
  const tag = toHex(tx.blockNumber)
  for (const address of openQuestions(diff, tx.hasAuthorizations)) {
    const [balance, nonce, code] = (await engine.batch([
      ['eth_getBalance', [address, tag]],
      ['eth_getTransactionCount', [address, tag]],
      ['eth_getCode', [address, tag]],
    ])) as [Hex, Hex, Hex]
    world.applyAccount(address, { balance, nonce: Number(nonce), code })
  }
}
