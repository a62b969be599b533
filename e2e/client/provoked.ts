import type { Hex } from '@pit/chain'
import type { PitClient, Rpc } from '@pit/client'
import { RISK_CODES } from '@pit/protocol'
import { THIEF } from './lies.ts'

// biome-ignore lint/suspicious/noExplicitAny: lies reach into answers of every shape
export type Any = any
/** Changes an answer before the client reads it; a returned number is its new status. */
export type Tell = (path: string, body: Any) => unknown

/** A situation or a lie for one error of the contract. */
export interface Provoked {
  code: string
  rule?: string
  why: string
  /** Index of a devnet account, default 5; `poor` has no approvals and little ETH. */
  account?: number | 'poor'
  tell?: Tell
  /** Request that the lying server handles instead of the client's. */
  asks?(path: string, body: Any): void
  /** A fault of the client's node. */
  node?(real: Rpc): Rpc
  run(
    client: PitClient,
    others: { trader: PitClient; pins: PitClient['pins']; hooked: Hex; thin: Hex },
  ): Promise<unknown>
}

const request = { token_in: 'ETH', token_out: 'USDG', notional_usd: 20 }
const trade: Provoked['run'] = (client) => client.trade(request)
const onPlan =
  (change: (plan: Any) => void): Tell =>
  (path, body) => {
    if (path === 'live/prepare' && 'steps' in body) change(body)
  }
const at =
  (where: string, change: (body: Any) => unknown): Tell =>
  (path, body) =>
    path === where ? change(body) : undefined
const inCall = (plan: Any, change: (data: string) => string) => {
  plan.tx.data = change(plan.tx.data)
  plan.steps.at(-1).tx.data = plan.tx.data
}
/** The third word after the selector is the router call's deadline. */
const withDeadline = (data: string, s: number) =>
  data.slice(0, 138) + s.toString(16).padStart(64, '0') + data.slice(202)
const fast =
  (terms: { token_in: string; token_out: string; usd: number }): Provoked['run'] =>
  (client) =>
    client.fastTrade(terms, { fallback: false })
const fastEth = fast({ token_in: 'ETH', token_out: 'USDG', usd: 20 })

/** A node with changed answers to one method. */
const node =
  (method: string, change: (answer: Any, params: Any) => unknown): NonNullable<Provoked['node']> =>
  (real) => ({
    async all(calls, signal) {
      const answers = await real.all(calls, signal)
      return answers.map((answer, i) => {
        const call = calls[i]!
        return call.method === method && answer ? change(answer, call.params) : answer
      })
    },
  })

const RULES: Provoked[] = [
  {
    code: 'VERIFICATION_FAILED',
    rule: 'RECIPIENT',
    why: 'another contract is called',
    tell: onPlan((plan) => {
      plan.tx.to = THIEF
      plan.steps.at(-1).tx.to = THIEF
    }),
    run: trade,
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'MIN_OUT',
    why: 'another minimum',
    tell: onPlan((plan) => (plan.amount_out_min = '1')),
    run: trade,
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'FEE_CLASS',
    why: 'another class',
    tell: onPlan((plan) => (plan.fee_class = 'other')),
    run: trade,
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'FEE_BPS',
    why: 'another fee',
    tell: onPlan((plan) => (plan.fee_bps = 99)),
    run: trade,
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'FEE_BPS',
    why: 'another fee in fast mode',
    tell: at('live/fast/terms', (body) => (body.fee.bps = 90)),
    run: fastEth,
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'RISK_CODES',
    why: 'an unknown risk',
    tell: onPlan((plan) => plan.risks.push({ code: 'FINE', severity: 'info', message: 'No risk.' })),
    run: trade,
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'RISK_NOT_ACCEPTED',
    why: 'a severe risk',
    tell: onPlan((plan) =>
      plan.risks.push({ code: 'HONEYPOT', severity: 'severe', message: 'It cannot be sold.' }),
    ),
    run: trade,
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'QUOTE_OWN',
    why: 'a promise above the delivered amount',
    tell: onPlan((plan) => (plan.amount_out_expected = `${plan.amount_out_expected}0`)),
    run: trade,
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'PRICE',
    why: 'a deadline in a year, so that the relayer can choose the moment',
    tell: onPlan((plan) => inCall(plan, (data) => withDeadline(data, 2_000_000_000))),
    run: trade,
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'V4_HOOKS',
    why: 'a hook that was neither accepted nor disclosed',
    asks: (path, body) => {
      if (path === 'live/prepare') body.accept_risks = RISK_CODES
    },
    tell: onPlan((plan) => (plan.risks = plan.risks.filter(({ code }: Any) => code !== 'UNKNOWN_HOOK'))),
    run: (client, { hooked }) =>
      client.trade({
        token_in: 'ETH',
        token_out: hooked,
        notional_usd: 10,
        accept_risks: RISK_CODES.filter((code) => code !== 'UNKNOWN_HOOK'),
      }),
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'IMPACT_OWN',
    why: 'an impact that is not disclosed',
    tell: onPlan((plan) => (plan.risks = plan.risks.filter(({ code }: Any) => code !== 'HIGH_PRICE_IMPACT'))),
    run: (client, { thin }) =>
      client.trade({ token_in: 'ETH', token_out: thin, notional_usd: 9_000, accept_risks: [...RISK_CODES] }),
  },
  {
    code: 'VERIFICATION_FAILED',
    rule: 'EXECUTOR_ATTESTATION',
    why: 'an executor without the co-signer’s attestation',
    tell: at('hosted', (body) => (body.executor = THIEF)),
    run: (client) =>
      client.hosted.create({
        brain: 'dca',
        params: { usd: 6 },
        interval_s: 3_600,
        pairs: ['ETH/USDG'],
        mode: 'live',
        limits: { max_trade_usd: 20, max_day_usd: 60, max_position_usd: 10_000 },
      }),
  },
]

const CODES: Provoked[] = [
  {
    code: 'FAST_PAIR',
    why: 'a pair without a pinned route',
    run: fast({ token_in: 'ETH', token_out: 'PARTNER', usd: 5 }),
  },
  {
    code: 'STALE',
    why: 'unreadable terms',
    tell: at('live/fast/terms', (body) => {
      for (const field of Object.keys(body)) delete body[field]
      return 502
    }),
    run: fastEth,
  },
  {
    code: 'APPROVAL',
    account: 'poor',
    why: 'a token that Permit2 may not take',
    run: fast({ token_in: 'USDG', token_out: 'ETH', usd: 5 }),
  },
  {
    code: 'POOL_FAR',
    why: 'a pool at half the price',
    node: node('eth_call', (answer, [{ to }]) => (isQuoter(to) ? halved(answer) : answer)),
    run: fastEth,
  },
  {
    code: 'ROUTE_CAP',
    why: 'more than a route’s cap',
    run: fast({ token_in: 'ETH', token_out: 'USDG', usd: 1_000_000 }),
  },
  {
    code: 'MARKS_DIFFER',
    why: 'prices that differ on the client’s node',
    tell: at('stats', (body) => {
      for (const asset of body.assets) asset.mark = asset.mark && asset.mark * 1.1
    }),
    run: fastEth,
  },
  {
    code: 'COOLDOWN',
    why: 'a second attempt right after a price refusal',
    asks: (path, body) => {
      if (path === 'live/fast') body.min_out = '1'
    },
    // The refused trade is final at once: its deadline of 45 s has passed on this node.
    node: node('eth_getBlockByNumber', (block) => ({
      ...block,
      timestamp: `0x${(Math.floor(Date.now() / 1000) + 55).toString(16)}`,
    })),
    async run(client) {
      await client
        .fastTrade({ token_in: 'ETH', token_out: 'USDG', usd: 5 }, { fallback: false })
        .catch(() => {})
      return fastEth(client, undefined as never)
    },
  },
  {
    code: 'CONFIG_MISMATCH',
    why: 'a fee recipient that is not pinned',
    tell: at('config', (body) => (body.fee.recipient = THIEF)),
    run: (client) => client.checkConfig(),
  },
  {
    code: 'HASH_MISMATCH',
    why: 'another hash than the signed one',
    tell: at('live/submit', (body) => (body.tx_hash = `0x${'1'.repeat(64)}`)),
    run: trade,
  },
  {
    code: 'MINED_MISMATCH',
    why: 'a receipt that shows half of the minimum',
    node: node('eth_getTransactionReceipt', (receipt) => ({
      ...receipt,
      logs: receipt.logs.map((log: Any) => ({ ...log, data: halved(log.data) })),
    })),
    run: trade,
  },
  {
    code: 'TX_REVERTED',
    why: 'another trade comes first, and no slippage is allowed',
    run(client, { trader, thin }) {
      const buy = { token_in: 'ETH', token_out: thin, notional_usd: 10, accept_risks: [...RISK_CODES] }
      const confirm = async () => (await trader.trade({ ...buy, notional_usd: 50 })).receipt.block > 0
      return client.trade({ ...buy, slippage_bps: 0 }, { confirm })
    },
  },
  {
    code: 'INSUFFICIENT_FUNDS',
    account: 'poor',
    why: 'too little ether',
    run: (client) => client.trade({ ...request, notional_usd: 9_999 }),
  },
  {
    code: 'ACCOUNT_WALLET',
    why: 'another wallet’s portfolio',
    tell: at('me/portfolio', (body) => (body.wallet = THIEF)),
    run: (client) => client.portfolio(),
  },
  {
    code: 'ACCOUNT_SHAPE',
    why: 'nobody’s portfolio',
    tell: at('me/portfolio', (body) => delete body.wallet),
    run: (client) => client.portfolio(),
  },
  {
    code: 'LEAGUE_STATEMENT',
    account: 1,
    why: 'a statement with an added line',
    tell: at('league/statement', (body) => (body.message += '\nI give everything away.')),
    run: (client) =>
      client.league.enter({
        agentId: '2',
        board: 'prize',
        kind: 'wallet',
        entrant: client.address,
        domain: 'pit.test',
      }),
  },
  {
    code: 'SIGNING_MISMATCH',
    why: 'a text that is not a sign-in message',
    tell: at('auth/challenge', (body) => (body.message = 'I give everything away.')),
    run: (client) => client.signIn(),
  },
  {
    code: 'REFUND_TO',
    why: 'gas sent to another address',
    tell: at('hosted/a1/refund-gas', (body) => {
      delete body.error
      Object.assign(body, {
        id: 'a1',
        to: THIEF,
        raw: '0x02',
        value_wei: '1',
        tx_hash: `0x${'1'.repeat(64)}`,
      })
      return 200
    }),
    run: (client) => client.hosted.refundGas('a1'),
  },
  {
    code: 'MIN_NOTIONAL',
    why: 'the server’s refusal keeps its code',
    run: (client) => client.trade({ ...request, notional_usd: 0.5 }),
  },
]

export const PROVOKED: readonly Provoked[] = [...RULES, ...CODES]

/** Set once the profile is loaded. */
let quoters: ReadonlySet<string> = new Set()
export function knowQuoters(addresses: readonly string[]): void {
  quoters = new Set(addresses.map((address) => address.toLowerCase()))
}
const isQuoter = (to: string): boolean => quoters.has(to.toLowerCase())
const halved = (data: string): string => {
  const first = BigInt(data.slice(0, 66)) / 2n
  return `0x${first.toString(16).padStart(64, '0')}${data.slice(66)}`
}
