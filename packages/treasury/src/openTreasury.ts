import type { Address } from '@pit/chain'
import { lookUntil, nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { CapabilityJobs } from '@pit/platform/jobs'
import type { Metrics } from '@pit/platform/monitoring'
import { askHeader, createLogSpan, readOne } from '@pit/platform/reads'
import { countOpen } from '@pit/relay'
import type { AnswerDeps, PrizePayouts } from './buildAnswer.ts'
import { type CloseRequest, type Closing, closeNextWeek, RecordBroken } from './closeWeek.ts'
import { platformWalletOf, type TreasuryDeps } from './deps.ts'
import { readState, type TreasuryState } from './readState.ts'
import { readTransfers, type TransferRequest } from './readTransfer.ts'
import { recordTransfer } from './recordTransfer.ts'
import { MAX_BLOCKS, scanChain } from './scan/scanChain.ts'
import { insertEnd, lastEnd, readScan } from './scan/scanStore.ts'
import { createSharedRecord } from './sharedRecord.ts'
import { type Standing, watchTreasury } from './watchTreasury.ts'

/** Weeks recorded per run: a year's. */
const MAX_WEEKS = 60
const RUN_EVERY_MS = 10_000
const RUN_IDLE_MS = 60_000
const OPEN_TRADES_WAIT_MS = 10_000
/** A transaction that is not mined after this time is not waited for. */
const PENDING_S = 60

export class EarlyCloseRefused extends Error {
  override readonly name = 'EarlyCloseRefused'
}

export interface Treasury {
  /** The public record, as JSON text. */
  record(): Promise<string>
  /** Continues the chain scan, then records every week that has ended and agrees. Can run late or twice. */
  closeDueWeeks(): Promise<Closing[]>
  /**
   * Closes a week for the operator: `accept` accepts differences, `early` ends the running week (devnet
   * only).
   */
  closeWeek(request: CloseWeekRequest): Promise<Closing>
  recordTransfer(request: Parameters<typeof recordTransfer>[1]): ReturnType<typeof recordTransfer>
  state(): Promise<TreasuryState>
  jobs: CapabilityJobs
}

export interface CloseWeekRequest {
  accept: string | null
  /** Transactions that moved the week's shares; the chain is read before anything is recorded. */
  transfers?: readonly TransferRequest[]
  early: boolean
  alongside?(sql: Sql, closing: Closing): Promise<void>
}

export type TreasuryOptions = TreasuryDeps & {
  /** From the league. */
  prizePayouts?(): Promise<PrizePayouts>
  /** Seconds the job leaves an ended week to the operator, who can record it with its transfers. */
  closeDelayS?: number
  metrics?: Pick<Metrics, 'registry'>
}

export function openTreasury({
  prizePayouts = async () => [],
  closeDelayS = 0,
  metrics,
  ...deps
}: TreasuryOptions): Treasury {
  const { db, clock, profile, logger } = deps
  const wallet = platformWalletOf(profile)
  const isDevnet = profile.kind === 'devnet'
  const answerDeps: AnswerDeps = { ...deps, prizePayouts }
  const { read, forget } = createSharedRecord(answerDeps)
  // Kept for the process lifetime: after a slow range the next request asks for half of it.
  const span = createLogSpan({ max: MAX_BLOCKS })
  /** The last reason logged for a waiting week, so that it is logged once. */
  let lastReason = ''

  /** Null before the first run. */
  let standing: Standing | null = null
  if (metrics) watchTreasury(metrics, () => standing)

  async function closeDueWeeks(): Promise<Closing[]> {
    if (wallet === null) return []
    try {
      const closings = await closeAll(wallet)
      const waits = closings.some(({ kind }) => kind === 'waits')
      standing = { broken: false, waits }
      return closings
    } catch (error) {
      if (error instanceof RecordBroken) standing = { broken: true, waits: standing?.waits ?? false }
      throw error
    }
  }

  async function closeAll(wallet: Address): Promise<Closing[]> {
    await scanChain({ ...deps, wallet, span })
    const closings: Closing[] = []
    while (closings.length < MAX_WEEKS) {
      const closing = await closeNextWeek(deps, {
        wallet,
        accept: null,
        delayS: closeDelayS,
        unsettledToo: !isDevnet,
      })
      if (closing.kind === 'nothing due') break
      closings.push(closing)
      logClosing(closing)
      if (closing.kind === 'waits') break
      forget()
    }
    return closings
  }

  function logClosing(closing: Closing): void {
    if (closing.kind === 'closed') {
      const { seq, hash, week } = closing.row
      logger.info({ seq, hash, week: week.label }, 'a treasury week is recorded')
    } else if (closing.kind === 'waits' && lastReason !== `${closing.label}: ${closing.why}`) {
      lastReason = `${closing.label}: ${closing.why}`
      logger.warn({ week: closing.label, why: closing.why }, 'a treasury week waits')
    }
  }

  async function closeWeek({ accept, transfers = [], early, alongside }: CloseWeekRequest): Promise<Closing> {
    if (wallet === null) throw new EarlyCloseRefused('this chain’s profile names no platform wallet')
    if (early && !isDevnet) throw new EarlyCloseRefused('a week is closed early on a devnet only')
    const sent = await readTransfers(deps, transfers)
    const request = { wallet, accept, unsettledToo: !isDevnet, ...(alongside ? { alongside } : {}) }
    const close = async (own: CloseRequest) => {
      const closing = await closeNextWeek(deps, own)
      if (closing.kind === 'closed') forget()
      return closing
    }
    if (!early) {
      await scanChain({ ...deps, wallet, span })
      return close({ ...request, sent })
    }
    const end = await endAtHead(wallet)
    // Earlier due weeks are recorded first.
    for (;;) {
      const closing = await close(request)
      if (closing.kind === 'waits') return closing
      if (closing.kind === 'nothing due') return close({ ...request, sent, end })
    }
  }

  /**
   * Scans up to the head once the running week's trades are settled; returns the function that ends the week
   * there.
   */
  async function endAtHead(of: NonNullable<typeof wallet>): Promise<NonNullable<CloseRequest['end']>> {
    const head = await readOne(deps.rpc, askHeader('latest'))
    if (!head) throw new EarlyCloseRefused('the node has no blocks')
    const atS = nowS(clock)
    const young = { sinceS: atS - PENDING_S, beforeS: atS + 1, unsettledToo: false }
    const open = await lookUntil(clock, () => countOpen(db, young), {
      holds: (count) => count === 0,
      withinMs: OPEN_TRADES_WAIT_MS,
      everyMs: 200,
    })
    if (open > 0) throw new EarlyCloseRefused('trades are still pending: try again in a minute')
    await scanChain({ ...deps, wallet: of, span }, { to: head })
    return async (sql) => {
      const scan = await readScan(sql, of)
      if (!scan || scan.block < head.number)
        throw new EarlyCloseRefused('the chain is not read up to its head yet: try again in a while')
      const last = await lastEnd(sql, of)
      const endS = Math.max(head.timestampS + 1, (last?.endS ?? scan.firstS) + 1)
      await insertEnd(sql, { wallet: of, endS, lastBlock: Math.max(head.number, last?.lastBlock ?? 0) })
    }
  }

  return {
    record: read,
    closeDueWeeks,
    closeWeek,
    async recordTransfer(request) {
      const row = await recordTransfer(deps, request)
      forget()
      return row
    },
    state: () => readState(deps),
    jobs: {
      everywhere: [],
      worker: [
        {
          name: 'close treasury weeks',
          intervalMs: RUN_EVERY_MS,
          idleMs: RUN_IDLE_MS,
          maxRetryMs: RUN_EVERY_MS,
          run: closeDueWeeks,
        },
      ],
    },
  }
}
