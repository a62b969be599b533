import type { Address, Hex } from '@pit/chain'
import { askChainId, askEther, askHeader, readOne, toQuantity } from '@pit/platform/reads'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { takesWebSocket } from './takesWebSocket.ts'
import {
  ASK_AGAIN,
  type DoctorDeps,
  type Examination,
  type Finding,
  fail,
  ok,
  unknown,
  warn,
} from './types.ts'

/** Clock differences up to this are harmless. */
const MAX_SKEW_S = 30
const LOG_SPAN = 10_000
const DEPTHS = [128, 5_000, 100_000] as const
const NOBODY: Address = '0x000000000000000000000000000000000000dead'

/** Checks that the node is on this chain, at its head, and supports the methods the service uses. */
export const examineNode: Examination = async (deps) => {
  const { rpc, profile, nowMs } = deps
  const chainId = await readOne(rpc, askChainId())
  if (chainId !== profile.chain_id)
    return [
      fail('chain id', `${chainId}, the profile is for chain ${profile.chain_id}`, 'Set CHAIN_RPC_URL.'),
    ]
  const head = await readOne(rpc, askHeader('latest'))
  if (head === null) return [warn('head', 'the node has no blocks', ASK_AGAIN)]
  const lagS = Math.round(nowMs() / 1000 - head.timestampS)
  const clock =
    Math.abs(lagS) <= MAX_SKEW_S
      ? ok('clock', `the newest block is ${lagS} s old`)
      : warn('clock', `the newest block is ${lagS} s old`, 'Set this machine’s clock, or use another node.')
  const first =
    profile.first_block <= head.number
      ? []
      : [warn('first_block', `${profile.first_block} is ahead of ${head.number}`, 'Correct first_block.')]
  const abilities = await Promise.all([
    able(deps, 'eth_simulateV1', simulated(), 'Trades cannot be simulated: use a node that supports it.'),
    batches(deps),
    logs(deps, head.number),
    archive(deps, head.number),
    able(deps, 'debug_traceCall', traced(), 'ETH transfers are derived from balances only.'),
    webSocket(deps),
    sequencer(deps),
  ])
  return [ok('chain id', String(chainId)), clock, ...first, ...abilities.filter((one) => one !== null)]
}

type Call = [method: string, params: unknown[]]
const simulated = (): Call => [
  'eth_simulateV1',
  [{ blockStateCalls: [{ calls: [{ to: NOBODY, data: '0x' }] }] }, 'latest'],
]
const traced = (): Call => [
  'debug_traceCall',
  [{ to: NOBODY, data: '0x' }, 'latest', { tracer: 'callTracer' }],
]

async function able({ rpc }: DoctorDeps, check: string, call: Call, remedy: string): Promise<Finding> {
  try {
    await rpc.request(...call)
    return ok(check, 'supported')
  } catch (error) {
    if (error instanceof RpcError) return warn(check, 'not supported', remedy)
    return unknown(check, (error as Error).message, ASK_AGAIN)
  }
}

async function batches({ rpc }: DoctorDeps): Promise<Finding> {
  const calls = Array.from({ length: 20 }, (): [string, unknown[]] => ['eth_chainId', []])
  try {
    const answers = await rpc.batch(calls)
    return answers.every((answer) => answer.ok)
      ? ok('batch', `${calls.length} calls at once`)
      : warn('batch', 'some calls of a batch were rejected', 'Use a node that accepts batches of 100.')
  } catch (error) {
    return warn('batch', (error as Error).message, 'Use a node that accepts batches of 100.')
  }
}

async function logs({ rpc }: DoctorDeps, head: number): Promise<Finding> {
  const from = Math.max(0, head - LOG_SPAN + 1)
  const filter = { fromBlock: toQuantity(from), toBlock: toQuantity(head), address: NOBODY }
  try {
    await rpc.request('eth_getLogs', [filter])
    return ok('log range', `${head - from + 1} blocks at once`)
  } catch (error) {
    if (!(error instanceof RpcError)) return unknown('log range', (error as Error).message, ASK_AGAIN)
    return warn('log range', `fewer than ${LOG_SPAN} blocks at once`, 'The first sync takes longer.')
  }
}

async function archive({ rpc, profile }: DoctorDeps, head: number): Promise<Finding> {
  let deepest = 0
  for (const depth of DEPTHS) {
    const block = Math.max(0, head - depth)
    const isAvailable = await readOne(rpc, askEther(NOBODY, block)).then(
      () => true,
      () => false,
    )
    if (!isAvailable) break
    deepest = head - block
  }
  const minutes = Math.round((deepest * profile.chain.block_time_ms) / 60_000)
  const depthText = `state available ${deepest} blocks back (${minutes} min)`
  // A local chain has no state from before its last start.
  return profile.kind === 'devnet' || deepest >= Math.min(head, DEPTHS[0])
    ? ok('archive', depthText)
    : warn('archive', depthText, 'Holdings of the past cannot be read: use an archive node.')
}

async function webSocket({ wsUrl }: DoctorDeps): Promise<Finding | null> {
  if (wsUrl === null) return null
  return (await takesWebSocket(wsUrl))
    ? ok('WebSocket', `at ${new URL(wsUrl).host}`)
    : warn('WebSocket', `not at ${new URL(wsUrl).host}`, 'New blocks are polled instead.')
}

/** Sends an invalid transaction: any sequencer that answers rejects it. */
async function sequencer({ sequencer: at }: DoctorDeps): Promise<Finding | null> {
  if (at === null) return null
  try {
    await at.request('eth_sendRawTransaction', ['0x00' satisfies Hex])
    return warn('sequencer', 'it accepts an invalid transaction', 'Check that SEQUENCER_URL is a sequencer.')
  } catch (error) {
    return error instanceof RpcUnreachable
      ? warn('sequencer', error.message, 'Set SEQUENCER_URL; without it no trade is relayed.')
      : ok('sequencer', 'it answers')
  }
}
