import { defineConfig } from 'vitest/config'

// Unit tests are pure and parallel; the others start real processes or an EVM, so files run one after another.
export default defineConfig({
  test: {
    retry: 0,
    globalSetup: ['scripts/testSetup.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: ['**/*.db.test.ts', '**/*.chain.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: ['packages/*/src/**/*.db.test.ts'],
          fileParallelism: false,
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
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
