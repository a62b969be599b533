import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@pit/platform/clock'
import { afterAll, expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { openAiTerms, openSealKey, openSigner, openVendorKeys } from './openSecrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'pit-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const HEX = 'ab'.repeat(32)

it('reads the sealing key as text or from a file', () => {
  const file = join(folder, 'seal-key')
  writeFileSync(file, `${HEX}\n`, { mode: 0o600 })
  expect(openSealKey(readConfig({}).sealKey)).toBeNull()
  expect(openSealKey(readConfig({ SEAL_KEY: HEX }).sealKey)).toEqual(Buffer.from(HEX, 'hex'))
  expect(openSealKey(readConfig({ SEAL_KEY_FILE: file }).sealKey)).toEqual(Buffer.from(HEX, 'hex'))
})

it('rejects a file that other users can read', () => {
  const file = join(folder, 'open-key')
  writeFileSync(file, HEX, { mode: 0o600 })
  chmodSync(file, 0o644)
  for (const open of [
    () => openSealKey(readConfig({ SEAL_KEY_FILE: file }).sealKey),
    () => openAiTerms(readConfig({ AI_POOL_KEY_FILE: file }).ai),
    () => openSigner(readConfig({ SIGNER_SECRET_FILE: file }).signer, systemClock),
  ])
    expect(open).toThrow(`${file} is open to other users (mode 0644)`)
})

it('rejects a malformed key without showing it', () => {
  const secret = 'hunter2hunter2'
  expect(() => openSealKey(readConfig({ SEAL_KEY: secret }).sealKey)).toThrow(
    /^SEAL_KEY is not 32 bytes of hex$/,
  )
  expect(() => openSealKey(readConfig({ SEAL_KEY_FILE: join(folder, 'none') }).sealKey)).toThrow('ENOENT')
  expect(() => readConfig({ SEAL_KEY: HEX, SEAL_KEY_FILE: 'x' })).toThrow('use one')
  expect(() => openAiTerms(readConfig({ AI_POOL_KEY: 'a b' }).ai)).toThrow(/^AI_POOL_KEY is malformed$/)
})

it('turns the pool off without a key, and reads its dollars in micro-dollars', () => {
  expect(openAiTerms(readConfig({}).ai)).toMatchObject({ poolKey: null, dayMicroUsd: 50_000_000n })
  const terms = openAiTerms(
    readConfig({ AI_POOL_KEY: 'pk-service-1', AI_POOL_TRIAL_USD: '0.29', AI_POOL_TRIALS: '0' }).ai,
  )
  expect(terms).toMatchObject({ poolKey: 'pk-service-1', trialShareMicroUsd: 290_000n, trialsOpen: false })
})

it('reads vendors’ keys by kind, and names only the kind of a wrong one', () => {
  const open = (text: string) => openVendorKeys(readConfig({ VENDOR_KEYS: text }).vendorKeys)
  expect(open('')).toEqual({})
  expect(open('0x=key=of-ours, uniswap=another-key')).toEqual({ '0x': 'key=of-ours', uniswap: 'another-key' })
  for (const wrong of [
    'secret-key-alone',
    'odos=secret-key',
    'kyberswap=secret-key',
    'constructor=secret-key',
  ]) {
    expect(() => open(`0x=key-of-ours,${wrong}`)).toThrow(
      /^VENDOR_KEYS: pair 2 is not for a known vendor: use (?!.*secret)/,
    )
  }
  expect(() => open('0x=short')).toThrow(/^VENDOR_KEYS: the key of 0x is malformed$/)
  const file = join(folder, 'vendor-keys')
  writeFileSync(file, '0x=key-of-ours\nlifi=another-key\n', { mode: 0o600 })
  expect(openVendorKeys(readConfig({ VENDOR_KEYS_FILE: file }).vendorKeys)).toEqual({
    '0x': 'key-of-ours',
    lifi: 'another-key',
  })
})
