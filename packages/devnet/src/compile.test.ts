import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COMMITTED, compileAnew, projectRoot } from './compile.ts'

it('matches the committed artifacts', { timeout: 180_000 }, () => {
  const { artifacts } = JSON.parse(readFileSync(join(projectRoot(), COMMITTED), 'utf8'))
  expect(artifacts).toEqual(compileAnew())
})
