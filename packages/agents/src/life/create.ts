import { createHash } from 'node:crypto'
import { type Address, bytesToHex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { type Brain, DAY_S, fail, HOSTED, LEAGUE, MICRO_USD_PER_USD, microUsdDown } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import type { AgentBrains, HostedDeps } from '../deps.ts'
import { addExecutor } from '../executors.ts'
import { writeLogs } from '../logs.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { newExecutor } from '../signer.ts'
import {
  countAgents,
  countMade,
  insertAgent,
  lockWallet,
  type NewAgent,
  readAgent,
  requestHashOf,
  type StoredAgent,
} from '../store.ts'
import { checkInterval, checkLimits } from '../terms/limits.ts'
import { readPairs } from '../terms/readPairs.ts'
import { checkTerms, normalTerms } from '../terms/riskTerms.ts'
import type { AgentLimits, AgentTerms, HostedAgent } from '../types.ts'

export interface CreateParams {
  by: Trader
  name: string | null
  brain: Brain
  params: Record<string, unknown>
  intervalS: number
  /** BASE/QUOTE, as the caller wrote them. */
  pairs: readonly string[]
  limits: AgentLimits
  terms: AgentTerms
  mode: HostedAgent['mode']
  /** A paper agent's start balance; null for the practice board's default. */
  startMicroUsd: bigint | null
  /** Set if the caller sent a client_id: a retry then returns the agent made first. */
  request: { clientId: string; hash: string } | null
  /** The caller's network: trials are counted per network. */
  network: string
  /** Called before a new token is screened. */
  admit(): Promise<void>
}

export interface Created {
  detail: AgentDetail
  /** Shown once, in the response that creates it; null for other brains. */
  webhookSecret: string | null
  ai: Awaited<ReturnType<AgentBrains['aiSummary']>> | null
  /** Reasons why its model would not be called; empty for other brains. */
  holds: Awaited<ReturnType<AgentBrains['aiHolds']>>
}

/**
 * A paper agent starts ticking immediately; a live one is paused until a session for its executor is
 * attached.
 */
export async function createAgent(deps: HostedDeps, input: CreateParams): Promise<Created> {
  const { mode, brain, intervalS, admit } = input
  const { wallet, keyId } = input.by
  const id = idOf(deps, input)
  const earlier = await readEarlier(deps.db, id, input)
  if (earlier) return describeCreated(deps, earlier)
  checkInterval(brain, intervalS)
  const params = deps.brains.readParams(brain, input.params, { intervalS, mode })
  const limits = checkLimits(input.limits)
  const startMicroUsd = bookStart(input)
  const terms = normalTerms(input.terms)
  checkTerms(terms)
  const pairs = await readPairs(deps, { pairs: input.pairs, mode, admit })
  deps.brains.checkPairs(brain, params, pairs.pairs)
  // Check early to avoid creating an unused key; checked again under the lock.
  refuseTooMany(await countAgents(deps.db, wallet))
  await refuseTooFast(deps.db, wallet, nowS(deps.clock))

  const webhook = brain === 'webhook' ? deps.brains.newWebhookSecret(id) : null
  const attested =
    mode === 'live' ? await newExecutor(deps, 'hosted.create', { agentId: id, owner: wallet }) : null
  const atS = nowS(deps.clock)
  const agent: Omit<NewAgent, 'bookId'> = {
    id,
    wallet,
    keyId,
    name: input.name?.normalize('NFC') ?? null,
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
    requestHash: input.request?.hash ?? null,
    madeFrom: input.network,
    createdAtS: atS,
  }
  const { stored, isNew } = await deps.db.transaction(async (sql) => {
    await lockWallet(sql, wallet)
    // A concurrent request may have won; both got the same key.
    const first = await readEarlier(sql, id, input)
    if (first) return { stored: first, isNew: false }
    refuseTooMany(await countAgents(sql, wallet))
    await refuseTooFast(sql, wallet, atS)
    await insertAgent(sql, { ...agent, bookId: await openBook(deps, sql, agent, startMicroUsd) })
    if (attested) await addExecutor(sql, attested, atS)
    await writeLogs(sql, created(deps, agent))
    return { stored: (await readAgent(sql, id))!, isNew: true }
  })
  return describeCreated(deps, stored, isNew ? webhook?.secret : undefined)
}

async function describeCreated(
  deps: HostedDeps,
  agent: StoredAgent,
  webhookSecret?: string,
): Promise<Created> {
  const isAi = agent.brain === 'partner_llm'
  return {
    detail: await readDetail(deps, agent),
    webhookSecret: webhookSecret ?? null,
    ai: isAi ? await deps.brains.aiSummary(agent) : null,
    holds: isAi ? await deps.brains.aiHolds(agent) : [],
  }
}

/**
 * With a client_id the id is derived from wallet and client_id, so that a retry does not create another
 * agent.
 */
function idOf({ randomBytes }: HostedDeps, { by, request }: CreateParams): string {
  if (request === null) return `agt_${bytesToHex(randomBytes(16)).slice(2)}`
  const digest = createHash('sha256').update(`${by.wallet} ${request.clientId}`).digest('hex')
  return `agt_${digest.slice(0, 32)}`
}

/** The agent an earlier request with the same client_id created; throws if that request was different. */
async function readEarlier(sql: Sql, id: string, { request }: CreateParams): Promise<StoredAgent | null> {
  const earlier = request && (await readAgent(sql, id))
  if (!earlier) return null
  if ((await requestHashOf(sql, id)) === request.hash) return earlier
  return fail('BAD_REQUEST', {
    field: 'client_id',
    message: '`client_id` was already used for another agent. Use a new one for each agent.',
  })
}

function refuseTooMany(agents: number): void {
  if (agents >= HOSTED.maxAgentsPerWallet) fail('TOO_MANY_AGENTS')
}

/** Deleted agents keep their book and executor, so creations are limited per day. */
const MAX_MADE_A_DAY = 500

async function refuseTooFast(sql: Sql, wallet: Address, atS: number): Promise<void> {
  const { made, firstAtS } = await countMade(sql, wallet, atS - DAY_S)
  if (made < MAX_MADE_A_DAY) return
  fail('RATE_LIMITED', {
    retryAfterS: Math.max(1, (firstAtS ?? atS) + DAY_S - atS),
    message: `A wallet can create at most ${MAX_MADE_A_DAY} agents a day.`,
  })
}

/** A paper agent's start balance; a live one trades its owner's balance. */
function bookStart({ mode, startMicroUsd }: CreateParams): bigint {
  if (mode === 'live' && startMicroUsd !== null) {
    fail('BAD_REQUEST', { field: 'paper_book', message: '`paper_book` is only valid for paper agents.' })
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
      : `Created paused. Grant a session to its executor ${executor} and attach it.`,
})
