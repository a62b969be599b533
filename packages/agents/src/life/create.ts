import { type Address, bytesToHex } from '@pit/chain'
import type { Call } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { type Answer, fail, HOSTED, LEAGUE } from '@pit/protocol'
import { microUsdOf } from '@pit/trading'
import type { HostedDeps } from '../deps.ts'
import { addExecutor } from '../executors.ts'
import { writeLog } from '../logs.ts'
import { readDetail } from '../show/readDetail.ts'
import { newExecutor } from '../signer.ts'
import { countAgents, countMade, insertAgent, lockWallet, type NewAgent, readAgent } from '../store.ts'
import { checkInterval } from '../terms/interval.ts'
import { readLimits } from '../terms/limits.ts'
import { readPairs } from '../terms/readPairs.ts'
import { checkTerms, readTerms } from '../terms/riskTerms.ts'

type Body = Call<'hosted.create'>['body']

/** hosted: a paper agent ticks at once; a live one waits, paused, for a session of the executor made for it. */
export async function createAgent(
  deps: HostedDeps,
  { body, caller }: Call<'hosted.create'>,
): Promise<Answer<'hosted.create'>> {
  const key = caller.key ?? fail('WALLET_NOT_BOUND')
  const wallet = key.wallet ?? fail('WALLET_NOT_BOUND')
  const { mode, brain } = body
  checkInterval(brain, body.interval_s)
  const params = deps.brains.readParams(brain, body.params, { intervalS: body.interval_s, mode })
  const limits = readLimits(body.limits)
  const startMicroUsd = bookStart(body)
  const terms = readTerms(body)
  checkTerms(terms)
  const admit = () => deps.charge(caller, ['screen.caller', 'screen.overall'])
  const pairs = await readPairs(deps, { pairs: body.pairs, mode, admit })
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
    keyId: key.keyId,
    name: body.name ?? null,
    brain,
    params,
    intervalS: body.interval_s,
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
    await writeLog(sql, created(deps, agent))
    return (await readAgent(sql, id))!
  })
  return {
    ...(await readDetail(deps, stored)),
    ...(webhook && { webhook_secret: webhook.secret }),
    ...(brain === 'partner_llm' && { ai: await deps.brains.aiSummary(stored) }),
  }
}

function refuseTooMany(agents: number): void {
  if (agents >= HOSTED.maxAgentsPerWallet) fail('TOO_MANY_AGENTS')
}

/** A deleted agent leaves its book and its executor behind: making and deleting has to end somewhere. */
const MADE_IN_A_DAY = 500
const DAY_S = 86_400

async function refuseTooFast(sql: Sql, wallet: Address, atS: number): Promise<void> {
  const { made, firstAtS } = await countMade(sql, wallet, atS - DAY_S)
  if (made < MADE_IN_A_DAY) return
  fail('RATE_LIMITED', {
    retryAfterS: Math.max(1, (firstAtS ?? atS) + DAY_S - atS),
    message: `A wallet makes ${MADE_IN_A_DAY} agents a day at most.`,
  })
}

const LEAST_BOOK = microUsdOf(1)

/** What a paper agent starts with; a live one trades its owner's own. */
function bookStart({ mode, paper_book: book }: Body): bigint {
  if (mode === 'live' && book !== undefined) {
    fail('BAD_REQUEST', { field: 'paper_book', message: '`paper_book` is a paper agent’s.' })
  }
  const start = microUsdOf(book?.usdg ?? LEAGUE.practiceBookUsdg)
  if (start < LEAST_BOOK) {
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
