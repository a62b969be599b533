import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCrypto, delegationHash, delegationSigner } from '@pit/chain'
import { StartRefused } from '@pit/platform/settings'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { grant, PINS } from '../../test/kit.ts'
import { readSecret } from '../config.ts'
import { createCosigner } from './createCosigner.ts'
import { openKeyFile } from './openKeyFile.ts'

vi.setConfig({ testTimeout: 60_000 })

const crypto = await createCrypto()
const passphrase = 'a passphrase long enough'
let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'pit-cosigner-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
const open = (change: Partial<Parameters<typeof openKeyFile>[0]> = {}) =>
  openKeyFile({ dataDir, passphrase, importKeyFile: null, crypto, ...change })
const file = () => join(dataDir, 'keys', 'cosigner.json')

describe('the co-signer’s key', () => {
  it('is created once, readable by this user only, and is the same after a restart', async () => {
    const first = await open()
    expect(first.isNew).toBe(true)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(statSync(join(dataDir, 'keys')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(dataDir, 'keys'))).toEqual(['cosigner.json'])
    const again = await open()
    expect(again).toMatchObject({ isNew: false, address: first.address })
  })

  it('signs delegations until it is closed', async () => {
    const cosigner = createCosigner({ key: await open(), crypto })
    const { root } = grant()
    // Another domain after the first: its hash is not reused.
    for (const addresses of [PINS.addresses, { ...PINS.addresses, chainId: 1 }, PINS.addresses]) {
      const { signed, hash } = await cosigner.sign(addresses, root)
      expect(delegationSigner(crypto, addresses, signed)).toBe(cosigner.address)
      expect(hash).toBe(delegationHash(crypto, root))
    }
    cosigner.close()
    await expect(cosigner.sign(PINS.addresses, root)).rejects.toThrow('closed')
  })

  it('does not open with a wrong passphrase, nor is it overwritten', async () => {
    await open()
    const before = readFileSync(file(), 'utf8')
    await expect(open({ passphrase: 'another passphrase' })).rejects.toThrow('the passphrase does not open')
    expect(readFileSync(file(), 'utf8')).toBe(before)
  })

  it('can be imported from a file, at the first start only', async () => {
    const importKeyFile = join(dataDir, 'key.txt')
    const key = `0x${'12'.repeat(32)}` as const
    writeFileSync(importKeyFile, `${key}\n`, { mode: 0o600 })
    const cosigner = await open({ importKeyFile })
    expect(cosigner.address).toBe(crypto.addressOf(key))
    expect(readFileSync(file(), 'utf8')).not.toContain('12'.repeat(32))
    await expect(open({ importKeyFile })).rejects.toThrow('there is a co-signer’s key already')
    expect((await open()).address).toBe(cosigner.address)
  })

  it.each(['', '0x1234', '0'.repeat(64), `0x${'f'.repeat(64)}`, 'not hex'])(
    'is not imported from a file that contains %j',
    async (text) => {
      const importKeyFile = join(dataDir, 'key.txt')
      writeFileSync(importKeyFile, text, { mode: 0o600 })
      await expect(open({ importKeyFile })).rejects.toThrow('does not contain a private key')
    },
  )

  it('does not overwrite a file that cannot be read', async () => {
    await open()
    writeFileSync(file(), 'half a fi')
    await expect(open()).rejects.toThrow('cannot be read')
    await expect(open({ importKeyFile: '/nowhere' })).rejects.toThrow('cannot be read')
  })
})

describe('a secret', () => {
  it('is read from its setting or its file, without the line’s end', () => {
    const path = join(dataDir, 'secret')
    writeFileSync(path, 'a separate secret\n')
    chmodSync(path, 0o600)
    expect(
      readSecret({ name: 'SIGNER_SECRET_FILE', file: path, isCredential: false }, { minChars: 16 }),
    ).toBe('a separate secret')
    expect(readSecret({ name: 'SIGNER_SECRET', text: 'plain' }, { minChars: 5 })).toBe('plain')
  })

  it('stops the start when it is short or not there', () => {
    const short = () => readSecret({ name: 'SIGNER_SECRET', text: 'plain' }, { minChars: 6 })
    expect(short).toThrow(StartRefused)
    expect(short).toThrow('SIGNER_SECRET is too short')
    expect(short).not.toThrow('plain')
    const nowhere = { name: 'SIGNER_SECRET_FILE', file: '/nowhere', isCredential: false }
    const missing = () => readSecret(nowhere, { minChars: 6 })
    expect(missing).toThrow('SIGNER_SECRET_FILE /nowhere cannot be read: ENOENT')
  })
})
