import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sendToSupervisor } from '@pit/platform/process'
import { keepFilesPrivate } from '@pit/platform/settings'
import { readTarget } from './client/settings.ts'
import { environment } from './config.ts'
import { runDemo } from './demo/runDemo.ts'

// The demo of `npm start` on a devnet, as a separate process: it may fail without harm to Pit. It ends with
// its parent.

keepFilesPrivate()
const env = environment()
const dataDir = env['DATA_DIR'] || '.pit'
const url = `http://127.0.0.1:${env['PORT'] || '4663'}`
const ending = new AbortController()
const stop = () => {
  ending.abort()
  process.exit(0)
}
process.on('SIGTERM', stop)
process.on('disconnect', stop)
// Ctrl-C reaches every process of the terminal; the parent stops this one.
process.on('SIGINT', () => {})

const pitAdmin = fileURLToPath(new URL('pitAdmin.js', import.meta.url))
const report = (type: 'stage' | 'ready', text: string) => sendToSupervisor({ type, text })

/** The operator's command: entries otherwise wait for the next season, which is two weeks away. */
async function admit(entryId: number): Promise<void> {
  const args = [pitAdmin, 'league', 'admit', '--entry', String(entryId), '--reason', 'demo of the devnet']
  await promisify(execFile)(process.execPath, args, { env: { PATH: env['PATH'], DATA_DIR: dataDir } })
}

const target = readTarget({ url }, { DATA_DIR: dataDir, PIT_HOME: join(dataDir, 'demo') })
report('ready', 'three wallets and four paper agents trade; DEMO=off turns this off')
await runDemo({
  target: { ...target, domain: env['AUTH_DOMAIN'] || target.domain },
  keyFolder: join(dataDir, 'demo'),
  admit,
  draw: Math.random,
  sleep: (ms) => sleep(ms, undefined, { signal: ending.signal }),
  say: (text) => report('stage', text),
})
