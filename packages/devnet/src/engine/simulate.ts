import { keccak256 } from 'viem'
import { toHex } from './hex.ts'
import { type Call, type Provider, rpcFailure } from './provider.ts'
import { blockAnswer, type RanCall } from './simulateAnswer.ts'
import { type CallTerms, checkCall, checkSender, fitsBlock, lesser, paidPriceWei } from './simulateChecks.ts'
import { SIMULATE_CODE } from './simulateFailure.ts'
import {
  parseSimulate,
  type SimulatedBlockRequest,
  type SimulatedCall,
  type SimulateLimits,
  type SimulateOptions,
} from './simulateRequest.ts'
import { requestsOfRewind } from './simulateRewind.ts'
import {
  readsState,
  requestsOfDiff,
  requestsOfOverrides,
  type StateDiff,
  undelegatedBy,
  ZERO_WORD,
} from './simulateState.ts'
import { traceLast, traceWhole } from './simulateTrace.ts'
import type { BlockJson, Chain, Head, Hex } from './types.ts'

export interface SimulateSettings extends SimulateLimits {
  /** Time limit: blocks and reads wait. */
  maxMs: number
  /**
   * `before`: the state root shown is from before the calls. `after`: the true one, which costs milliseconds.
   */
  stateRoot: 'before' | 'after'
}

const DEFAULTS: SimulateSettings = { maxBlocks: 256, maxCalls: 1_000, maxMs: 10_000, stateRoot: 'before' }
/** A queued request to the engine, and its callback. */
type Waiting = readonly [call: Call, heard?: (answer: unknown) => void]

/** State of a simulation. Requests wait for the next call and go along with it: each hop costs. */
interface Progress {
  engine: Provider
  options: SimulateOptions
  parent: { number: bigint; timestampS: bigint }
  head: Head
  waiting: Waiting[]
  deadline: number
  stateRoot: SimulateSettings['stateRoot']
  /** Of the next block, as far as known: its header decides. */
  gasLimit: bigint | undefined
}

/** A simulated block. Its header is known once the engine has responded. */
interface OpenBlock {
  header: BlockJson | undefined
  baseFeeWei: bigint
  gasUsed: bigint
}

/**
 * eth_simulateV1. EDR's pool would check funds, nonces and order against the state before the block, so calls
 * bypass it: an empty block with the requested terms is mined, each call is traced inside that block, and its
 * changes are written into the state before the next. One difference from a real block: the BASEFEE opcode
 * reads zero even if the base fee is not (fees themselves are charged correctly).
 */
export function createSimulate(chain: Pick<Chain, 'onScratch'>, settings: Partial<SimulateSettings> = {}) {
  const limits = { ...DEFAULTS, ...settings }
  let usualGasLimit: bigint | undefined
  return async (params: unknown[]): Promise<Record<string, unknown>[]> => {
    const options = parseSimulate(params, limits)
    return chain.onScratch(async (engine, head) => {
      const rewind = await requestsOfRewind(engine, options.at, head)
      const progress: Progress = {
        engine,
        options,
        head,
        parent: { number: head.number, timestampS: head.timestampS },
        waiting: rewind.map((call) => [call]),
        deadline: performance.now() + limits.maxMs,
        stateRoot: limits.stateRoot,
        gasLimit: usualGasLimit,
      }
      usualGasLimit = undefined
      const answers: Record<string, unknown>[] = []
      for (const block of options.blocks) {
        for (const filler of fillers(block, progress, limits.maxBlocks - answers.length))
          answers.push(await runBlock(progress, filler))
        answers.push(await runBlock(progress, block))
      }
      if (options.blocks.every(({ overrides }) => overrides.gasLimit === undefined))
        usualGasLimit = progress.gasLimit
      return answers
    })
  }
}

/** The empty blocks up to one whose number is overridden. */
function fillers(block: SimulatedBlockRequest, progress: Progress, room: number): SimulatedBlockRequest[] {
  const overridden = block.overrides.number
  if (overridden === undefined) return []
  const { number } = progress.parent
  if (overridden <= number)
    throw rpcFailure(
      SIMULATE_CODE.blockNumberOrder,
      `block numbers must be in order: ${overridden} <= ${number}`,
    )
  const gap = overridden - number - 1n
  if (gap >= BigInt(room)) throw rpcFailure(SIMULATE_CODE.clientLimit, 'too many blocks')
  return Array.from({ length: Number(gap) }, () => ({ overrides: {}, state: [], calls: [] }))
}

/** Sends all queued requests and these; returns the results of these. */
async function ask(progress: Progress, calls: readonly Call[] = []): Promise<unknown[]> {
  const before = progress.waiting.splice(0)
  const answers = await progress.engine.batch([...before.map(([call]) => call), ...calls])
  for (const [i, [, heard]] of before.entries()) heard?.(answers[i])
  return answers.slice(before.length)
}

async function runBlock(progress: Progress, block: SimulatedBlockRequest): Promise<Record<string, unknown>> {
  const { engine, options } = progress
  const open = openBlock(progress, block)
  if (readsState(block.state)) await ask(progress)
  for (const call of await requestsOfOverrides(engine, block.state)) progress.waiting.push([call])
  const isLastBlock = block === options.blocks.at(-1) && progress.stateRoot === 'before'
  const ran: RanCall[] = []
  for (const [i, call] of block.calls.entries()) {
    if (performance.now() > progress.deadline)
      throw rpcFailure(SIMULATE_CODE.clientLimit, 'the simulation takes too long')
    const isLast = isLastBlock && i === block.calls.length - 1
    const one = await runCall(progress, open, call, isLast ? 'last' : 'more follow')
    open.gasUsed += BigInt(one.frame.gasUsed)
    ran.push(one)
  }
  if (!open.header) await ask(progress)
  const header = open.header!
  if (progress.stateRoot === 'after') header.stateRoot = await settle(progress)
  return blockAnswer(header, ran, {
    transfers: options.traceTransfers,
    fullTransactions: options.fullTransactions,
  })
}

/** Writes the last call's changes; the first node of any proof is the state's root. */
async function settle(progress: Progress): Promise<Hex> {
  const [proof] = await ask(progress, [['eth_getProof', [`0x${'0'.repeat(40)}`, [], 'latest']]])
  return keccak256((proof as { accountProof: [Hex, ...Hex[]] }).accountProof[0])
}

function openBlock(progress: Progress, { overrides }: SimulatedBlockRequest): OpenBlock {
  const { options, parent, head } = progress
  const timeS = overrides.timeS ?? parent.timestampS + 1n
  // This chain has many blocks a second, so an equal time is valid.
  if (timeS < parent.timestampS)
    throw rpcFailure(
      SIMULATE_CODE.blockTimeOrder,
      `block timestamps must be in order: ${timeS} < ${parent.timestampS}`,
    )
  const baseFeeWei = overrides.baseFeeWei ?? (options.validation ? head.baseFeeWei : 0n)
  const open: OpenBlock = { header: undefined, baseFeeWei, gasUsed: 0n }
  const onHeader = (answer: unknown) => {
    open.header = answer as BlockJson
    progress.gasLimit = BigInt(open.header.gasLimit)
  }
  const calls: Call[] = [
    ['evm_setNextBlockTimestamp', [toHex(timeS)]],
    ['hardhat_setNextBlockBaseFeePerGas', [toHex(baseFeeWei)]],
    ['hardhat_setPrevRandao', [overrides.prevRandao ?? ZERO_WORD]],
    ...(overrides.feeRecipient ? [['hardhat_setCoinbase', [overrides.feeRecipient]] satisfies Call] : []),
    ...(overrides.gasLimit === undefined
      ? []
      : [['evm_setBlockGasLimit', [toHex(overrides.gasLimit)]] satisfies Call]),
    ['evm_mine', []],
  ]
  progress.waiting.push(...calls.map((call) => [call] as const))
  progress.waiting.push([['eth_getBlockByNumber', ['latest', false]], onHeader])
  progress.gasLimit = overrides.gasLimit ?? progress.gasLimit
  progress.parent = { number: parent.number + 1n, timestampS: timeS }
  return open
}

function termsOf({ options, gasLimit = 0n }: Progress, open: OpenBlock, call: SimulatedCall): CallTerms {
  const gasLeftInBlock = gasLimit - open.gasUsed
  const { baseFeeWei } = open
  return { call, gas: call.gas ?? gasLeftInBlock, gasLeftInBlock, baseFeeWei, validation: options.validation }
}

async function runCall(
  progress: Progress,
  open: OpenBlock,
  call: SimulatedCall,
  place: 'last' | 'more follow',
): Promise<RanCall> {
  // A rejection by an assumed limit is decided by the header.
  if (!open.header && !fitsBlock(termsOf(progress, open, call))) await ask(progress)
  const { gasLimit } = progress
  const terms = termsOf(progress, open, call)
  checkCall(terms)
  const priceWei = paidPriceWei(call, terms.baseFeeWei)
  const trace = place === 'last' ? traceLast : traceWhole
  const { frame, sender, diff } = await trace((calls) => ask(progress, calls), call, {
    gas: terms.gas,
    priceWei,
  })
  // The header came along and has another limit; a traced call has no effect.
  if (progress.gasLimit !== gasLimit) return runCall(progress, open, call, place)
  checkSender(terms, sender)
  if (diff) {
    burnBaseFee(diff, open.header!, lesser(priceWei, terms.baseFeeWei) * BigInt(frame.gasUsed))
    const changes = requestsOfDiff(diff, await undelegatedBy(call, diff))
    progress.waiting.push(...changes.map((change) => [change] as const))
  }
  return { call, gas: terms.gas, nonce: sender.nonce, frame }
}

/** A traced call runs at base fee zero, so the fee recipient also received the base fee: burn it here. */
function burnBaseFee(diff: StateDiff, header: BlockJson, burntWei: bigint): void {
  const recipient = diff.post[header['miner'] as Hex]
  if (burntWei === 0n || recipient?.balance === undefined) return
  recipient.balance = toHex(BigInt(recipient.balance) - burntWei)
}
