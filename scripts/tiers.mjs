// Which tests run when. `npm test` runs the quick tier (vitest --mode quick): it needs Node alone and at most four
// minutes on two cores. `npm run test:all` runs every test.

/** Quick tier: one end-to-end story per capability. */
export const STORIES = {
  trading: 'e2e/tradingStory.test.ts',
  fast: 'e2e/fast.test.ts',
  session: 'e2e/sessionStory.test.ts',
  agents: 'e2e/hostedStory.test.ts',
  league: 'e2e/leagueStory.test.ts',
  treasury: 'e2e/treasury.test.ts',
  client: 'e2e/client/clientStory.test.ts',
  market: 'e2e/marketState.test.ts',
}

/** Quick tier: store tests of each package's main tables. `test:all` runs all store tests, on PostgreSQL. */
export const STORE_FILES = [
  'packages/accounts/src/portfolio.db.test.ts',
  'packages/agents/src/paper/paper.db.test.ts',
  'packages/agents/src/run/leases.db.test.ts',
  'packages/agents/src/run/nextHolds.db.test.ts',
  'packages/agents/src/run/queue.db.test.ts',
  'packages/agents/src/run/resume.db.test.ts',
  'packages/auth/src/auth.db.test.ts',
  'packages/history/src/history.db.test.ts',
  'packages/league/src/books/books.db.test.ts',
  'packages/league/src/entries/entries.db.test.ts',
  'packages/market/src/pools/checkpoint.db.test.ts',
  'packages/market/src/pools/emptyPools.db.test.ts',
  'packages/market/src/tokens/tokens.db.test.ts',
  'packages/models/src/money/ledger.db.test.ts',
  'packages/platform/src/cache/sharedTexts.db.test.ts',
  'packages/platform/src/db/db.db.test.ts',
  'packages/platform/src/db/migrate.db.test.ts',
  'packages/platform/src/jobs/leases.db.test.ts',
  'packages/relay/src/receipts/ledger.db.test.ts',
  'packages/relay/src/relayOnce.db.test.ts',
  'packages/relay/src/submitBytes.db.test.ts',
  'packages/relay/src/twoStep.db.test.ts',
  'packages/server/src/fleet/joinFleet.db.test.ts',
  'packages/server/src/main.db.test.ts',
  'packages/server/src/operator/operator.db.test.ts',
  'packages/server/src/routes/hostedCreate.db.test.ts',
  'packages/server/src/routes/myTrades.db.test.ts',
  'packages/server/src/routes/sessionGrant.db.test.ts',
  'packages/server/src/routes/sessionTrade.db.test.ts',
  'packages/sessions/src/switches.db.test.ts',
  'packages/sessions/src/trade/tradeInSession.db.test.ts',
  'packages/signer/src/executors/attestStock.db.test.ts',
  'packages/signer/src/ledger/ledger.db.test.ts',
  'packages/signer/src/main.db.test.ts',
  'packages/signer/src/roots/storedSessions.db.test.ts',
  'packages/trading/src/plan/pendingPermits.db.test.ts',
  'packages/treasury/src/record.db.test.ts',
  'packages/treasury/src/weeks.db.test.ts',
  'packages/treasury/src/weekTransfers.db.test.ts',
]

/** Not in the quick tier: these take longest for what they cover. */
export const SLOW_FILES = [
  // Runs the Solidity compiler; `npm run generated` compares the hash of the sources.
  'packages/devnet/src/compile.test.ts',
  // The embedded store under kill -9; thousands of pools.
  'packages/platform/src/db/pglite.db.test.ts',
  'packages/market/src/pools/syncPools.db.test.ts',
  'packages/devnet/src/devnet.chain.test.ts',
  'packages/devnet/src/engine/kill.chain.test.ts',
  'packages/devnet/src/engine/simulateDifferential.chain.test.ts',
  'packages/devnet/src/engine/rotation.chain.test.ts',
  'packages/devnet/src/market/openMarket.chain.test.ts',
  // Key derivation is slow by design; packages/signer/src/main.db.test.ts opens a key file.
  'packages/signer/src/keys/openKeyFile.test.ts',
  // Pack and compile whole programs.
  'scripts/pack/clientPackage.test.ts',
  'scripts/deploy.test.ts',
  'scripts/reproduce.test.ts',
  // Many rows or long histories.
  'packages/league/src/standings/eligibility.db.test.ts',
  'packages/server/src/growth.db.test.ts',
  'packages/server/src/year.db.test.ts',
]

/**
 * Quick tier: the embedded store alone, a twentieth of the random rounds of unit tests, and no tests marked
 * `itInFull` (packages/platform/test/tier.ts).
 */
export const QUICK_ENV = { STORES: 'embedded', ROUNDS_SHARE: '0.05', TIER: 'quick' }

/** Whether a test file belongs to the quick tier. */
export const isQuick = (file) =>
  isShort(file) && (!file.endsWith('.db.test.ts') || STORE_FILES.includes(file))

/** Whether a test file is short enough to run after each change. */
export const isShort = (file) =>
  file.startsWith('e2e/') ? Object.values(STORIES).includes(file) : !SLOW_FILES.includes(file)
