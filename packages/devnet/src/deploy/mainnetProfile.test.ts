import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ChainProfile, checkWith } from '@pit/protocol'
import { getAddress, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { projectRoot } from '../compile.ts'
import { delegationAddresses } from './canonical.ts'
import { npmArtifact } from './npmArtifacts.ts'

const profile = JSON.parse(readFileSync(join(projectRoot(), 'profiles', 'mainnet.json'), 'utf8'))

test('the real chain’s profile fits the schema and says what it does not know', () => {
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

test('every address is spelled with its checksum', () => {
  const text = JSON.stringify(profile)
  for (const [address] of text.matchAll(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g))
    expect(getAddress(address)).toBe(address)
})
