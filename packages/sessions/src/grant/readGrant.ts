import type { Address } from '@pit/chain'
import type { Caller } from '@pit/platform/call'
import {
  type Body,
  DEFAULT_SHIELD_POLICIES,
  expiryFaults,
  fail,
  limitFaults,
  NATIVE_TOKEN,
  type SessionBindingV3,
} from '@pit/protocol'
import { walletOf } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'

export type StartBody = Extract<Body<'live.session.grant'>, { wallet: string }>
export type SwitchOnBody = Extract<Body<'live.session.grant'>, { session_id: string }>

/** What the owner asks for, read; tokens are still as they were named. */
export interface GrantAsk {
  wallet: Address
  executor: Address
  limits: SessionBindingV3['limits']
  expiresInS: number
  /** What may leave of each ERC-20 token in all. */
  budgetMicroUsd: bigint
  risk: SessionBindingV3['risk']
}

const microUsd = (usd: number): number => Math.round(usd * 1e6)

/** Refuses what no chain and no price could change. */
export function readGrant(
  { crypto }: Pick<SessionDeps, 'crypto'>,
  { body, caller }: { body: StartBody; caller: Caller },
): GrantAsk {
  const wallet = walletOf(crypto, caller, body.wallet)
  const executor =
    crypto.parseAddress(body.executor) ??
    fail('BAD_REQUEST', {
      field: 'executor',
      message: '`executor`: its checksum is wrong; send it lower-case or as it is.',
    })
  const limits = {
    max_trade_micro_usd: microUsd(body.max_trade_usd),
    max_day_micro_usd: microUsd(body.max_day_usd),
    max_trades: body.max_trades,
  }
  refuseFaults([...limitFaults(limits), ...expiryFaults(body.expires_in_s, 'all have a feed')])
  return {
    wallet,
    executor,
    limits,
    expiresInS: body.expires_in_s,
    budgetMicroUsd: budgetOf(body, limits),
    risk: riskOf(body),
  }
}

export function refuseFaults(faults: readonly { field: string; message: string }[]): void {
  const [fault] = faults
  if (fault) fail('SESSION_LIMIT', { field: fault.field, message: `${fault.field} ${fault.message}.` })
}

/** Zero: nothing is approved, and only ETH can be sold. */
function budgetOf({ setup_budget_usd: usd }: StartBody, limits: GrantAsk['limits']): bigint {
  const { max_trade_micro_usd: trade, max_day_micro_usd: day, max_trades: trades } = limits
  if (usd === undefined) return BigInt(day)
  const most = Math.max(day, trade * trades)
  const micro = microUsd(usd)
  if (!Number.isSafeInteger(micro) || micro < 0 || micro > most) {
    const message = 'must be 0 to max_trade_usd times max_trades, or to max_day_usd where that is more'
    refuseFaults([{ field: 'setup_budget_usd', message }])
  }
  return BigInt(micro)
}

function riskOf({ accept_risks, shield, policies }: StartBody): SessionBindingV3['risk'] {
  const named = policies === undefined || policies === false ? null : policies
  if (named !== null && named.length > 0 && !shield) {
    fail('BAD_REQUEST', {
      field: 'policies',
      message: '`policies` are the shield’s: send shield true with them.',
    })
  }
  return { accept_risks, shield, policies: shield ? [...(named ?? DEFAULT_SHIELD_POLICIES)] : [] }
}

/** Who carries the trades must be somebody, and somebody else. */
export async function checkExecutor(
  deps: Pick<SessionDeps, 'place' | 'isSanctioned' | 'db' | 'hosted'>,
  { wallet, executor, cosigner }: { wallet: Address; executor: Address; cosigner: Address },
): Promise<void> {
  const { delegation, router, permit2 } = deps.place()
  if (executor === wallet || executor === cosigner) fail('BAD_EXECUTOR', { field: 'executor' })
  const contracts: readonly string[] = [
    NATIVE_TOKEN,
    router,
    permit2,
    delegation.manager,
    delegation.delegator,
  ]
  if (contracts.includes(executor)) {
    fail('BAD_EXECUTOR', { field: 'executor', message: 'Nobody can sign transactions as this executor.' })
  }
  if (deps.isSanctioned(executor)) fail('SANCTIONED', { field: 'executor' })
  const owner = await deps.hosted.executorOwner(deps.db, executor)
  if (owner !== null && owner !== wallet) fail('EXECUTOR_OWNER', { field: 'executor' })
}
