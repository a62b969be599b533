import { type Address, bytesToHex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { type Brain, fail, HOSTED, LEAGUE, MICRO_USD_PER_USD, microUsdDown } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import type { AgentBrains, HostedDeps } from '../deps.ts'
import { addExecutor } from '../executors.ts'
import { writeLogs } from '../logs.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { newExecutor } from '../signer.ts'
import { countAgents, countMade, insertAgent, lockWallet, type NewAgent, readAgent } from '../store.ts'
import { checkInterval, checkLimits } from '../terms/limits.ts'
import { readPairs } from '../terms/readPairs.ts'
import { checkTerms, normalTerms } from '../terms/riskTerms.ts'
import type { AgentLimits, AgentTerms, HostedAgent } from '../types.ts'

export interface CreateAsk {
  by: Trader
  name: string | null
  brain: Brain
  params: Record<string, unknown>
  intervalS: number
  /** BASE/QUOTE, as they were named. */
  pairs: readonly string[]
  limits: AgentLimits
  terms: AgentTerms
  mode: HostedAgent['mode']
  /** What a paper agent starts with; null: what the practice board's entrants do. */
  startMicroUsd: bigint | null
  /** Before a token not seen before is screened. */
  admit(): Promise<void>
}

export interface Created {
  detail: AgentDetail
  /** Shown once; null for other brains. */
  webhookSecret: string | null
  ai: Awaited<ReturnType<AgentBrains['aiSummary']>> | null
}

/** A paper agent ticks at once; a live one waits, paused, for a session of the executor made for it. */
export async function createAgent(deps: HostedDeps, ask: CreateAsk): Promise<Created> {
  const { mode, brain, intervalS, admit } = ask
  const { wallet, keyId } = ask.by
  checkInterval(brain, intervalS)
  const params = deps.brains.readParams(brain, ask.params, { intervalS, mode })
  const limits = checkLimits(ask.limits)
  const startMicroUsd = bookStart(ask)
  const terms = normalTerms(ask.terms)
  checkTerms(terms)
  const pairs = await readPairs(deps, { pairs: ask.pairs, mode, admit })
  deps.brains.checkPairs(brain, params, pairs.pairs)
  // Before a key is made for nothing; what counts is counted again under the lock.
  refuseTooMany(await countAgents(deps.db, wallet))
  await refuseTooFast(deps.db, wallet, nowS(deps.clock))

  const id = `agt_${bytesToHex(deps.randomBytes(16)).slice(2)}`
  const webhook = brain === 'webhook' ? deps.brains.newWebhookSecret(id) : null
  const attested =
    mode === 'live' ? await newExecutor(deps, 'hosted.create', { agentId: id, owner: wallet }) : null
  const atS = nowS(deps.clock)
  const agent: Omit<NewAgent, 'bookId'> = {
    id,
    wallet,
    keyId,
    name: ask.name,
    brain,
    params,
    intervalS,
    ...pairs,
    limits,
    terms,
    mode,
    live: false,
    ...(mode === 'paper'
      ? { status: 'active', pauseReason: null, nextTickMs: deps.clock.nowMs() }
      : { status: 'paused', pauseReason: { code: 'NEW' }, nextTickMs: null }),
    sessionId: null,
    executor: attested?.executor ?? null,
    executorAttestation: attested?.attestation ?? null,
    webhookSecret: webhook?.sealed ?? null,
    createdAtS: atS,
  }
  const stored = await deps.db.transaction(async (sql) => {
    await lockWallet(sql, wallet)
    refuseTooMany(await countAgents(sql, wallet))
    await refuseTooFast(sql, wallet, atS)
    await insertAgent(sql, { ...agent, bookId: await openBook(deps, sql, agent, startMicroUsd) })
    if (attested) await addExecutor(sql, attested, atS)
    await writeLogs(sql, created(deps, agent))
    return (await readAgent(sql, id))!
  })
  return {
    detail: await readDetail(deps, stored),
    webhookSecret: webhook?.secret ?? null,
    ai: brain === 'partner_llm' ? await deps.brains.aiSummary(stored) : null,
  }
}

function refuseTooMany(agents: number): void {
  if (agents >= HOSTED.maxAgentsPerWallet) fail('TOO_MANY_AGENTS')
}

/** A deleted agent leaves its book and its executor behind: making and deleting has to end somewhere. */
const MAX_MADE_A_DAY = 500
const DAY_S = 86_400

async function refuseTooFast(sql: Sql, wallet: Address, atS: number): Promise<void> {
  const { made, firstAtS } = await countMade(sql, wallet, atS - DAY_S)
  if (made < MAX_MADE_A_DAY) return
  fail('RATE_LIMITED', {
    retryAfterS: Math.max(1, (firstAtS ?? atS) + DAY_S - atS),
    message: `A wallet makes ${MAX_MADE_A_DAY} agents a day at most.`,
  })
}

/** What a paper agent starts with; a live one trades its owner's own. */
function bookStart({ mode, startMicroUsd }: CreateAsk): bigint {
  if (mode === 'live' && startMicroUsd !== null) {
    fail('BAD_REQUEST', { field: 'paper_book', message: '`paper_book` is a paper agent’s.' })
  }
  const start = startMicroUsd ?? microUsdDown(LEAGUE.practiceBookUsdg)
  if (start < MICRO_USD_PER_USD) {
    fail('BAD_REQUEST', { field: 'paper_book.usdg', message: '`paper_book.usdg` must be at least 1.' })
  }
  return start
}

async function openBook(
  { paper }: HostedDeps,
  sql: Sql,
  { id, mode, createdAtS }: Pick<NewAgent, 'id' | 'mode' | 'createdAtS'>,
  startMicroUsd: bigint,
): Promise<number | null> {
  if (mode === 'live') return null
  return paper.openBook(sql, { owner: `hosted:${id}`, startMicroUsd, atS: createdAtS })
}

const created = ({ clock }: HostedDeps, { id, mode, executor }: Omit<NewAgent, 'bookId'>) => ({
  agentId: id,
  tick: null,
  atMs: clock.nowMs(),
  kind: 'state' as const,
  code: 'CREATED',
  message:
    mode === 'paper'
      ? 'Created: it trades on paper from now on.'
      : `Created paused: grant a session to its executor ${executor} and attach it.`,
})
