import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChainProfile } from '@pit/protocol'
import { afterAll, describe, expect, it } from 'vitest'
import { openKeyFile } from './settings.ts'

const home = mkdtempSync(join(tmpdir(), 'pit-keys-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const WALLET = `0x${'11'.repeat(20)}`
const NOW_S = 1_800_000_000
const serverOf = (kind: ChainProfile['kind'], cosigner: string | null) => ({
  url: `https://${kind}.example`,
  profile: { kind, cosigner } as ChainProfile,
})

describe('API keys that are kept', () => {
  const keys = openKeyFile({ PIT_HOME: home }, () => NOW_S)
  const keep = (server: ReturnType<typeof serverOf>, expires_at = NOW_S + 3_600) =>
    keys.write(server, WALLET, { api_key: `key of ${server.url}`, expires_at })

  it('are used again until a minute before they expire', () => {
    const server = serverOf('mainnet', null)
    keep(server)
    expect(keys.read(server, WALLET)).toBe('key of https://mainnet.example')
    keep(server, NOW_S + 60)
    expect(keys.read(server, WALLET)).toBeUndefined()
  })

  it('of a local world are not used in the one that was made anew', () => {
    keep(serverOf('devnet', '0xAA'))
    expect(keys.read(serverOf('devnet', '0xaa'), WALLET)).toBe('key of https://devnet.example')
    expect(keys.read(serverOf('devnet', '0xbb'), WALLET)).toBeUndefined()
  })
})
