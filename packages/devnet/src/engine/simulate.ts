import { keccak256 } from 'viem'
import { toHex } from './hex.ts'
import { type Call, type Provider, rpcFailure } from './provider.ts'
import { blockAnswer, type RanCall } from './simulateAnswer.ts'
import { type CallTerms, checkCall, checkSender, lesser, paidPriceWei } from './simulateChecks.ts'
import { SIMULATE_CODE } from './simulateFailure.ts'
import type { Frame } from './simulateLogs.ts'
import {
  parseSimulate,
  type SimulatedBlockRequest,
  type SimulatedCall,
  type SimulateLimits,
  type SimulateOptions,
} from './simulateRequest.ts'
import { requestsOfRewind } from './simulateRewind.ts'
import {
  requestsOfDiff,
  requestsOfOverrides,
  type StateDiff,
  undelegatedBy,
  ZERO_WORD,
} from './simulateState.ts'
import type { BlockJson, Chain, Head, Hex } from './types.ts'

export interface SimulateSettings extends SimulateLimits {
  /** Past it the shadow is let go: the blocks behind it wait. */
  maxMs: number
  /**
   * `before`: the state root shown is the engine's, from before the calls. `after`: the true one, which costs
   * milliseconds in a large world.
   */
  stateRoot: 'before' | 'after'
}

const DEFAULTS: SimulateSettings = { maxBlocks: 256, maxCalls: 1_000, maxMs: 10_000, stateRoot: 'before' }
// One run tells both what happened and what it left behind.
const TRACER = {
  tracer: 'muxTracer',
  tracerConfig: { callTracer: { withLog: true }, prestateTracer: { diffMode: true } },
}

interface Trace {
  callTracer: Frame
  prestateTracer: StateDiff
}

/** Where a simulation stands: the requests that the engine has yet to be given before the next call. */
interface Progress {
  engine: Provider
  options: SimulateOptions
  parent: { number: bigint; timestampS: bigint }
  head: Head
  waiting: Call[]
  deadline: number
  stateRoot: SimulateSettings['stateRoot']
}

/**
 * eth_simulateV1. EDR's pool would check funds, nonces and order against the state before the block, so no call goes
 * through it: an empty block with the asked-for terms is mined, each call is traced inside that block, and what it
 * changed is written into the state before the next. One thing differs from a real block: the BASEFEE opcode reads
 * zero, also where the block's base fee is not (fees themselves are charged right).
 */
export function createSimulate(chain: Pick<Chain, 'onShadow'>, settings: Partial<SimulateSettings> = {}) {
  const limits = { ...DEFAULTS, ...settings }
  return async (params: unknown[]): Promise<Record<string, unknown>[]> => {
    const options = parseSimulate(params, limits)
    return chain.onShadow(async (engine, head) => {
      const progress: Progress = {
        engine,
        options,
        head,
        parent: { number: head.number, timestampS: head.timestampS },
        waiting: await requestsOfRewind(engine, options.at, head),
        deadline: performance.now() + limits.maxMs,
        stateRoot: limits.stateRoot,
      }
      const answers: Record<string, unknown>[] = []
      for (const block of options.blocks) {
        for (const filler of fillers(block, progress, limits.maxBlocks - answers.length))
          answers.push(await runBlock(progress, filler))
        answers.push(await runBlock(progress, block))
      }
      return answers
    })
  }
}

/** The empty blocks up to one whose number is overridden. */
function fillers(block: SimulatedBlockRequest, progress: Progress, room: number): SimulatedBlockRequest[] {
  const wanted = block.overrides.number
  if (wanted === undefined) return []
  const { number } = progress.parent
  if (wanted <= number)
    throw rpcFailure(SIMULATE_CODE.blockNumberOrder, `block numbers must be in order: ${wanted} <= ${number}`)
  const gap = wanted - number - 1n
  if (gap >= BigInt(room)) throw rpcFailure(SIMULATE_CODE.clientLimit, 'too many blocks')
  return Array.from({ length: Number(gap) }, () => ({ overrides: {}, state: [], calls: [] }))
}

async function runBlock(progress: Progress, block: SimulatedBlockRequest): Promise<Record<string, unknown>> {
  const { engine, options } = progress
  const terms = [...progress.waiting, ...termsOf(progress, block)]
  const opened = await engine.batch([...terms, ['eth_getBlockByNumber', ['latest', false]]])
  const header = opened.at(-1) as BlockJson
  progress.parent = { number: BigInt(header.number), timestampS: BigInt(header.timestamp) }
  progress.waiting = await requestsOfOverrides(engine, block.state)
  const ran: RanCall[] = []
  let gasLeft = BigInt(header.gasLimit)
  for (const call of block.calls) {
    if (performance.now() > progress.deadline)
      throw rpcFailure(SIMULATE_CODE.clientLimit, 'the simulation takes too long')
    const one = await runCall(progress, call, header, gasLeft)
    gasLeft -= BigInt(one.frame.gasUsed)
    ran.push(one)
  }
  if (progress.stateRoot === 'after') header.stateRoot = await settle(progress)
  return blockAnswer(header, ran, {
    transfers: options.traceTransfers,
    fullTransactions: options.fullTransactions,
  })
}

/** Writes what the last call left behind; the first node of any proof is the state's root. */
async function settle(progress: Progress): Promise<Hex> {
  const answers = await progress.engine.batch([
    ...progress.waiting,
    ['eth_getProof', [`0x${'0'.repeat(40)}`, [], 'latest']],
  ])
  progress.waiting = []
  const { accountProof } = answers.at(-1) as { accountProof: [Hex, ...Hex[]] }
  return keccak256(accountProof[0])
}

function termsOf({ options, parent, head }: Progress, { overrides }: SimulatedBlockRequest): Call[] {
  const timeS = overrides.timeS ?? parent.timestampS + 1n
  // This chain has many blocks a second, so an equal time is in order.
  if (timeS < parent.timestampS)
    throw rpcFailure(
      SIMULATE_CODE.blockTimeOrder,
      `block timestamps must be in order: ${timeS} < ${parent.timestampS}`,
    )
  const baseFeeWei = overrides.baseFeeWei ?? (options.validation ? head.baseFeeWei : 0n)
  return [
    ['evm_setNextBlockTimestamp', [toHex(timeS)]],
    ['hardhat_setNextBlockBaseFeePerGas', [toHex(baseFeeWei)]],
    ['hardhat_setPrevRandao', [overrides.prevRandao ?? ZERO_WORD]],
    ...(overrides.feeRecipient ? [['hardhat_setCoinbase', [overrides.feeRecipient]] satisfies Call] : []),
    ...(overrides.gasLimit === undefined
      ? []
      : [['evm_setBlockGasLimit', [toHex(overrides.gasLimit)]] satisfies Call]),
    ['evm_mine', []],
  ]
}

async function runCall(
  progress: Progress,
  call: SimulatedCall,
  header: BlockJson,
  gasLeftInBlock: bigint,
): Promise<RanCall> {
  const gas = call.gas ?? gasLeftInBlock
  const terms: CallTerms = {
    call,
    gas,
    gasLeftInBlock,
    baseFeeWei: BigInt(header.baseFeePerGas),
    validation: progress.options.validation,
  }
  checkCall(terms)
  const priceWei = paidPriceWei(call, terms.baseFeeWei)
  const answers = await progress.engine.batch([
    ...progress.waiting,
    ['debug_traceCall', [engineCall(call, gas, priceWei), 'latest', TRACER]],
  ])
  const { callTracer: frame, prestateTracer: diff } = answers.at(-1) as Trace
  const before = diff.pre[call.from]
  const sender = { balanceWei: BigInt(before?.balance ?? '0x0'), nonce: BigInt(before?.nonce ?? 0) }
  checkSender(terms, sender)
  burnBaseFee(diff, header, lesser(priceWei, terms.baseFeeWei) * BigInt(frame.gasUsed))
  progress.waiting = requestsOfDiff(diff, await undelegatedBy(call, diff))
  return { call, gas, nonce: sender.nonce, frame }
}

// A traced call runs at base fee zero, so the whole price goes in as the tip.
const engineCall = (call: SimulatedCall, gas: bigint, priceWei: bigint): Record<string, unknown> => ({
  from: call.from,
  ...(call.to === undefined ? {} : { to: call.to }),
  gas: toHex(gas),
  value: toHex(call.valueWei),
  data: call.data,
  ...(call.accessList ? { accessList: call.accessList } : {}),
  ...(call.authorizationList ? { authorizationList: call.authorizationList } : {}),
  ...(priceWei > 0n ? { maxFeePerGas: toHex(priceWei), maxPriorityFeePerGas: toHex(priceWei) } : {}),
})

/** For the same reason the fee recipient was credited the base fee too: it is burnt here. */
function burnBaseFee(diff: StateDiff, header: BlockJson, burntWei: bigint): void {
  const recipient = diff.post[header['miner'] as Hex]
  if (burntWei === 0n || recipient?.balance === undefined) return
  recipient.balance = toHex(BigInt(recipient.balance) - burntWei)
}
