import { readFileSync } from 'node:fs'
import { parseSanctions } from '@pit/platform/sanctions'
import { expect, it } from 'vitest'
import { refuseSampleList } from './sampleList.ts'

it('rejects the sample list off a devnet, and no other list', () => {
  const sample = parseSanctions(readFileSync('data/sanctions.txt', 'utf8'))
  const start = (kind: 'devnet' | 'mainnet', list: ReadonlySet<string>) =>
    refuseSampleList({ kind, name: 'real' }, { isSanctioned: (address) => list.has(address) })
  expect(() => start('mainnet', sample)).toThrow('SANCTIONS_FILE is the nearly empty sample')
  start('devnet', sample)
  start('mainnet', new Set(['0x098b716b8aaf21512996dc57eb0615e2383e2f96']))
})
