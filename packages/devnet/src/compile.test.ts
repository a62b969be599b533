import { expect, it } from 'vitest'
import { compileAnew, compileContracts } from './compile.ts'

it('has committed exactly what the compiler makes of the sources', { timeout: 180_000 }, async () => {
  expect(compileAnew()).toEqual(await compileContracts())
})
