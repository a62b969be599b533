/** Wrong uses of types generated from the OpenAPI document, one per line: `types.test.ts`. */
import type { components, operations } from './api.ts'

type Schemas = components['schemas']
type Body<Op extends keyof operations> = operations[Op] extends {
  requestBody: { content: { 'application/json': infer Sent } }
}
  ? Sent
  : never
declare const plan: Schemas['SimulatedPlan']
declare const step: Schemas['Step']
declare const grant: Schemas['SessionPending'] | Schemas['SessionActive']
declare const prepared: Schemas['SimulatedPlan'] | Schemas['Revocation']
declare const row: Schemas['PrizeRow'] | Schemas['PracticeRow']
declare const agent: Schemas['HostedAgent']
declare const failed: Schemas['Error']
declare const refused: components['responses']['BAD_REQUEST_400']['content']['application/json']
declare const token: Schemas['Token']

const pair = { token_in: 'ETH', token_out: 'USDG' }
const live = { interval_s: 900, pairs: ['ETH/USDG'] }
const few = { max_trade_usd: 25 }
const limits = { max_trade_usd: 25, max_day_usd: 100, max_position_usd: 250 }

export const wrong = [
  // @ts-expect-error a typo in an answer
  plan.redy,
  // @ts-expect-error a typo in an object of an answer
  plan.approval.spnder,
  // @ts-expect-error a typo in what was read of the wallet
  plan.wallet_state.balance,
  // @ts-expect-error the permit is null when none is needed
  plan.permit.message,
  // @ts-expect-error a typo in the permit
  plan.permit?.message.details.amonut,
  // @ts-expect-error not every decoded call has a spender
  step.decoded.spender,
  // @ts-expect-error a signature has no transaction
  step.tx.data,
  // @ts-expect-error a value that no step has
  step.kind === 'aprove',
  // @ts-expect-error only an active session has its hash at the top
  grant.delegation_hash,
  // @ts-expect-error a status that no grant has
  grant.status === 'revoked',
  // @ts-expect-error a revocation has no route
  prepared.route,
  // @ts-expect-error a practice row has no wallet
  row.wallet,
  // @ts-expect-error a prize row is of the prize board
  row.board === 'prize' && row.equity,
  // @ts-expect-error only a webhook has a url
  agent.params.url,
  // @ts-expect-error a dca agent has no levels
  agent.brain === 'dca' && agent.params.levels,
  // @ts-expect-error an unknown brain
  agent.brain === 'oracle',
  // @ts-expect-error a code that does not exist
  failed.error.code === 'RISK_NOT_ACCEPTABLE',
  // @ts-expect-error an extra that does not exist
  failed.error.unacepted,
  // @ts-expect-error an extra of another code
  refused.error.diffs,
  // @ts-expect-error what a token's screen measured has names
  token.flags.honeypot,
]

// @ts-expect-error a size is missing
export const none: Body<'live_quote'> = pair
// @ts-expect-error two sizes
export const both: Body<'live_quote'> = { ...pair, notional_usd: 5, amount_in: '1' }
// @ts-expect-error an amount is a text
export const amount: Body<'live_quote'> = { ...pair, amount_in: 1 }
// @ts-expect-error one transaction or several
export const sent: Body<'live_submit'> = { raw_tx: '0x02', raw_txs: ['0x02'] }
// @ts-expect-error limits of a grant stand at the top
export const grant2: Body<'live_session_grant'> = { wallet: '0x', executor: '0x', limits: {} }
// @ts-expect-error a grant is started or finished
export const grant3: Body<'live_session_grant'> = { wallet: '0x', delegation_signature: '0x' }
// @ts-expect-error params of another brain
export const dca: Body<'hosted_create'> = { brain: 'dca', params: { url: 'https://a' }, ...live, limits }
// @ts-expect-error a typo in params
export const typo: Body<'hosted_create'> = { brain: 'dca', params: { us: 10 }, ...live, limits }
// @ts-expect-error a webhook needs its url
export const hook: Body<'hosted_create'> = { brain: 'webhook', params: {}, ...live, limits }
// @ts-expect-error a limit is missing
export const limit: Body<'hosted_create'> = { brain: 'dca', params: {}, ...live, limits: few }
