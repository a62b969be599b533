import type { Address } from '@pit/chain'
import {
  type BindingControls,
  type ControlsRequest,
  DEFAULT_SHIELD_POLICIES,
  expiryFaults,
  fail,
  limitFaults,
  NATIVE_TOKEN,
  readControls,
  type SessionBindingV3,
} from '@pit/protocol'
import type { Trader } from '@pit/relay'
import type { SessionDeps } from '../deps.ts'

type Risk = SessionBindingV3['risk']

/** Parameters of a grant. */
export interface GrantParams {
  by: Trader
  executor: Address
  /** Core symbols and addresses, as the caller wrote them. */
  tokens: readonly string[]
  limits: SessionBindingV3['limits']
  expiresInS: number
  /** Maximum outflow of each ERC-20 token; defaults to the daily limit. */
  budgetMicroUsd?: number
  /** Policies null: the shield's defaults. */
  risk: Pick<Risk, 'accept_risks' | 'shield'> & { policies: Risk['policies'] | null }
  /** In dollars; absent in a session without controls. */
  controls?: ControlsRequest
  /** Called before a new token is screened. */
  admit(): Promise<void>
}

/** Terms of a grant with their defaults. */
interface GrantTerms {
  budgetMicroUsd: bigint
  risk: Risk
  controls: BindingControls | null
}

/** Checks that need neither chain nor price. */
export function readGrant(request: GrantParams): GrantTerms {
  refuseFaults([...limitFaults(request.limits), ...expiryFaults(request.expiresInS, 'all have a feed')])
  return {
    budgetMicroUsd: budgetOf(request),
    risk: riskOf(request.risk),
    controls: request.controls === undefined ? null : controlsOf(request.controls),
  }
}

function controlsOf(request: ControlsRequest): BindingControls {
  const read = readControls(request)
  if ('controls' in read) return read.controls
  const { field, message } = read.fault
  return fail('SESSION_LIMIT', { field, message: `${field} ${message}.` })
}

export function refuseFaults(faults: readonly { field: string; message: string }[]): void {
  const [fault] = faults
  if (fault) fail('SESSION_LIMIT', { field: fault.field, message: `${fault.field} ${fault.message}.` })
}

/** Zero: nothing is approved, and only ETH can be sold. */
function budgetOf({ budgetMicroUsd: micro, limits }: GrantParams): bigint {
  const { max_trade_micro_usd: trade, max_day_micro_usd: day, max_trades: trades } = limits
  if (micro === undefined) return BigInt(day)
  const max = Math.max(day, trade * trades)
  if (!Number.isSafeInteger(micro) || micro < 0 || micro > max) {
    const message = 'must be 0 to max_trade_usd times max_trades, or to max_day_usd where that is more'
    refuseFaults([{ field: 'setup_budget_usd', message }])
  }
  return BigInt(micro)
}

function riskOf({ accept_risks, shield, policies: named }: GrantParams['risk']): Risk {
  if (named !== null && named.length > 0 && !shield) {
    fail('BAD_REQUEST', {
      field: 'policies',
      message: '`policies` requires `shield: true`.',
    })
  }
  return { accept_risks, shield, policies: shield ? [...(named ?? DEFAULT_SHIELD_POLICIES)] : [] }
}

/** The executor must be able to sign, and must not be the wallet itself. */
export async function checkExecutor(
  deps: Pick<SessionDeps, 'addresses' | 'isSanctioned' | 'db' | 'hosted'>,
  { wallet, executor, cosigner }: { wallet: Address; executor: Address; cosigner: Address },
): Promise<void> {
  const { delegation, router, permit2 } = deps.addresses()
  if (executor === wallet || executor === cosigner) fail('BAD_EXECUTOR', { field: 'executor' })
  const contracts: readonly string[] = [
    NATIVE_TOKEN,
    router,
    permit2,
    delegation.manager,
    delegation.delegator,
  ]
  if (contracts.includes(executor)) {
    fail('BAD_EXECUTOR', { field: 'executor', message: 'This address cannot sign transactions.' })
  }
  if (deps.isSanctioned(executor)) fail('SANCTIONED', { field: 'executor' })
  const owner = await deps.hosted.executorOwner(deps.db, executor)
  if (owner !== null && owner !== wallet) fail('EXECUTOR_OWNER', { field: 'executor' })
}
