/** Right uses of types generated from the OpenAPI document. They must compile: `types.test.ts`. */
import type { components, operations } from './api.ts'

type Schemas = components['schemas']
type Body<Op extends keyof operations> = operations[Op] extends {
  requestBody: { content: { 'application/json': infer Sent } }
}
  ? Sent
  : never
type Answer<Op extends keyof operations> = operations[Op]['responses'] extends {
  200: { content: { 'application/json': infer Got } }
}
  ? Got
  : never
type Refusal<
  Op extends keyof operations,
  Status extends keyof operations[Op]['responses'],
> = operations[Op]['responses'][Status] extends { content: { 'application/json': infer Got } } ? Got : never

export const byDollars: Body<'live_quote'> = { token_in: 'ETH', token_out: 'USDG', notional_usd: 25 }
export const byAtoms: Body<'live_quote'> = { token_in: 'ETH', token_out: 'USDG', amount_in: '1000' }
export const one: Body<'live_submit'> = { raw_tx: '0x02' }
export const several: Body<'live_submit'> = { raw_txs: ['0x02', '0x02'] }
export const revoke: Body<'live_prepare'> = { wallet: '0x', action: 'revoke', tokens: ['USDG'] }
export const start: Body<'live_session_grant'> = { wallet: '0x', executor: '0x', max_trade_usd: 3 }
export const finish: Body<'live_session_grant'> = { session_id: 's', delegation_signature: '0x' }
export const dca: Body<'hosted_create'> = {
  brain: 'dca',
  params: { usd: 10, side: 'buy' },
  interval_s: 900,
  pairs: ['ETH/USDG'],
  limits: { max_trade_usd: 25, max_day_usd: 100, max_position_usd: 250 },
}
export const grid: Body<'hosted_create'> = { ...dca, brain: 'grid', params: { levels: 5, start: 'filled' } }

export function readPlan(plan: Answer<'live_prepare'>): string {
  if ('nothing_to_revoke' in plan) return plan.note
  const { approval, wallet_state: wallet, permit, fee } = plan
  const signed = permit === null ? '' : `${permit.domain.verifyingContract} ${permit.message.details.amount}`
  const first = plan.steps[0]
  const spender = first && 'function' in first.decoded ? readCall(first.decoded) : ''
  const left = approval.after ?? approval.reason
  return [signed, spender, left, wallet.balance_in, wallet.permit.nonce, fee.command, plan.tx?.data].join()
}

/** Decoded calls narrow by `function`. */
function readCall(decoded: Exclude<Schemas['Step']['decoded'], Schemas['PermitMessage']>): string {
  switch (decoded.function) {
    case 'approve(address spender, uint256 amount)':
      return decoded.spender
    case 'execute(bytes commands, bytes[] inputs, uint256 deadline)':
      return decoded.commands.map(({ does }) => does).join()
    case 'execute(bytes32 mode, bytes executionCalldata)':
      return decoded.calls.map(({ kind }) => kind).join()
    default:
      return decoded.function
  }
}

export function readGrant(grant: Answer<'live_session_grant'>): string {
  if (grant.status === 'active') return grant.delegation_hash
  const { typed_data, binding } = grant.sign.delegation
  return `${typed_data.message.delegate} ${binding.limits.max_trades} ${grant.exposure.in_words.join()}`
}

export function readRows({ rows }: Answer<'league_standings'>): (string | number | null)[] {
  return rows.map((row) => (row.board === 'prize' ? row.wallet : row.equity))
}

export function readAgents({ agents }: Answer<'hosted_list'>): (string | number | undefined)[] {
  return agents.map((agent) => {
    if (agent.brain === 'webhook') return agent.params.url
    if (agent.brain === 'dca') return agent.params.side
    return agent.pnl?.basis === 'paper_book' ? agent.pnl.start_usd : agent.pnl?.flows.length
  })
}

export function readRefusal({ error }: Refusal<'live_prepare', 422>): readonly string[] {
  if (error.code === 'RISK_NOT_ACCEPTED') return error.unaccepted ?? []
  if (error.code === 'SIMULATION_FAILED') return [error.simulation?.error ?? error.message]
  return [error.code, error.message]
}

/** Fields that later versions add do not make an answer another type. */
export const health: Answer<'health'> = JSON.parse('{"status":"ok","more":1}') as Answer<'health'>
