import type { Address } from '@pit/chain'
import type { Point } from '@pit/history'
import type { CapabilityJobs } from '@pit/platform/jobs'
import type { HistoryRange } from '@pit/protocol'
import type { AccountDeps } from './deps.ts'
import { listTrades, type TradesPage, type TradesRequest } from './listTrades.ts'
import { createPortfolioReader, type ReadPortfolio } from './readPortfolio.ts'
import { createVolumeReader } from './readVolume.ts'
import { createRefusalLog, type Refusal } from './refusalLog.ts'
import { createWalletSampler, walletSeries } from './sampleWallets.ts'
import { createTokenTexts } from './tokenTexts.ts'

export interface Account {
  listTrades(request: TradesRequest): Promise<TradesPage>
  readPortfolio: ReadPortfolio
  /** Value of the wallet over time, in micro-dollars. */
  valueHistory(wallet: Address, range: HistoryRange): Promise<Point[]>
  /** The wallet's rate for major trades by its 30-day volume; the posted rate without a wallet. */
  tierBps(wallet: Address | null): Promise<number>
  /** Queues a refused call for a batch write; never waits and never throws. */
  recordRefusal(refusal: Refusal): void
  /** Deletes expired refused calls; returns how many. */
  sweep(): Promise<number>
  jobs: CapabilityJobs
  close(): Promise<void>
}

/** A wallet's trades, holdings and fee tier. Paid fees are not shown. */
export function openAccount(deps: AccountDeps): Account {
  const texts = createTokenTexts(deps)
  const volumes = createVolumeReader(deps)
  const refusals = createRefusalLog({ ...deps, texts })
  return {
    listTrades: (request) => listTrades({ ...deps, texts }, request),
    readPortfolio: createPortfolioReader({ ...deps, texts, volumes }),
    async valueHistory(wallet, range) {
      const series = walletSeries(wallet)
      return (await deps.history.read([series], range)).get(series) ?? []
    },
    tierBps: volumes.tierBps,
    recordRefusal: refusals.record,
    sweep: refusals.sweep,
    jobs: {
      everywhere: refusals.jobs.everywhere,
      worker: [...refusals.jobs.worker, createWalletSampler({ ...deps, texts })],
    },
    close: refusals.close,
  }
}
