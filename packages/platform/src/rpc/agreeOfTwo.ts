import { createRpc } from './createRpc.ts'
import { type Rpc, type RpcAnswer, type RpcCall, RpcError, RpcUnreachable } from './types.ts'
import { blockPlace, saysBusy, saysOwnTrouble } from './words.ts'

export interface AgreeingRpc extends Rpc {
  /** How two nodes disagreed recently; null if they did not. */
  trouble(): string | null
}

interface Node {
  name: string
  rpc: Rpc
  /** It did not answer, and is skipped until then. */
  restsUntilMs: number
}

/** About five seconds of chain 4663: nodes further apart cannot confirm each other. */
const MAX_APART_BLOCKS = 50
const HEAD_BOUND_MS = 2_000
const TOLD_FOR_MS = 10_000
const REST_MS = 5_000
const AGAIN_AFTER_MS = 300

/**
 * Reads from two nodes at one block and returns only what both agree on, so that no single node can lie. Of
 * more than two, it takes the two highest that are close together, so that no single one can block the
 * others.
 */
export function agreeOfTwo({
  urls,
  alarm,
}: {
  urls: readonly string[]
  /** Two nodes contradict each other: one of them is wrong, or lies. */
  alarm(what: { nodes: string[]; method: string; block: number }): void
}): AgreeingRpc {
  const nodes: Node[] = urls.map((url) => ({
    name: new URL(url).host,
    rpc: createRpc({ url }),
    restsUntilMs: 0,
  }))
  let trouble: { text: string; atMs: number } | null = null

  async function readHeads(): Promise<{ node: Node; head: number }[]> {
    const awake = nodes.filter(({ restsUntilMs }) => restsUntilMs <= performance.now())
    const candidates = awake.length >= 2 ? awake : nodes
    const heads = await Promise.all(
      candidates.map(async (node) => {
        try {
          const height = await node.rpc.request('eth_blockNumber', [], { timeoutMs: HEAD_BOUND_MS })
          return { node, head: Number(height) }
        } catch {
          node.restsUntilMs = performance.now() + REST_MS
          return { node, head: Number.NaN }
        }
      }),
    )
    return heads.filter(({ head }) => Number.isSafeInteger(head))
  }

  /** The two highest nodes that are close together, and the newest block that both have. */
  async function pickTwo(): Promise<{ pair: [Node, Node]; block: number }> {
    const heads = await readHeads()
    let picked: { pair: [Node, Node]; block: number } | undefined
    for (const [i, one] of heads.entries()) {
      for (const other of heads.slice(i + 1)) {
        if (Math.abs(one.head - other.head) > MAX_APART_BLOCKS) continue
        const block = Math.min(one.head, other.head)
        if (!picked || block > picked.block) picked = { pair: [one.node, other.node], block }
      }
    }
    if (picked) return picked
    throw new RpcUnreachable(
      `${heads.length} of ${nodes.length} nodes answer, and no two are close in height: two must agree`,
    )
  }

  async function ask(calls: readonly RpcCall[], timeoutMs?: number): Promise<RpcAnswer[]> {
    const { pair, block } = await pickTwo()
    const pinned = calls.map((call) => pin(call, block))
    const bound = timeoutMs === undefined ? {} : { timeoutMs }
    const [ones, others] = await Promise.all(pair.map(({ rpc }) => rpc.batch(pinned, bound)))
    return calls.map((call, i) => {
      if (call[0] === 'eth_blockNumber') return { ok: true, result: `0x${block.toString(16)}` }
      const agreed = agree(call, ones![i]!, others![i]!)
      if (agreed) return agreed
      const names = pair.map(({ name }) => name)
      throw new Divided({ nodes: names, method: call[0], block })
    })
  }

  /** Retried once before it counts: a reorg between two reads looks the same. */
  async function askTwice(calls: readonly RpcCall[], timeoutMs?: number): Promise<RpcAnswer[]> {
    try {
      return await ask(calls, timeoutMs)
    } catch (error) {
      if (!(error instanceof Divided)) throw error
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS))
    }
    try {
      return await ask(calls, timeoutMs)
    } catch (error) {
      if (error instanceof Divided) {
        trouble = { text: error.message, atMs: performance.now() }
        alarm(error.what)
      }
      throw error
    }
  }

  return {
    async request<T>(method: string, params: readonly unknown[] = [], bound: { timeoutMs?: number } = {}) {
      const [answer] = await askTwice([[method, params]], bound.timeoutMs)
      if (!answer?.ok) throw answer?.error ?? new RpcUnreachable(`${method}: no answer`)
      return answer.result as T
    },
    batch: async (calls, bound = {}) => (calls.length === 0 ? [] : askTwice(calls, bound.timeoutMs)),
    trouble: () => (trouble && performance.now() - trouble.atMs < TOLD_FOR_MS ? trouble.text : null),
    close() {
      for (const { rpc } of nodes) rpc.close()
    },
  }
}

class Divided extends RpcUnreachable {
  readonly what: { nodes: string[]; method: string; block: number }
  constructor(what: Divided['what']) {
    super(`${what.nodes.join(' and ')} disagree on ${what.method} at block ${what.block}`, { why: 'divided' })
    this.what = what
  }
}

/** `latest` may be a different block at each node. */
function pin([method, params]: RpcCall, block: number): RpcCall {
  const place = blockPlace(method)
  if (place === undefined || (params[place] !== undefined && params[place] !== 'latest'))
    return [method, params]
  const moved = [...params]
  moved[place] = `0x${block.toString(16)}`
  return [method, moved]
}

/** Values that may differ by node; the larger one counts, because it allows less to be signed. */
const LARGER = new Set(['eth_estimateGas', 'eth_gasPrice'])
const isLarger = ([method, params]: RpcCall): boolean =>
  LARGER.has(method) || (method === 'eth_getTransactionCount' && params[1] === 'pending')

/** Null if they contradict each other. */
function agree(call: RpcCall, one: RpcAnswer, other: RpcAnswer): RpcAnswer | null {
  if (one.ok && other.ok) {
    if (isLarger(call)) return Number(one.result) >= Number(other.result) ? one : other
    return gist(one.result) === gist(other.result) ? one : null
  }
  for (const answer of [one, other]) {
    // A node that cannot answer neither contradicts nor confirms.
    if (!answer.ok && (saysOwnTrouble(answer.error) || saysBusy(answer.error))) return answer
  }
  if (one.ok || other.ok) return null
  return one.error.code === other.error.code ? one : bothRefused(call, one.error, other.error)
}

const bothRefused = ([method]: RpcCall, { message }: RpcError, other: RpcError): RpcAnswer => ({
  ok: false,
  error: new RpcError(method, other.code, message, undefined),
})

/** Only the fields of blocks and receipts that all nodes report alike. */
const GIST = [
  'hash',
  'number',
  'timestamp',
  'baseFeePerGas',
  'blockHash',
  'status',
  'transactionHash',
  'logs',
]

function gist(result: unknown): string {
  if (typeof result === 'string') return result.toLowerCase()
  if (typeof result !== 'object' || result === null) return JSON.stringify(result)
  const fields = Object.entries(result).filter(([name]) => GIST.includes(name))
  if (fields.length === 0) return JSON.stringify(result).toLowerCase()
  const byName = fields.map(([name, value]): [string, unknown] => [
    name,
    name === 'logs' ? (value as unknown[])?.length : value,
  ])
  return JSON.stringify(byName.sort(([a], [b]) => (a < b ? -1 : 1))).toLowerCase()
}
