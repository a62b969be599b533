import { defineConfig } from 'vitest/config'
import { SHORT_LIVED } from './packages/platform/test/shortLived.ts'
import { QUICK_ENV, SLOW_FILES, STORE_FILES, STORIES } from './scripts/tiers.mjs'

// `--mode quick` is the tier of `npm test`; without it every test runs. Unit tests are pure and parallel; tests that
// start processes wait for them much of the time, so two files run side by side. Those three projects are one group:
// a core would be idle at the end of each.
export default defineConfig(({ mode }) => {
  const isQuick = mode === 'quick'
  const slow = isQuick ? [...SLOW_FILES] : []
  const env = isQuick ? { ...QUICK_ENV } : {}
  return {
    test: {
      retry: 0,
      // Transforming TypeScript takes longer than most tests.
      experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
      // Polled conditions hold within milliseconds, or seconds on a loaded machine.
      expect: { poll: { timeout: 10_000 } },
      env,
      projects: [
        {
          extends: true,
          test: {
            name: 'unit',
            include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
            exclude: ['**/*.db.test.ts', '**/*.chain.test.ts', ...slow],
            // Pure: files share what they import, which otherwise takes longer than the tests.
            isolate: false,
            // Without this Vitest leaves one core idle.
            maxWorkers: '100%',
            // No limit on how fast: a loaded machine takes ten times as long for random rounds.
            testTimeout: 60_000,
          },
        },
        {
          extends: true,
          test: {
            name: 'db',
            include: isQuick ? [...STORE_FILES] : ['packages/*/src/**/*.db.test.ts'],
            globalSetup: ['scripts/storeTestSetup.ts'],
            maxWorkers: 2,
            // Each file starts on an empty store, so what is imported can be shared.
            isolate: false,
            execArgv: isQuick ? SHORT_LIVED : [],
            sequence: { groupOrder: 1 },
            testTimeout: 60_000,
            hookTimeout: 120_000,
          },
        },
        {
          extends: true,
          test: {
            name: 'chain',
            include: ['packages/*/src/**/*.chain.test.ts'],
            exclude: slow,
            maxWorkers: 2,
            sequence: { groupOrder: 1 },
            testTimeout: 120_000,
            hookTimeout: 120_000,
          },
        },
        {
          extends: true,
          test: {
            name: 'e2e',
            include: isQuick ? Object.values(STORIES) : ['e2e/**/*.test.ts'],
            globalSetup: ['scripts/testSetup.ts'],
            setupFiles: ['e2e/checkAnswers.ts'],
            // Each file starts its own processes, so what is imported can be shared.
            isolate: false,
            maxWorkers: 2,
            sequence: { groupOrder: 1 },
            testTimeout: 180_000,
            hookTimeout: 180_000,
          },
        },
      ],
    },
  }
})
