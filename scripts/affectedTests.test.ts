import { expect, it } from 'vitest'
import { affectedTests, withinBudget } from './affectedTests.mjs'

const exportsOf = { '@pit/a': { '.': './src/index.ts', './test/*': './test/*.ts', './*': './src/*.ts' } }
const files = new Map(
  Object.entries({
    'packages/a/src/index.ts': `export { one, type Shape } from './one.ts'
export { two as second } from './two.ts'
export * from './deep/index.ts'`,
    'packages/a/src/one.ts': 'export const one = 1\nexport interface Shape {}',
    'packages/a/src/two.ts': "import { one } from './one.ts'\nexport const two = one + 1",
    'packages/a/src/deep/index.ts': "export { three } from './three.ts'\nexport { four } from './four.ts'",
    'packages/a/src/deep/three.ts': 'export const three = 3',
    'packages/a/src/deep/four.ts': 'export const four = 4',
    'packages/a/src/lazy.ts': 'export const lazy = 0',
    'packages/a/test/helper.ts': 'export const help = 0',
    'packages/a/src/one.test.ts': "import { one } from './one.ts'",
    'packages/a/src/two.test.ts': "import {\n  second,\n} from '@pit/a'",
    'packages/a/src/three.db.test.ts': "import { three } from '@pit/a'",
    'packages/a/src/types.test.ts':
      "import type { Shape } from '@pit/a'\nimport { type Shape as S } from './one.ts'",
    'e2e/space.test.ts': "import * as a from '@pit/a'",
    'e2e/lazy.test.ts': "const { lazy } = await import('@pit/a/lazy')",
    'e2e/side.test.ts': "import '@pit/a/test/helper'\n// import { three } from '@pit/a'",
  }),
)
const affected = (...changed: string[]) => affectedTests({ files, changed, exportsOf })

it('follows imports of values across files and packages', () => {
  expect(affected('packages/a/src/one.ts')).toEqual([
    'packages/a/src/one.test.ts',
    'packages/a/src/two.test.ts',
  ])
  expect(affected('packages/a/src/two.ts')).toEqual(['packages/a/src/two.test.ts'])
})

it('follows a name through barrels to its file alone', () => {
  expect(affected('packages/a/src/deep/three.ts')).toEqual(['packages/a/src/three.db.test.ts'])
  expect(affected('packages/a/src/deep/four.ts')).toEqual([])
})

it('counts a changed barrel for each of its importers', () => {
  expect(affected('packages/a/src/index.ts')).toEqual([
    'packages/a/src/three.db.test.ts',
    'packages/a/src/two.test.ts',
    'e2e/space.test.ts',
  ])
})

it('follows dynamic imports and imports for their effect, but no comment', () => {
  expect(affected('packages/a/src/lazy.ts')).toEqual(['e2e/lazy.test.ts'])
  expect(affected('packages/a/test/helper.ts')).toEqual(['e2e/side.test.ts'])
})

it('includes a changed test itself, unless it was deleted', () => {
  expect(affected('packages/a/src/types.test.ts', 'packages/a/src/gone.test.ts')).toEqual([
    'packages/a/src/types.test.ts',
  ])
})

it('lists tests of the changed package first, then by the number of imports between', () => {
  const chain = new Map(
    Object.entries({
      'packages/a/src/base.ts': 'export const base = 1',
      'packages/a/src/middle.ts': "import { base } from './base.ts'\nexport const middle = base",
      'packages/a/src/a.test.ts': "import { middle } from './middle.ts'",
      'packages/a/src/z.test.ts': "import { base } from './base.ts'",
      'e2e/near.test.ts': "import { base } from '../packages/a/src/base.ts'",
    }),
  )
  const changed = ['packages/a/src/base.ts']
  expect(affectedTests({ files: chain, changed, exportsOf: {} })).toEqual([
    'packages/a/src/z.test.ts',
    'packages/a/src/a.test.ts',
    'e2e/near.test.ts',
  ])
})

it('runs the nearest tests that fit the budget, and a changed test always', () => {
  const tests = ['a.test.ts', 'b.db.test.ts', 'c.test.ts', 'e2e/d.test.ts', 'e2e/e.test.ts']
  expect(withinBudget(tests, { budgetS: 4, required: ['e2e/e.test.ts'] })).toEqual([
    'a.test.ts',
    'c.test.ts',
    'e2e/e.test.ts',
  ])
  expect(withinBudget(tests, { budgetS: 1_000, required: [] })).toEqual(tests)
})
