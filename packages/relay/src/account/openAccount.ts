import type { Address } from '@pit/chain'
import type { AccountDeps } from './deps.ts'
import { listTrades, type TradesPage, type TradesRequest } from './listTrades.ts'
import { createPortfolioReader, type ReadPortfolio } from './readPortfolio.ts'
import { createVolumeReader } from './readVolume.ts'
import { createRefusalLog, type Refusal, type RefusalLog } from './refusalLog.ts'
import { createTokenTexts } from './tokenTexts.ts'

export interface Account {
  listTrades(request: TradesRequest): Promise<TradesPage>
  readPortfolio: ReadPortfolio
  /** The wallet's rate for major trades by its 30-day volume; without a wallet the posted one. */
  tierBps(wallet: Address | null): Promise<number>
  /** Keeps a refused call, later and in bulk; never waits and never throws. */
  recordRefusal(refusal: Refusal): void
  /** Deletes refused calls that are past their time; answers how many. */
  sweep(): Promise<number>
  jobs: RefusalLog['jobs']
  close(): Promise<void>
}

/** What a wallet did, holds and pays. Nothing of it shows a fee that was paid. */
export function openAccount(deps: AccountDeps): Account {
  const texts = createTokenTexts(deps)
  const volumes = createVolumeReader(deps)
  const refusals = createRefusalLog({ ...deps, texts })
  return {
    listTrades: (request) => listTrades({ ...deps, texts }, request),
    readPortfolio: createPortfolioReader({ ...deps, texts, volumes }),
    tierBps: volumes.tierBps,
    recordRefusal: refusals.record,
    sweep: refusals.sweep,
    jobs: refusals.jobs,
    close: refusals.close,
  }
}
