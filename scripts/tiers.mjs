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
  'scripts/buildClient.test.ts',
  'scripts/deploy.test.ts',
  // Many rows or long histories, which the embedded store takes several times as long for as PostgreSQL.
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
  file.startsWith('e2e/') ? Object.values(STORIES).includes(file) : !SLOW_FILES.includes(file)
