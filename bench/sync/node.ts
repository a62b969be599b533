import { createServer } from 'node:http'
import { RpcError } from '@pit/platform/rpc'
import { createSyntheticChain, type SyntheticOptions } from '../../packages/market/test/syntheticChain.ts'

/** Requests to the stand-in node, reported by its method `synthetic_asked`. */
export interface Asked {
  /** Ranges of creation logs that were answered, in order. */
  ranges: { from: number; to: number }[]
  refused: number
  calls: number
}

/** Serves a synthetic chain over JSON-RPC with a block every tenth of a second. */
export async function serveSyntheticChain(options: SyntheticOptions, port: number): Promise<void> {
  const chain = createSyntheticChain(options)
  const counts: Asked = { ranges: [], refused: 0, calls: 0 }
  let startedMs = performance.now()
  let before = chain.head()
  setInterval(() => {
    const due = Math.floor((performance.now() - startedMs) / 100) - (chain.head() - before)
    if (due > 0) chain.mine(due)
  }, 20)

  function answer(method: string, params: unknown[]): unknown {
    if (method === 'synthetic_asked') return counts
    if (method === 'synthetic_living') return [...chain.livingAt(Number(params[0]))]
    if (method === 'synthetic_mine') {
      chain.mine(Number(params[0]))
      startedMs = performance.now()
      before = chain.head()
      return null
    }
    const result = chain.answer(method, params)
    if (method === 'eth_call') counts.calls += 1
    const { address, fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>
    if (method === 'eth_getLogs' && address)
      counts.ranges.push({ from: Number(fromBlock), to: Number(toBlock) })
    return result
  }
  function answerOne({ id, method, params }: { id: unknown; method: string; params: unknown[] }) {
    try {
      return { jsonrpc: '2.0', id, result: answer(method, params) }
    } catch (error) {
      if (method === 'eth_getLogs') counts.refused += 1
      const code = error instanceof RpcError ? error.code : -32_603
      return { jsonrpc: '2.0', id, error: { code, message: (error as Error).message } }
    }
  }

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const asks = JSON.parse(Buffer.concat(parts).toString())
    const body = JSON.stringify(Array.isArray(asks) ? asks.map(answerOne) : answerOne(asks))
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
}
