import { randomBytes } from 'node:crypto'
import { withinMs } from '@pit/platform/clock'
import { lower, refusal } from '@pit/protocol'
import type { PlanSimulation, WalletState } from '../types.ts'
import { tokensWithLogs } from './byLogs.ts'
import type { SimulateParams, SimulatorDeps } from './deps.ts'
import { createLender } from './lendToken.ts'
import { readWallet, type WalletRequest } from './readWallet.ts'
import { simulatePlan } from './simulatePlan.ts'
import { createSynthetic, type SyntheticWallet } from './synthetic.ts'

export interface Simulator {
  readWallet(request: WalletRequest): Promise<WalletState>
  simulatePlan(request: SimulateParams): Promise<PlanSimulation>
  synthetic: SyntheticWallet
  /** Maximum gas for simulating a transaction, unless its own limit is higher. */
  gasCeiling: number
}

export type SimulatorOptions = Omit<SimulatorDeps, 'randomBytes' | 'timeoutMs' | 'logs'> &
  Partial<Pick<SimulatorDeps, 'randomBytes' | 'timeoutMs'>>

const TIMEOUT_MS = 5_000

/** Reads wallets and simulates plans, without any effect on the chain. */
export function createSimulator(options: SimulatorOptions): Simulator {
  const logs = { tokens: tokensWithLogs(options.profile), notBeforeMs: 0 }
  const deps: SimulatorDeps = { randomBytes, timeoutMs: TIMEOUT_MS, logs, ...options }
  const { crypto, profile, timeoutMs } = deps
  const synthetic = createSynthetic({
    crypto,
    randomBytes: deps.randomBytes,
    chainId: profile.chain_id,
    permit2: lower(profile.contracts.permit2),
  })
  const lender = createLender({ ...deps, owner: synthetic.wallet })
  // Bounds all requests of one call together; each one has its own timeout too.
  const bounded = <T>(work: Promise<T>): Promise<T> =>
    withinMs(timeoutMs, work, () =>
      refusal('RPC_UNAVAILABLE', { message: `The chain's RPC did not respond within ${timeoutMs} ms.` }),
    )
  return {
    readWallet: (request) => bounded(readWallet(deps, request)),
    gasCeiling: options.profile.limits.simulation_gas,
    simulatePlan: (request) => bounded(simulatePlan({ ...deps, lender }, request)),
    synthetic,
  }
}
