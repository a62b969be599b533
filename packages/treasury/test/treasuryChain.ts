import type { Address } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import { RpcError } from '@pit/platform/rpc'
import {
  createScriptedChain,
  ETH,
  type MinedTx,
  quantity,
  type ScriptedTx,
} from '@pit/platform/test/scriptedChain'

/** The scripted chain with traces of ETH, and a node that may bound the range of logs. */
export function createTreasuryChain({
  everyS,
  ...own
}: {
  startS: number
  everyS: number
  clock?: Clock
  multicall3?: Address
}) {
  const chain = createScriptedChain({ ...own, blockS: everyS })
  const { add: addPlain } = chain
  const options = { traces: true, maxLogBlocks: 1_000_000 }
  const etherIn = ({ moves = [] }: Pick<ScriptedTx, 'moves'>) => moves.filter(({ token }) => token === ETH)

  chain.on('debug_traceTransaction', ([hash]) => {
    const tx = options.traces ? chain.mined().find((one) => one.hash === hash) : undefined
    if (!tx) throw new RpcError('debug_traceTransaction', -32_601, 'the method does not exist', undefined)
    const calls = etherIn(tx).map(({ from, to, atoms }) => ({
      type: 'CALL',
      from,
      to,
      value: quantity(atoms),
    }))
    return { type: 'CALL', from: tx.from, to: tx.to, value: '0x0', calls }
  })
  chain.on('eth_getLogs', ([{ fromBlock, toBlock }], usual) => {
    if (Number(toBlock) - Number(fromBlock) + 1 > options.maxLogBlocks)
      throw new RpcError('eth_getLogs', -32_005, 'range too wide', undefined)
    return usual()
  })

  /** A transaction's value is what its sender moves to whom it calls. */
  function add(tx: ScriptedTx, block?: number): MinedTx {
    const valueWei = etherIn(tx)
      .filter(({ from, to }) => from === tx.from && to === tx.to)
      .reduce((sum, { atoms }) => sum + atoms, 0n)
    return addPlain({ gasUsed: 21_000n, gasPriceWei: 7n, valueWei, ...tx }, block)
  }
  return Object.assign(chain, { options, add })
}
export type TreasuryChain = ReturnType<typeof createTreasuryChain>
