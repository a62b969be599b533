import type { Address, Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import { askCall, readAll, wordIn } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { encodeFunctionData, parseAbi, prepareEncodeFunctionData } from 'viem'
import type { PlanStep } from '../types.ts'

/** Virtual contract of Nitro nodes; other chains have nothing there. */
const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000c8'
/** The selector is hashed once. */
const estimate = prepareEncodeFunctionData({
  abi: parseAbi([
    'function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64, uint256, uint256)',
  ]),
})
const READ_MS = 1_000
const ASK_AGAIN_MS = 600_000
/** More than any transaction of ours: a higher result is invalid. */
const MAX_GAS = 5_000_000n

export type ParentGas = (steps: readonly PlanStep[]) => Promise<number[]>

/**
 * Gas for posting each step's bytes on the parent chain; 0 on a chain without this cost, and for steps without
 * a transaction. It grows while this chain's base fee falls, so gas limits leave room for it.
 */
export function createParentGas({ rpc, clock }: { rpc: Pick<Rpc, 'batch'>; clock: Clock }): ParentGas {
  let absentUntilMs = 0
  return async (steps) => {
    const gas = steps.map(() => 0)
    if (clock.nowMs() < absentUntilMs) return gas
    const calls = steps.flatMap(({ tx }, i) => (tx ? [{ i, call: callOf(tx) }] : []))
    if (calls.length === 0) return gas
    const questions = calls.map(({ call }) => askCall({ to: NODE_INTERFACE, data: call }))
    const answers = await readAll(rpc, questions, { timeoutMs: READ_MS }).catch(() => null)
    if (answers === null) return gas
    for (const [n, { i }] of calls.entries()) {
      const word = wordIn(answers[n])
      if (word !== null && word <= MAX_GAS) gas[i] = Number(word)
    }
    if (gas.every((one) => one === 0)) absentUntilMs = clock.nowMs() + ASK_AGAIN_MS
    return gas
  }
}

const callOf = ({ to, data }: { to: Address; data: Hex }): Hex =>
  encodeFunctionData({ ...estimate, args: [to, false, data] })
