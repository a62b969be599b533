import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ChainProfile, checkWith } from '@pit/protocol'
import { getAddress, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { projectRoot } from '../compile.ts'
import { delegationAddresses } from './canonical.ts'
import { npmArtifact } from './npmArtifacts.ts'

const profile = JSON.parse(readFileSync(join(projectRoot(), 'profiles', 'mainnet.json'), 'utf8'))

test('the real chain’s profile matches the schema and lists its unknown values', () => {
  expect(checkWith(ChainProfile, profile)).toEqual({ ok: true })
  expect(profile.kind).toBe('mainnet')
  expect(profile.notes.join(' ')).toMatch(/checked against the live chain/)
})

test('it stays with the packages it was read from', () => {
  const { delegation_manager, stateless_delegator, enforcers } = delegationAddresses()
  expect(profile.delegation).toEqual({ version: '1.3.0', delegation_manager, stateless_delegator, enforcers })
  expect(profile.contracts.v2_pair_init_code_hash).toBe(keccak256(npmArtifact.v2Pair().bytecode))
  expect(profile.contracts.v3_pool_init_code_hash).toBe(keccak256(npmArtifact.v3Pool().bytecode))
})

test('every address has its checksum', () => {
  const text = JSON.stringify(profile)
  for (const [address] of text.matchAll(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g))
    expect(getAddress(address)).toBe(address)
})

/** Every value with its path; tokens go by their symbol. */
function* leaves(value: unknown, path: string): Generator<{ path: string; value: unknown }> {
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && value.length === 0)) {
    yield { path, value }
    return
  }
  if (Object.keys(value).length === 0) yield { path, value }
  for (const [key, inner] of Object.entries(value)) {
    const name = (inner as { symbol?: string } | null)?.symbol ?? key
    yield* leaves(inner, path === '' ? name : `${path}.${name}`)
  }
}

const { notes: _notes, sources, ...stated } = profile as ChainProfile
const sourceOf = (path: string) =>
  Object.entries(sources).find(([named]) => path === named || path.startsWith(`${named}.`))?.[1]

test('every value has a source and confidence, and every null names what is off because of it', () => {
  for (const { path, value } of leaves(stated, '')) {
    const source = sourceOf(path)
    expect(source, path).toBeDefined()
    const isNothing = value === null || (typeof value === 'object' && Object.keys(value).length === 0)
    const hasValue = path.startsWith('market_holidays') || !isNothing
    if (hasValue) expect(source, path).toMatch(/; (high|medium)|our choice/)
    else expect(source, path).toMatch(/^(unknown|none named)/)
  }
})

test('no source refers to a missing value, unless it is marked unknown', () => {
  const paths = [...leaves(stated, '')].map(({ path }) => path)
  for (const [named, source] of Object.entries(sources)) {
    const isThere = paths.some((path) => path === named || path.startsWith(`${named}.`))
    expect(isThere || source.startsWith('unknown'), named).toBe(true)
  }
})
