import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lockStore, StoreLockedError } from '@pit/platform/process'
import { keepFilesPrivate, ownDataDir, readProfile, StartRefused } from '@pit/platform/settings'
import { type BuildStage, stageEnded } from './buildStages.mjs'
import { serverEnvironment, withoutServer } from './serverSecrets.ts'
import { signerEnvironment, withoutSigner } from './signerSecrets.ts'
import { readSettings } from './startSettings.ts'

// Starts and watches Pit's processes: the devnet (unless a chain is named), the signer, the server, the demo.
// Each child reports { type: 'stage' | 'ready' | 'failed', text } over IPC and ends when this process does.

interface Report {
  type: 'stage' | 'ready' | 'failed'
  text: string
}
interface Part {
  name: string
  file: string
  /** The environment this part starts with, beyond our own. */
  env: Record<string, string>
  /** Node's own options. */
  nodeOptions?: string[]
  /** Pit runs on without it. */
  isOptional?: boolean
}
interface Running {
  part: Part
  child: ChildProcess
  ready: Promise<void>
  restarts: number
  startedAtMs: number
}

/**
 * In stop order, callers first, so that nothing reads a stopped server or chain; with each part's deadline counted
 * from the signal. The sender (systemd, Docker) allows ten seconds.
 */
const STOP_BY_MS: Record<string, number> = { demo: 500, server: 4_500, signer: 6_000, devnet: 9_000 }
const MAX_RESTARTS = 5
/** A part that ran this long is healthy: its earlier exits no longer count. */
const WELL_AFTER_MS = 10 * 60_000

const here = dirname(fileURLToPath(import.meta.url))
const dataDir = process.env['DATA_DIR'] || '.pit'
const pinsFile = join(dataDir, 'pins.json')
const startedAt = performance.now()
const running = new Map<string, Running>()
let stopping = false

const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`.padStart(7)
const say = (who: string, text: string) => console.log(`${seconds()}  ${who.padEnd(7)} ${text}`)

function settings() {
  try {
    return readSettings(process.env)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}

function takeDataDir(): void {
  try {
    const closed = ownDataDir(dataDir)
    if (closed > 0)
      say('pit', `${closed} files in ${dataDir} were open to other users of this machine; closed`)
    process.on('exit', lockStore(join(dataDir, 'start.lock')))
  } catch (error) {
    if (error instanceof StartRefused) console.error(error.message)
    else if (error instanceof StoreLockedError) sayRunning(error)
    else throw error
    process.exit(1)
  }
}

function sayRunning(error: StoreLockedError): void {
  console.error(
    `Pit is already running here (process ${error.pid}, data in ${dataDir}).\n` +
      `Use that one, stop it with "kill ${error.pid}", or start a second one with its own DATA_DIR, ` +
      'PORT, DEVNET_PORT, DEVNET_VENDOR_PORT, SIGNER_PORT and METRICS_PORT.',
  )
}

function launch(part: Part, restarts = 0): Running {
  const child = fork(join(here, part.file), [], {
    // People read this terminal: stages and failures. Two arenas: glibc would keep freed memory of up to
    // eight per core, a hundred megabytes in all.
    env: { LOG_LEVEL: 'warn', MALLOC_ARENA_MAX: '2', ...ownEnvironment(part), ...part.env },
    execArgv: [...process.execArgv, ...(part.nodeOptions ?? [])],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (report: Report) => {
      say(part.name, report.type === 'ready' ? `ready: ${report.text}` : report.text)
      if (report.type === 'ready') resolve()
    })
    child.once('exit', (code, signal) => {
      reject(new Error(`${part.name} ended before it was ready (${signal ?? `exit code ${code}`})`))
    })
  })
  const entry: Running = { part, child, ready, restarts, startedAtMs: performance.now() }
  running.set(part.name, entry)
  // Watch it once it has been ready; an earlier exit is a failed start.
  ready.then(
    () => child.once('exit', (code, signal) => revive(entry, signal ?? `exit code ${code}`)),
    () => {},
  )
  return entry
}

/** Our environment without the settings that only the signer or only the server may know. */
function ownEnvironment({ name }: Part): NodeJS.ProcessEnv {
  if (name === 'signer') return withoutServer(process.env)
  const env = withoutSigner(process.env, name)
  return name === 'server' ? env : withoutServer(env)
}

function revive(entry: Running, why: string): void {
  if (stopping) return
  const { part } = entry
  const restarts = performance.now() - entry.startedAtMs > WELL_AFTER_MS ? 0 : entry.restarts
  if (restarts >= MAX_RESTARTS) {
    say(part.name, `ended again (${why}); giving up after ${MAX_RESTARTS} restarts`)
    if (!part.isOptional) void stop(1)
    return
  }
  const waitMs = 500 * 2 ** restarts
  say(part.name, `ended (${why}); starting it again in ${waitMs} ms`)
  setTimeout(() => {
    if (stopping) return
    launch(part, restarts + 1).ready.catch((error) => {
      say(part.name, error.message)
      if (!part.isOptional) void stop(1)
    })
  }, waitMs)
}

async function stop(exitCode: number): Promise<void> {
  if (stopping) return
  stopping = true
  const stoppingAt = performance.now()
  for (const [name, byMs] of Object.entries(STOP_BY_MS)) {
    const entry = running.get(name)
    if (!entry || entry.child.exitCode !== null || entry.child.signalCode !== null) continue
    await new Promise<void>((resolve) => {
      const leftMs = byMs - (performance.now() - stoppingAt)
      // Each of them survives a kill: the next start reads unwritten data from its log.
      const bound = setTimeout(() => entry.child.kill('SIGKILL'), leftMs)
      entry.child.once('exit', () => {
        clearTimeout(bound)
        resolve()
      })
      entry.child.kill('SIGTERM')
    })
    say(name, 'stopped')
  }
  process.exit(exitCode)
}

/**
 * Pins for a client of this world: the chain's profile and its co-signer. They come from files of this
 * machine and not from the server's answers, which the client verifies.
 */
function writePins(profile: string): string | null {
  const sealed = join(dataDir, 'signer', 'keys', 'cosigner.json')
  const cosigner = existsSync(sealed) ? JSON.parse(readFileSync(sealed, 'utf8')).address : null
  const pins = { ...JSON.parse(readFileSync(profile, 'utf8')), cosigner }
  const draft = `${pinsFile}.draft`
  writeFileSync(draft, `${JSON.stringify(pins, null, 2)}\n`)
  renameSync(draft, pinsFile)
  return cosigner
}

const HEARD_WITHIN_MS = 30_000

/** A server that has not reached its signer yet names no co-signer, which a client with pins refuses. */
async function serverKnows(cosigner: string | null): Promise<void> {
  const config = `http://127.0.0.1:${process.env['PORT'] || '4663'}/api/v1/config`
  for (const giveUpAt = Date.now() + HEARD_WITHIN_MS; cosigner !== null && Date.now() < giveUpAt; ) {
    const answer = await fetch(config).then(
      (response) => response.json() as Promise<{ session?: { cosigner: string | null } }>,
      () => null,
    )
    if (answer?.session?.cosigner === cosigner) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const TEST_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

function printWhereToGo(): void {
  const port = process.env['PORT'] || '4663'
  const api = `http://127.0.0.1:${port}`
  const lines = [
    '',
    `Pit is up after ${seconds().trim()}.`,
    '',
    `  Dashboard  ${api}/`,
    `  API        ${api}/api/v1/`,
    `  Reference  ${api}/docs`,
    `  Guide      ${api}/guide`,
  ]
  const isDevnet = !process.env['CHAIN_RPC_URL']
  if (isDevnet)
    lines.push(
      `  Chain RPC  http://127.0.0.1:${process.env['DEVNET_PORT'] || '8545'} (chain 4663, this machine only)`,
      `  Test key   ${TEST_KEY}`,
      '             (account 1 of the public test mnemonic, funded here; never use it on a real chain)',
    )
  lines.push('', 'First request:', `  curl -s ${api}/api/v1/config`, '')
  if (isDevnet)
    lines.push(
      'First trade, in another terminal in this folder (it signs nothing without --yes):',
      `  export PIT_PRIVATE_KEY=${TEST_KEY}`,
      ...(port === '4663' ? [] : [`  export PIT_URL=${api}`]),
      `  ${existsSync(join(here, 'pit.js')) ? 'node dist/pit.js' : 'npx @pit/cli'} trade ETH USDG --usd 25`,
      '',
    )
  lines.push('Ctrl-C stops everything; the next start continues where this one ended.', '')
  console.log(lines.join('\n'))
}

const DEMO: Part = {
  name: 'demo',
  file: 'demo.js',
  env: {},
  // A few requests a minute: a small heap costs no time.
  nodeOptions: ['--max-old-space-size=128', '--max-semi-space-size=1'],
  isOptional: true,
}
/** Feeds publish at half a percent otherwise, which takes most prices the better part of an hour. */
const DEMO_FEED_STEP_BPS = '5'

function startDemo(): void {
  if (stopping || !existsSync(join(here, DEMO.file))) return
  launch(DEMO).ready.catch((error) => say(DEMO.name, error.message))
}

/** The devnet may run elsewhere. The server reports faults of the profile. */
const isOfDevnet = (profile: string | undefined): Promise<boolean> =>
  readProfile({ file: profile ?? '', waitMs: 0 }).then(
    ({ kind }) => kind === 'devnet',
    () => false,
  )

async function built(stage: BuildStage): Promise<void> {
  if (!(await stageEnded(stage, here))) throw new Error('the build failed: see above')
}

async function main(): Promise<void> {
  keepFilesPrivate()
  const { demo } = settings()
  takeDataDir()
  process.on('SIGINT', () => void stop(0))
  process.on('SIGTERM', () => void stop(0))
  const withDevnet = !process.env['CHAIN_RPC_URL']
  const withDemo = withDevnet && demo
  const devnetUrl = `http://127.0.0.1:${process.env['DEVNET_PORT'] || '8545'}`
  const profile = join(dataDir, 'devnet', 'profile.json')
  const chainEnv: Record<string, string> = withDevnet
    ? {
        CHAIN_RPC_URL: devnetUrl,
        SEQUENCER_URL: `${devnetUrl}/sequencer`,
        PROFILE: profile,
        // On a devnet every feature is on.
        FAST_ENABLED: process.env['FAST_ENABLED'] || '1',
      }
    : {}
  // The devnet writes it when it is ready; an old one may name other ports.
  if (withDevnet) for (const file of [profile, pinsFile]) rmSync(file, { force: true })
  const isDevnet = withDevnet || (await isOfDevnet(process.env['PROFILE']))
  const signer = signerEnvironment({ dataDir, env: process.env, chain: isDevnet ? 'devnet' : 'real' })
  if ('why' in signer) say('pit', signer.why)
  const parts: Part[] = [
    ...(withDevnet
      ? [
          {
            name: 'devnet',
            file: 'devnet.js',
            env: withDemo
              ? { FEED_STEP_BPS: process.env['FEED_STEP_BPS'] || DEMO_FEED_STEP_BPS }
              : ({} as Record<string, string>),
          },
        ]
      : []),
    ...('why' in signer
      ? []
      : [
          {
            name: 'signer',
            file: 'signer.js',
            env: { ...chainEnv, ...signer.forSigner },
            // Its embedded ledger is small: optimizing the WebAssembly it runs on costs 50 MB and gains nothing,
            // and short-lived objects would fill 48 MB between two collections.
            nodeOptions: ['--liftoff-only', '--max-semi-space-size=2'],
          },
        ]),
    {
      name: 'server',
      file: 'server.js',
      env: {
        ...chainEnv,
        ...('why' in signer ? {} : signer.forServer),
        ...(withDevnet ? serverEnvironment({ dataDir, env: process.env }) : {}),
      },
    },
  ]
  say('pit', `starting ${parts.map((part) => part.name).join(', ')}; data in ${dataDir}`)
  try {
    // The devnet takes longest, so it starts while a fresh clone's other bundles are made.
    await Promise.all(
      parts.map(async (part) => {
        if (part.name !== 'devnet') await built('parts')
        if (!stopping) await launch(part).ready
      }),
    )
    await built('commands')
  } catch (error) {
    if (!stopping) say('pit', (error as Error).message)
    await stop(1)
  }
  if (stopping) return
  if (withDevnet) await serverKnows(writePins(profile))
  printWhereToGo()
  if (withDemo) startDemo()
}

await main()
