import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'

it('runs bundled, minified and with nothing of Node around it', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pit-browser-'))
  try {
    await build({
      entryPoints: [new URL('../test/browserEntry.ts', import.meta.url).pathname],
      outfile: join(folder, 'entry.mjs'),
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      logLevel: 'error',
    })
    writeFileSync(
      join(folder, 'run.mjs'),
      "delete globalThis.Buffer\ndelete globalThis.process\nawait import('./entry.mjs')\n",
    )
    const said = JSON.parse(
      execFileSync(process.execPath, [join(folder, 'run.mjs')], { encoding: 'utf8', cwd: folder }),
    )
    const account = privateKeyToAccount(`0x${'4f'.repeat(32)}`)
    expect(said).toMatchObject({ buffer: 'undefined', process: 'undefined', curve: 'wasm', decoded: true })
    expect(said.sender).toBe(account.address.toLowerCase())
    expect(said.hash).toMatch(/^0x[0-9a-f]{64}$/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
