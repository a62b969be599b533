import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserBytes, buildClient } from './buildClient.mjs'

// The published client: its folder and viem, without the rest of the repository.

const MOST_BYTES = 160_000
const USE = `import { createClient, fromViem, isRefusal, type ChainProfile, type PitClient } from '@pit/client'
import { privateKeyToAccount } from 'viem/accounts'

export function open(url: string, profile: ChainProfile, key: \`0x\${string}\`): PitClient {
  return createClient({ url, profile, account: fromViem(privateKeyToAccount(key)) })
}
export async function first(client: PitClient): Promise<bigint | null> {
  const quote = await client.api['live.quote']({ body: { token_in: 'ETH', token_out: 'USDG', notional_usd: 5 } })
  if (quote.best === null) return null
  const { amountOut } = await client.trade({ token_in: 'ETH', token_out: 'USDG', notional_usd: 5 })
  return amountOut
}
// @ts-expect-error a size is a number
export const wrong = (client: PitClient) => client.quote({ token_in: 'ETH', token_out: 'USDG', notional_usd: '5' })
export const code = (error: unknown): string | null => (isRefusal(error) ? error.code : null)
`

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pit-client-'))
  mkdirSync(join(folder, 'node_modules/@pit'), { recursive: true })
  symlinkSync(resolve('node_modules/viem'), join(folder, 'node_modules/viem'))
  await buildClient(join(folder, 'node_modules/@pit/client'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (file: string) => readFileSync(join(folder, 'node_modules/@pit/client', file), 'utf8')

describe('the published client', () => {
  it('needs viem and nothing else', () => {
    const imported = [...read('index.js').matchAll(/^(?:import|export)\b[^;]*?["']([^"'\n]+)["'];$/gm)].map(
      ([, name]) => name,
    )
    expect([...new Set(imported)].filter((name) => !/^viem(\/|$)/.test(name!))).toEqual([])
    expect(Object.keys(JSON.parse(read('package.json')).dependencies)).toEqual(['viem'])
    expect(read('index.d.ts')).not.toMatch(/@pit\/|typebox/i)
  })

  it('compiles in another program, with the routes’ types', () => {
    writeFileSync(join(folder, 'use.ts'), USE)
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck']
    const lib = ['--lib', 'es2023,dom', '--types', '']
    const compiler = resolve('node_modules/.bin/tsc')
    execFileSync(compiler, [...options, ...lib, 'use.ts'], { cwd: folder, stdio: 'pipe', encoding: 'utf8' })
  }, 300_000)

  it('runs there', () => {
    const program = "import('@pit/client').then(({ createClient }) => console.log(typeof createClient))"
    const said = execFileSync(process.execPath, ['-e', program], { cwd: folder, encoding: 'utf8' })
    expect(said.trim()).toBe('function')
  })

  it(`is under ${MOST_BYTES / 1000} kB in a browser, compressed`, async () => {
    expect(await browserBytes()).toBeLessThan(MOST_BYTES)
  })
})
