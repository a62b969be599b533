import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@pit/platform/clock'
import { seedStore } from '@pit/platform/test/embeddedStore'
import { createSignerClient, type SignerClient } from '@pit/signer-wire'
import { ledgerMigrations } from '../packages/signer/src/ledger/openLedger.ts'
import { NODE_FLAGS } from './nodeFlags.ts'

export interface SignerProcess {
  url: string
  secret: string
  operatorSecret: string
  /** Calls it as the server does. */
  client: SignerClient
  /** All output of the process so far. */
  output(): string
  pid: number
  isAlive(): boolean
  /** As in a power cut: nothing is closed. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const SECRET = 'the secret of server and signer in tests'
const OPERATOR_SECRET = 'the secret of the operator in tests alone'

/** A folder for a signer with a migrated store. */
export async function newSignerFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pit-signer-'))
  await seedStore(join(folder, 'signer'), ledgerMigrations())
  return folder
}

/** The built signer in its own process on a free port. */
export async function startSignerProcess({
  folder,
  rpcUrl,
  profileFile,
  env = {},
}: {
  folder: string
  rpcUrl: string
  profileFile: string
  env?: Record<string, string>
}): Promise<SignerProcess> {
  const child: ChildProcess = fork('dist/signer.js', [], {
    env: {
      PATH: process.env['PATH'],
      SIGNER_PORT: '0',
      DATA_DIR: folder,
      PROFILE: profileFile,
      CHAIN_RPC_URL: rpcUrl,
      DEVNET_STOCK_SESSION: 'always',
      SIGNER_SECRET: SECRET,
      SIGNER_OPERATOR_SECRET: OPERATOR_SECRET,
      SIGNER_PASSPHRASE: 'a passphrase for tests',
      LOG_LEVEL: 'warn',
      ...env,
    },
    execArgv: [...NODE_FLAGS],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const url = await new Promise<string>((resolve, reject) => {
    child.on('message', (report: { type: string; text: string }) => {
      if (report.type === 'ready') resolve(/at (\S+)$/.exec(report.text)![1]!)
    })
    child.once('exit', (code) => reject(new Error(`the signer ended with ${code}:\n${output}`)))
  })
  const client = createSignerClient({ url, secret: SECRET, clock: systemClock, timeoutMs: 30_000 })
  const isAlive = () => child.exitCode === null && child.signalCode === null
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (isAlive()) {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await ended
    }
    client.close()
  }
  return {
    url,
    secret: SECRET,
    operatorSecret: OPERATOR_SECRET,
    client,
    output: () => output,
    pid: child.pid!,
    isAlive,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })
