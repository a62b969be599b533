import { once } from 'node:events'
import { hostname } from 'node:os'
import { openAccount } from '@pit/accounts'
import { openAgentRegistry } from '@pit/agent-registry'
import {
  executorOwner,
  isExecutorOf,
  networkOf,
  openBrains,
  openHosted,
  openPaper,
  openTicks,
  sessionsInUse,
  walletsWithAgents,
} from '@pit/agents'
import { type AccountsInUse, divisionOf, openAuth } from '@pit/auth'
import { openHistory } from '@pit/history'
import { accountsEntered, isInLeague, openLeague, readStart } from '@pit/league'
import { openMarket, openTokens, watchMarket } from '@pit/market'
import { createSeal, openModels } from '@pit/models'
import { withinMs } from '@pit/platform/clock'
import { openRelay } from '@pit/relay'
import { createSessionGate, createSwitches, openSessions } from '@pit/sessions'
import { openFast, openTrade } from '@pit/trading'
import { openTreasury } from '@pit/treasury'
import type { Ground, Start } from './openGround.ts'
import { openAiTerms, openSealKey, openSigner, openVendorKeys } from './openSecrets.ts'

const MARKET_WAIT_MS = 10_000
const REFUND_WAIT_MS = 10_000

export type Capabilities = Awaited<ReturnType<typeof openCapabilities>>

/** Opens every capability on the ones below it, from the market up. */
export async function openCapabilities(ground: Ground, start: Start) {
  const { config, closing } = start
  const { submitEnabled } = config
  const { db, rpc, clock, profile } = ground
  const workerId = `${hostname()} ${process.pid}`
  const registry = openAgentRegistry({ rpc, profile })
  const auth = await openAuth({
    ...ground,
    config,
    ...(registry && { registry }),
    accountsInUse,
  })
  closing.add(() => auth.close())

  const market = await openMarketInTime(ground, start)
  const history = openHistory(ground)
  const account = openAccount({ ...ground, market, history })
  closing.add(() => account.close())
  const { tierBps, recordRefusal } = account
  const tokens = openTokens({ ...ground, market, majorBps: tierBps, screenPauseMs: config.screenPauseMs })
  closing.add(() => tokens.close())

  const gate = createSessionGate({ db, clock })
  const relay = openRelay({
    ...ground,
    market,
    submitEnabled,
    isPlainToken: tokens.isPlain,
    executorOf: gate.executorOf,
    sessionOpen: gate.isOpen,
    onMined: (trades) => sessions.mined(trades),
  })
  closing.add(() => relay.close())
  const { storePlan, storeRevocation, relayOnce, findRelayed, submitBytes } = relay

  const trade = openTrade({
    ...{ ...ground, market, tokens, tierBps, storePlan, storeRevocation, recordRefusal },
    devFields: config.devFields,
    vendorKeys: openVendorKeys(config.vendorKeys),
  })
  const fast = openFast({
    ...{ ...ground, market, account, relayOnce, findRelayed },
    simulator: trade.simulator,
    enabled: config.fastEnabled && submitEnabled,
  })
  closing.add(() => fast.close())

  const signer = openSigner(config.signer, clock)
  const switches = createSwitches({ db, clock })
  const sessions = openSessions({
    ...{ ...ground, market, tokens, trade, tierBps, storePlan, recordRefusal, signer },
    storeOwnerTxs: storeRevocation,
    hosted: { executorOwner, isExecutorOf, sessionsInUse },
  })
  closing.add(() => sessions.close())

  const sealKey = openSealKey(config.sealKey)
  const seal = sealKey && createSeal(sealKey, ground.randomBytes)
  const models = openModels({
    ...{ ...ground, seal },
    ai: openAiTerms(config.ai),
    networkOf: (agentId) => networkOf(db, agentId),
  })
  const brains = openBrains({ ...ground, seal, models })
  const paper = openPaper({ ...ground, market, history, quoteTrade: trade.quoteTrade })
  const league = openLeague({
    ...{ ...ground, vault: registry, paper, history },
    firstSeasonS: await readStart({ db, clock, profile, setting: config.leagueFirstSeason }),
    hosted: { agentOf: (id) => hosted.agentOf(id) },
    accounts: { divisionOf },
    domain: config.authDomain ?? new URL(config.publicUrl).host,
  })
  const ticks = openTicks({
    ...{ ...ground, market, tokens, brains, paper, sessions, signer, switches, tierBps, workerId },
    ...{ submitBytes, submitEnabled },
    equityHistory: history,
    practiceGate: league.practiceGate,
  })
  const hosted = openHosted({
    ...{
      ...ground,
      market,
      tokens,
      brains,
      switches,
      signer,
      sessions,
      paper,
      history,
      isInLeague,
      submitEnabled,
    },
    cosigner: sessions.cosigner,
    signerAnswers: sessions.signerAnswers,
    leaveLeague: league.leaveHosted,
    nextHolds: ticks.nextHolds,
    refundWaitMs: REFUND_WAIT_MS,
  })

  const treasury = openTreasury({
    ...ground,
    prizePayouts: league.prizePayouts,
    closeDelayS: config.treasuryCloseDelayH * 3_600,
  })
  return {
    ...{ auth, market, tokens, account, relay, trade, fast, sessions, brains, models, paper, hosted, ticks },
    ...{ league, treasury, signer, history, vault: registry },
  }
}

/** Agents and entries outlive the keys they were made with. */
const accountsInUse: AccountsInUse = async (sql, accounts) => {
  const entered = await accountsEntered(
    sql,
    accounts.map(({ id }) => id),
  )
  const owners = await walletsWithAgents(
    sql,
    accounts.map(({ wallet }) => wallet),
  )
  return new Set(accounts.flatMap(({ id, wallet }) => (entered.has(id) || owners.has(wallet) ? [id] : [])))
}

/** An unreachable chain delays the market, not the start: whatever needs it reports that. */
async function openMarketInTime(ground: Ground, { closing, stage, ending }: Start) {
  const market = await openMarket(ground)
  closing.add(() => market.close())
  watchMarket(ground.metrics, { market, clock: ground.clock })
  const inTime = await withinMs(
    MARKET_WAIT_MS,
    Promise.race([market.ready(), ending.aborted || once(ending, 'abort')]),
    () => new Error('late'),
  ).then(
    () => true,
    () => false,
  )
  const head = market.head()
  stage(
    inTime && head
      ? `market at block ${head.number}: ${market.poolCount()} pools and curves`
      : 'market still catching up with the chain',
  )
  return market
}
