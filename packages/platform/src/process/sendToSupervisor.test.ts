import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

/** The channel closes while this process is busy, so it still looks connected when it sends. */
const CHILD = `
import { sendToSupervisor } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'sendToSupervisor.ts')).pathname)}
process.on('disconnect', () => setTimeout(() => process.exit(0), 100))
process.send('started')
const untilMs = Date.now() + 500
while (Date.now() < untilMs);
sendToSupervisor({ type: 'stage', text: 'too late' })
`

it('drops the message if the supervisor has ended, and the process continues', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pit-supervisor-'))
  try {
    const file = join(folder, 'child.ts')
    writeFileSync(file, CHILD)
    const outfile = join(folder, 'child.mjs')
    await build({ entryPoints: [file], outfile, bundle: true, platform: 'node', format: 'esm' })
    const child = fork(outfile, { execArgv: [] })
    child.on('message', () => child.disconnect())
    expect(await once(child, 'exit')).toEqual([0, null])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
