import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { afterAll, expect, it } from 'vitest'
import { openApi } from './openapi.ts'

const document = JSON.stringify(openApi({ version: '0.1.0', serverUrl: 'http://127.0.0.1:4663' }))
const folder = mkdtempSync(join(tmpdir(), 'pit-types-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Compiler errors of a program that uses the generated types, including unused @ts-expect-error. */
function faultsOf(...programs: string[]): string[] {
  const files = programs.map((name) => {
    copyFileSync(new URL(`../typeUses/${name}`, import.meta.url), join(folder, name))
    return join(folder, name)
  })
  const compiled = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts'],
    types: [],
    skipLibCheck: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  })
  return ts.getPreEmitDiagnostics(compiled).map(({ messageText, start, file: at }) => {
    const line = at && start !== undefined ? at.getLineAndCharacterOfPosition(start).line + 1 : 0
    return `${basename(at?.fileName ?? '')} ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}

it('generated types accept right uses and reject wrong ones', async () => {
  writeFileSync(join(folder, 'api.ts'), astToString(await openapiTS(document)))
  expect(faultsOf('rightUses.ts', 'wrongUses.ts')).toEqual([])
})

it('passes the OpenAPI linter, examples included', async () => {
  const config = await createConfig({
    rules: {
      struct: 'error',
      'no-unresolved-refs': 'error',
      'no-invalid-media-type-examples': 'error',
      'no-invalid-schema-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'operation-operationId-unique': 'error',
      'path-parameters-defined': 'error',
    },
  })
  const problems = await lintFromString({
    source: document,
    absoluteRef: join(folder, 'openapi.json'),
    config,
  })
  expect(problems.map(({ message, location }) => `${location[0]?.pointer ?? ''}: ${message}`)).toEqual([])
})
