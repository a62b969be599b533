import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { askBalances, askHeader, lastBlockBetween, needAll, readHoldings, readOne } from '@pit/platform/reads'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { type HeldToken, heldTokens } from '../books/heldTokens.ts'
import { lastSeen, type Sample, saveSamples } from '../books/seen.ts'
import type { TakeDeps } from '../books/takeTrades.ts'
import type { LeagueDeps } from '../deps.ts'
import { groupBy } from '../rules/groupBy.ts'
import type { StoredBalances } from '../rules/index.ts'
import { RULES, type SeasonSpan } from '../rules/index.ts'

/** The chain's clock may be behind ours: for this long a newer block may still be before the hour. */
const CLOCKS_APART_S = 60
/**
 * How long a refused read is retried; longer at the season's end, so an operator can configure another node.
 */
const RETRIED_S = 600
const RETRIED_AT_END_S = 86_400
/**
 * Balances per call for tokens with a mark, which are known contracts; others use smaller or single calls.
 */
const AT_ONCE = 200
const BOUND = { perRequest: 10, timeoutMs: 15_000 }

const KEPT_AT_ONCE = 24
const NOTHING: Sample['balances'] = new Map()

type SampleDeps = TakeDeps & Pick<LeagueDeps, 'profile'>

/**
 * Reads the balances of wallets at every past full hour of a season: all entrants of an hour at one block,
 * the last before it. Trades mined after an hour are taken only once it was sampled.
 */
export async function sampleBalances(deps: SampleDeps, span: SeasonSpan): Promise<void> {
  const { db, clock, logger } = deps
  const every = RULES.sampleEveryS
  const last = await lastSeen(db, span)
  const firstS = last.atS + every
  const lastS = Math.min(nowS(clock), span.endsAtS)
  if (firstS > lastS) return
  const heldAt = await heldTokens(db, span)
  const samples: Sample[] = []
  const keep = async () => {
    const batch = samples.splice(0)
    if (batch.length > 0) await db.transaction((sql) => saveSamples(sql, span.number, batch))
  }
  let before = last.block ?? 0
  try {
    for (let atS = firstS; atS <= lastS; atS += every) {
      const held = heldAt(atS)
      const sample =
        held.length === 0 ? { block: null, balances: NOTHING } : await look(deps, held, atS, before)
      if (!sample) return
      if ('refused' in sample) {
        if (nowS(clock) < atS + (atS === span.endsAtS ? RETRIED_AT_END_S : RETRIED_S)) throw sample.refused
        logger.warn({ err: sample.refused, atS }, 'balances of an hour cannot be read')
        samples.push({ atS, block: null, balances: NOTHING })
      } else {
        samples.push({ atS, ...sample })
        before = sample.block ?? before
      }
      if (samples.length >= KEPT_AT_ONCE) await keep()
    }
  } finally {
    await keep()
  }
}

type Look = Pick<Sample, 'block' | 'balances'> | { refused: Error }

/** Reads at the last block before an hour; null while a newer one may still be before it. */
async function look(
  deps: SampleDeps,
  held: readonly HeldToken[],
  atS: number,
  before: number,
): Promise<Look | null> {
  const { rpc, clock } = deps
  const head = await readOne(rpc, askHeader('latest'))
  if (!head) throw new Error('the node has no newest block')
  if (head.timestampS >= atS)
    return readAt(deps, held, await lastBlockBetween(rpc, atS, { before, notBefore: head.number }))
  return nowS(clock) < atS + CLOCKS_APART_S ? null : readAt(deps, held, head.number)
}

/** The wallets' balances at a block, or the node's refusal. Throws when it does not answer. */
async function readAt(deps: SampleDeps, held: readonly HeldToken[], block: number): Promise<Look> {
  const { rpc, assets, profile } = deps
  const multicall3 = profile.contracts.multicall3.toLowerCase() as Address
  const marked = held.filter(({ token }) => assets.decimals.has(token))
  const unmarked = [...groupBy(held, ({ token }) => token).values()].filter(
    ([first]) => !assets.decimals.has(first!.token),
  )
  const questions = []
  for (let at = 0; at < marked.length; at += AT_ONCE)
    questions.push(askBalances(multicall3, marked.slice(at, at + AT_ONCE), { block }))
  try {
    const amounts = (await needAll(rpc, questions, BOUND)).flat()
    // An unverified token never shares a call with another token.
    amounts.push(
      ...(await readHoldings({ rpc, multicall3 }, unmarked, { block, timeoutMs: BOUND.timeoutMs })),
    )
    const balances = new Map<number, StoredBalances>()
    for (const [i, { entryId, token }] of [...marked, ...unmarked.flat()].entries()) {
      const own = balances.get(entryId) ?? {}
      own[token] = amounts[i]?.toString() ?? null
      balances.set(entryId, own)
    }
    return { block, balances }
  } catch (error) {
    const isRefusal =
      error instanceof RpcError || (error instanceof RpcUnreachable && error.why === 'unreadable')
    if (!isRefusal) throw error
    return { refused: error }
  }
}
