import type { Answer } from '@pit/protocol'
import { many, words } from '@pit/ui'
import { amountOf, type Facts, labelOf } from './tokens.ts'
import type { Wanted } from './wanted.ts'

/** One feed of what happened to a wallet: trades, holds, wanted signatures and sessions. */

export type ActivityKind = 'trade' | 'hold' | 'approval' | 'session'
export interface Activity {
  /** The same event has the same id in every reading. */
  id: string
  atS: number
  kind: ActivityKind
  title: string
  detail: string
  tone: 'plain' | 'up' | 'down' | 'warn' | 'accent'
  /** A page with more about it. */
  href: string | null
  txHash: string | null
  /** How often it happened in a row. */
  times: number
}

type Trade = Answer<'me.trades'>['trades'][number]
type Session = Answer<'me.sessions'>['sessions'][number]
type LogRow = Answer<'hosted.logs'>['rows'][number]

export interface AgentEvents {
  id: string
  name: string
  holds: readonly LogRow[]
  /** Newest first. */
  wanted: readonly Wanted[]
}
export interface ActivitySources {
  trades: readonly Trade[]
  sessions: readonly Session[]
  agents: readonly AgentEvents[]
  /** Of the trades' tokens. */
  facts: Facts
  nowS: number
}

/** Newest first; signatures that are still wanted come before everything else. */
export function activityFrom({ trades, sessions, agents, facts, nowS }: ActivitySources): Activity[] {
  const events = [
    ...trades.map((trade) => fromTrade(trade, facts)),
    ...sessions.flatMap((session) => fromSession(session, nowS)),
    ...agents.flatMap((agent) => inRows(agent.holds.map((row) => fromHold(agent, row)))),
  ].sort((a, b) => b.atS - a.atS || a.id.localeCompare(b.id))
  return [...agents.flatMap((agent) => fromWanted(agent, nowS)), ...events]
}

const TRADE_TONES = {
  mined: 'up',
  reverted: 'down',
  refused: 'warn',
  dropped: 'warn',
  pending: 'plain',
} as const
const TRADE_WORDS = {
  mined: 'Traded',
  reverted: 'Reverted',
  refused: 'Refused',
  dropped: 'Not mined',
  pending: 'Waiting for a block',
} as const

function fromTrade({ id, time, status, code, tx_hash, ...trade }: Trade, facts: Facts): Activity {
  const { token_in, token_out, amount_in, amount_out, path, session_id } = trade
  const by = path === 'hosted' ? 'by an agent' : session_id ? 'by a session' : 'by your wallet'
  return {
    id: `trade ${id} ${status}`,
    atS: time,
    kind: 'trade',
    title: `${TRADE_WORDS[status]}: ${labelOf(facts, token_in.address)} for ${labelOf(facts, token_out.address)}`,
    detail: [
      amount_out === null
        ? amountOf(facts, amount_in, token_in.address)
        : `${amountOf(facts, amount_in, token_in.address)} → ${amountOf(facts, amount_out, token_out.address)}`,
      by,
      ...(code ? [words(code)] : []),
    ].join(', '),
    tone: TRADE_TONES[status],
    href: tx_hash === null ? null : `/tx/${tx_hash}`,
    txHash: tx_hash,
    times: 1,
  }
}

function fromSession({ session_id, status, created, expires, tokens }: Session, nowS: number): Activity[] {
  const base = { kind: 'session', href: '/sessions', txHash: null, times: 1 } as const
  const detail = `For ${tokens.map((token) => token.slice(0, 16)).join(', ')}`
  const granted: Activity = {
    ...base,
    id: `session ${session_id} granted`,
    atS: created,
    title: status === 'pending' ? 'Session not signed yet' : 'Session granted',
    detail,
    tone: status === 'pending' ? 'warn' : 'accent',
  }
  if (status !== 'expired' && expires > nowS) {
    // The time of a revocation is not in the list.
    return status === 'revoked' ? [{ ...granted, title: 'Session granted, revoked since' }] : [granted]
  }
  const ended: Activity = {
    ...base,
    id: `session ${session_id} expired`,
    atS: expires,
    title: 'Session expired',
    detail,
    tone: 'plain',
  }
  return [granted, ended]
}

function fromHold({ id, name }: AgentEvents, row: LogRow): Activity {
  return {
    id: `hold ${id} ${row.id}`,
    atS: row.ts,
    kind: 'hold',
    title: `${name}: ${row.code ? words(row.code) : words(row.kind)}`,
    detail: (row.message ?? '').slice(0, 300),
    tone: row.kind === 'error' ? 'down' : 'warn',
    href: `/agents/${id}`,
    txHash: null,
    times: 1,
  }
}

/** Repeated holds of an agent as one event, with the newest time and the oldest id. */
function inRows(events: readonly Activity[]): Activity[] {
  const rows: Activity[] = []
  for (const event of events) {
    const last = rows.at(-1)
    if (last && last.title === event.title)
      rows[rows.length - 1] = { ...last, id: event.id, times: last.times + 1 }
    else rows.push(event)
  }
  return rows
}

/** One line for each agent, with the id of its newest signature, so that another one is a new event. */
function fromWanted({ id, name, wanted }: AgentEvents, nowS: number): Activity[] {
  const [newest] = wanted
  if (!newest) return []
  const isOne = wanted.length === 1
  return [
    {
      id: `approval ${newest.id}`,
      atS: nowS,
      kind: 'approval',
      title: `${name} waits for ${isOne ? 'your signature' : many(wanted.length, 'signature')}`,
      detail: `${isOne ? 'A trade is' : 'These trades are'} above what its session may trade unsigned.`,
      tone: 'accent',
      href: `/agents/${id}`,
      txHash: null,
      times: 1,
    },
  ]
}
