import { rpcFailure } from './provider.ts'
import { STATE_SETTERS } from './worldState.ts'

/** Applied to the engine and logged. */
const LOGGED = new Set<string>([
  ...STATE_SETTERS,
  'hardhat_setCoinbase',
  'hardhat_impersonateAccount',
  'hardhat_stopImpersonatingAccount',
  'evm_setBlockGasLimit',
])

const REFUSED: Record<string, string> = {
  evm_snapshot: 'the head of this chain never goes backwards: simulate with eth_simulateV1 instead',
  evm_revert: 'the head of this chain never goes backwards: simulate with eth_simulateV1 instead',
  hardhat_reset: 'this chain cannot be reset while it runs: stop it and remove its data folder',
  evm_setAutomine: "blocks are mined by the chain's own clock: use evm_mine for one more",
  evm_setIntervalMining: "blocks are mined by the chain's own clock: use evm_mine for one more",
}

export type AdminWay = 'logged' | 'clock' | 'pool'

const CLOCK = new Set(['evm_increaseTime', 'evm_setNextBlockTimestamp', 'evm_mine', 'hardhat_mine'])
const NEXT_BLOCK = new Set(['hardhat_setNextBlockBaseFeePerGas', 'hardhat_setPrevRandao'])

/** Returns how an admin call is executed, or throws for an unsupported one. */
export function wayOf(method: string): AdminWay {
  if (LOGGED.has(method)) return 'logged'
  if (CLOCK.has(method) || NEXT_BLOCK.has(method)) return 'clock'
  // Only the pool is changed: transactions that are never mined need no replay.
  if (method === 'hardhat_dropTransaction') return 'pool'
  const why = REFUSED[method]
  throw why
    ? rpcFailure(-32000, `${method}: ${why}`)
    : rpcFailure(-32601, `the method ${method} does not exist`)
}

/** A number given as JSON number, decimal or hex text. */
export function amountOf(param: unknown, name: string): bigint {
  try {
    if (typeof param === 'number' || typeof param === 'string' || typeof param === 'bigint')
      return BigInt(param)
  } catch {}
  throw rpcFailure(-32602, `${name} must be a number`)
}
