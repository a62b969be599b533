import { defineConfig } from 'vitest/config'

// Unit tests are pure and parallel. The engine's own tests need the machine to themselves; those that start processes
// wait for them much of the time, so two files run side by side.
export default defineConfig({
  test: {
    retry: 0,
    // What is waited for comes within milliseconds, or a loaded machine's seconds.
    expect: { poll: { timeout: 10_000 } },
    globalSetup: ['scripts/testSetup.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/*.test.ts'],
          exclude: ['**/*.db.test.ts', '**/*.chain.test.ts'],
          // Pure: files share what they import, which otherwise takes longer than the tests.
          isolate: false,
          // No limit on how fast: a loaded machine takes ten times as long for random rounds.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: ['packages/*/src/**/*.db.test.ts'],
          globalSetup: ['scripts/storeTestSetup.ts'],
          maxWorkers: 2,
          // Each file starts on an empty store, so what is imported can be shared.
          isolate: false,
          sequence: { groupOrder: 2 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'chain',
          include: ['packages/*/src/**/*.chain.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          setupFiles: ['e2e/checkAnswers.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
