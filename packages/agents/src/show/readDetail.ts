import type { Call } from '@pit/platform/call'
import type { Sql } from '@pit/platform/db'
import type { Answer } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import { findOwned } from '../findOwned.ts'
import { lastRefund, refundJson } from '../gas/refundStore.ts'
import { readStock, stockJson } from '../stock/stockStore.ts'
import { listAgents, type StoredAgent } from '../store.ts'
import { describeAgent } from './describe.ts'
import { type Around, readAround, readStandings } from './readAround.ts'
import type { Fall } from './results.ts'
import { holdsOf, isTrading } from './standing.ts'

export type Detail = Answer<'hosted.get'>

/** hosted: the wallet's agents, newest first. */
export async function listOwned(
  deps: HostedDeps,
  { caller }: Call<'hosted.list'>,
): Promise<Answer<'hosted.list'>> {
  const agents = await listAgents(deps.db, caller.key!.wallet!)
  const around = await readAround(deps, agents)
  return { agents: agents.map((agent) => describeAgent(deps, agent, around)) }
}

/** hosted/<id>. */
export async function getAgent(deps: HostedDeps, { params, caller }: Call<'hosted.get'>): Promise<Detail> {
  return readDetail(deps, await findOwned(deps, caller, params.id))
}

/** The wallet's agents as me/sessions lists them. */
export async function readMine(
  deps: HostedDeps,
  wallet: `0x${string}`,
): Promise<Answer<'me.sessions'>['hosted']> {
  const agents = await listAgents(deps.db, wallet)
  const { sessions, switched } = await readStandings(deps, agents)
  return agents.map((agent) => {
    const session = agent.sessionId === null ? null : (sessions.get(agent.sessionId) ?? null)
    return {
      id: agent.id,
      name: agent.name,
      status: agent.status,
      strategy: agent.brain,
      mode: agent.mode,
      live: agent.live,
      trading: isTrading(agent, holdsOf(agent, session, switched)),
      pairs: [...agent.pairs],
      session_id: agent.sessionId,
      pause_reason: agent.status === 'paused' ? agent.pauseReason : null,
    }
  })
}

export async function readDetail(deps: HostedDeps, agent: StoredAgent): Promise<Detail> {
  const [around, fall] = await Promise.all([
    readAround(deps, [agent]),
    agent.bookId === null ? null : readFall(deps.db, agent.bookId),
  ])
  return {
    ...describeAgent(deps, agent, around, fall),
    brain_state: agent.brainState,
    last_trade: agent.lastTrade,
    ...(agent.mode === 'live' && (await liveDetail(deps, agent, around))),
  }
}

type LiveDetail = Pick<
  Detail,
  | 'session_root_hash'
  | 'session_expires'
  | 'stock_attestation'
  | 'stock_attestation_not_before'
  | 'stock_tokens'
  | 'gas_refund'
  | 'executor_attestation'
>

async function liveDetail({ db }: HostedDeps, agent: StoredAgent, around: Around): Promise<LiveDetail> {
  const session = agent.sessionId === null ? null : (around.sessions.get(agent.sessionId) ?? null)
  const [stock, refund] = await Promise.all([readStock(db, agent.id), lastRefund(db, agent.id)])
  return {
    session_root_hash: session?.rootHash ?? null,
    session_expires: session?.expiresAtS ?? null,
    stock_attestation: stockJson(stock.last, { agent, session, nowS: around.nowS }),
    stock_attestation_not_before: stock.notBeforeS,
    stock_tokens: agent.tokens.flatMap(({ stock: isStock, token }) => (isStock ? [token] : [])),
    gas_refund: refund && refundJson(refund, { already: true }),
    executor_attestation: agent.executorAttestation && { ...agent.executorAttestation },
  }
}

/** The deepest fall of a book from a high before it; null while it was never valued. */
async function readFall(sql: Sql, bookId: number): Promise<Fall | null> {
  const [row] = await sql.query<{ fall: string; high: string }>(
    `select high - micro_usd as fall, high from (
       select micro_usd, max(micro_usd) over (order by minute_s) as high from paper_equity where book_id = $1
     ) as seen
     order by (high - micro_usd)::numeric / nullif(high, 0) desc nulls last limit 1`,
    [bookId],
  )
  return row ? { microUsd: BigInt(row.fall), fromMicroUsd: BigInt(row.high) } : null
}
