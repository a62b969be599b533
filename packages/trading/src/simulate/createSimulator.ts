import { randomBytes } from 'node:crypto'
import { withinMs } from '@pit/platform/withinMs'
import { refusal } from '@pit/protocol'
import type { PlanSimulation, WalletState } from '../types.ts'
import { toldByLogs } from './byLogs.ts'
import { lower, type SimulateParams, type SimulatorDeps } from './deps.ts'
import { createLender } from './lendToken.ts'
import { readWallet, type WalletRequest } from './readWallet.ts'
import { simulatePlan } from './simulatePlan.ts'
import { createSynthetic, type SyntheticWallet } from './synthetic.ts'

export interface Simulator {
  readWallet(request: WalletRequest): Promise<WalletState>
  simulatePlan(request: SimulateParams): Promise<PlanSimulation>
  synthetic: SyntheticWallet
  /** A transaction is tried with no more gas than this, unless its own limit is higher. */
  gasCeiling: number
}

export type SimulatorOptions = Omit<SimulatorDeps, 'randomBytes' | 'timeoutMs' | 'logs'> &
  Partial<Pick<SimulatorDeps, 'randomBytes' | 'timeoutMs'>>

const TIMEOUT_MS = 5_000

/** Reads wallets and tries plans out, with nothing of either left on the chain. */
export function createSimulator(options: SimulatorOptions): Simulator {
  const logs = { tokens: toldByLogs(options.profile), notBeforeMs: 0 }
  const deps: SimulatorDeps = { randomBytes, timeoutMs: TIMEOUT_MS, logs, ...options }
  const { crypto, profile, timeoutMs } = deps
  const synthetic = createSynthetic({
    crypto,
    randomBytes: deps.randomBytes,
    chainId: profile.chain_id,
    permit2: lower(profile.contracts.permit2),
  })
  const lender = createLender({ ...deps, owner: synthetic.wallet })
  // Each request is bounded by itself; all of an answer's are bounded here.
  const bounded = <T>(work: Promise<T>): Promise<T> =>
    withinMs(timeoutMs, work, () =>
      refusal('RPC_UNAVAILABLE', { message: `The chain's RPC took longer than ${timeoutMs} ms.` }),
    )
  return {
    readWallet: (request) => bounded(readWallet(deps, request)),
    gasCeiling: options.profile.limits.simulation_gas,
    simulatePlan: (request) => bounded(simulatePlan({ ...deps, lender }, request)),
    synthetic,
  }
}
