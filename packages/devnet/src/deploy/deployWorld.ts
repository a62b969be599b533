import { type Address, getAddress, numberToHex } from 'viem'
import { compileContracts } from '../compile.ts'
import { publicAccounts } from '../engine/accounts.ts'
import type { Chain } from '../engine/types.ts'
import { type Acts, artifactOf, createActs, initCodeOf } from './acts.ts'
import { queueAgents, SANCTIONED_ADDRESS } from './agents.ts'
import { placeCanonical, placeDelegation } from './canonical.ts'
import { planCorePools } from './corePools.ts'
import { queueCoreTokens, STOCKS } from './coreTokens.ts'
import { queueCurveBuys, queueCurves, queueLaunchpad } from './curves.ts'
import { queueExchanges } from './exchanges.ts'
import { queueFeeds, queueRounds } from './feeds.ts'
import { ACCOUNT_ETH_WEI, queueFunding } from './funding.ts'
import { queueGallery } from './gallery.ts'
import { HALF_HOUR_OF_OBSERVATIONS, queueHistoryTrade, queueObservationRoom } from './history.ts'
import { queueHooks } from './hooks.ts'
import { queueLongTail } from './longTail.ts'
import { queuePons, queuePonsBuys, queuePonsLaunches } from './pons.ts'
import { queuePool } from './pools.ts'
import { buildProfile, TREASURY_BUCKETS } from './profile.ts'
import { createRandom } from './random.ts'
import { createTransactions } from './transactions.ts'
import type { World } from './world.ts'

export interface WorldOptions {
  seed?: number
  /** Seconds of history: blocks are mined from genesis on for this long, so that a TWAP has one. */
  historyS?: number
  longTail?: number
  curves?: number
  graduated?: number
}

/** Open the chain with its genesis this long ago, and the world is up to date when it is deployed. */
export const HISTORY_S = 2_400
const TRADE_EVERY_S = 90n
/** Far enough from the last round to force a publication: feeds move by half a percent or more. */
const FIRST_ROUND_BPS = -60n
const BUILDER_ETH_WEI = 1_000_000n * 10n ** 18n
const BUILDER_WETH_WEI = 200_000n * 10n ** 18n

/**
 * Deploys everything onto a fresh chain: real contracts, fixtures, a market with a history. Deterministic by
 * seed.
 */
export async function deployWorld(chain: Chain, options: WorldOptions = {}): Promise<World> {
  const started = performance.now()
  const artifacts = await compileContracts()
  const accounts = publicAccounts().map(({ address }) => getAddress(address))
  const deployer = accounts[0]!
  const beginS = chain.head().timestampS
  const firstBlock = chain.head().number
  const txs = await createTransactions(chain, deployer)

  await placeCanonical(chain)
  await placeDelegation(chain, txs, deployer)
  const exchanges = queueExchanges(txs, deployer)
  const tokenCode = txs.create('CloneToken', artifactOf(artifacts, 'CloneToken').bytecode)
  const builder = txs.create(
    'WorldBuilder',
    initCodeOf(artifactOf(artifacts, 'WorldBuilder'), [
      exchanges.v2_factory,
      exchanges.v3_factory,
      exchanges.v4_pool_manager,
      tokenCode,
    ]),
  )
  await txs.mineAll(beginS + 1n)
  await chain.admin('hardhat_setBalance', [builder, numberToHex(BUILDER_ETH_WEI)])

  const acts = createActs(artifacts, txs, builder)
  const random = createRandom(options.seed ?? 4663)
  const hooks = await queueHooks(artifacts, acts, exchanges.v4_pool_manager)
  acts.call('IWETH', exchanges.weth, 'deposit', [], 80_000n, BUILDER_WETH_WEI)
  const core = queueCoreTokens(artifacts, acts, exchanges.weth)
  const { assets } = core
  const feeds = queueFeeds(acts)
  queueRounds(acts, feeds, assets, { atS: beginS + 1n, movedBps: FIRST_ROUND_BPS })
  const pools = planCorePools(assets, exchanges, hooks)
  for (const plan of pools.plans) queuePool(acts, plan)
  queueObservationRoom(acts, exchanges, pools.partnerPool, HALF_HOUR_OF_OBSERVATIONS)
  const gallery = queueGallery(artifacts, acts, { assets, exchanges, hooks })
  const launchpad = queueLaunchpad(acts, {
    assets,
    exchanges,
    tokenCode,
    treasury: TREASURY_BUCKETS.treasury,
  })
  const pons = queuePons(acts, {
    assets,
    exchanges,
    hook: hooks.pons,
    tokenCode,
    treasury: TREASURY_BUCKETS.treasury,
  })
  const longTail = queueLongTail(acts, { assets, exchanges, tokenCode, random }, options.longTail ?? 140)
  const creators = accounts.slice(1)
  const curves = queueCurves(
    acts,
    { assets, tokenCode, random, at: launchpad, creators },
    options.curves ?? 90,
    options.graduated ?? 6,
  )
  const ponsTokens = queuePonsLaunches(acts, { assets, tokenCode, at: pons, creators })
  const { registries, agents } = queueAgents(acts, { assets, tokenCode, accounts })
  queueFunding(acts, assets, accounts)
  acts.pack()
  await txs.mineAll(beginS + 2n)

  const historyS = BigInt(options.historyS ?? HISTORY_S)
  const curveTokens = queueCurveBuys(acts, curves)
  queuePonsBuys(acts, assets, ponsTokens)
  acts.pack()
  await txs.mineAll(beginS + 60n)
  const trade = () => queueHistoryTrade(acts, { assets, exchanges, random, plan: pools.partnerPool })
  const lastRound = () => queueRounds(acts, feeds, assets, { atS: beginS + historyS, movedBps: 0n })
  await passTime(acts, txs, { beginS, historyS, trade, lastRound })
  await chain.admin('hardhat_setBalance', [deployer, numberToHex(ACCOUNT_ETH_WEI)])

  return {
    profile: buildProfile({
      assets,
      feeds,
      exchanges,
      hooks,
      pins: pools.pins,
      launchpads: [
        { kind: 'pit', factory: launchpad.launchpad },
        { kind: 'pons', factory: pons.factory },
      ],
      registries,
      stock_beacon: core.stock_beacon,
    }),
    gallery: gallery.specimens,
    agents,
    accounts,
    longTail: [...longTail, ...curveTokens],
    builder,
    feeds,
    stocks: Object.fromEntries(
      STOCKS.map(({ symbol }): [string, Address] => [symbol, assets[symbol].address]),
    ),
    hooks,
    registries,
    launchpad,
    pons: { ...pons, tokens: ponsTokens },
    upgradeable: { token: gallery.specimens['upgradeable']!.address, ...gallery.implementations },
    sanctioned: SANCTIONED_ADDRESS,
    stats: {
      gasUsed: txs.gasUsed().toString(),
      blocks: Number(chain.head().number - firstBlock),
      bootMs: Math.round(performance.now() - started),
    },
  }
}

/** Trades in the pinned pool until the history is complete, then a round of the feeds. */
async function passTime(
  acts: Acts,
  txs: Awaited<ReturnType<typeof createTransactions>>,
  past: {
    beginS: bigint
    historyS: bigint
    trade: () => void
    lastRound: () => void
  },
): Promise<void> {
  const endS = past.beginS + past.historyS
  for (let atS = past.beginS + 60n + TRADE_EVERY_S; atS < endS; atS += TRADE_EVERY_S) {
    past.trade()
    acts.pack()
    await txs.mineAll(atS)
  }
  past.lastRound()
  acts.pack()
  await txs.mineAll(endS)
}
