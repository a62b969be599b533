import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { BARE_PROFILE } from '@pit/platform/test/bareProfile'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { NODE_FLAGS } from './nodeFlags.ts'

const MAX_SIGN_IN_TRIES = 5

export interface ServerProcess {
  pid: number
  port: number
  url: string
  /** A key of a fresh wallet; `address` is the client address it signs in from. */
  signIn(address?: string): Promise<string>
  /** All output of the process so far. */
  output(): string
  rssBytes(): number
  isAlive(): boolean
  /** Kills the process, as in a crash. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** The built server in its own process and folder, on a free port, without a chain (health: degraded). */
export async function startServerProcess(env: Record<string, string> = {}): Promise<ServerProcess> {
  const folder =
    env['DATA_DIR'] || env['DATABASE_URL']
      ? mkdtempSync(join(tmpdir(), 'pit-e2e-'))
      : await newServerDirectory('pit-e2e-')
  const port = env['PORT'] ? Number(env['PORT']) : await freePort()
  const profile = join(folder, 'profile.json')
  writeFileSync(profile, JSON.stringify(BARE_PROFILE))
  const child: ChildProcess = fork('dist/server.js', [], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      METRICS_PORT: '0',
      DATA_DIR: folder,
      PROFILE: profile,
      CHAIN_RPC_URL: 'http://127.0.0.1:9',
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
  await new Promise<void>((resolve, reject) => {
    child.on('message', (report: { type: string }) => report.type === 'ready' && resolve())
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${output}`)))
  })
  const url = `http://127.0.0.1:${port}`
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  return {
    pid: child.pid!,
    port,
    url,
    signIn: (address = '127.0.0.1') => signIn(url, address),
    output: () => output,
    rssBytes: () =>
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) * 1024,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

async function signIn(url: string, address: string): Promise<string> {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const post = async <T>(path: string, body: object, tries = 1): Promise<T> => {
    const answer = await fetch(`${url}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    })
    if (answer.status === 503 && tries < MAX_SIGN_IN_TRIES) {
      // Overloaded; the answer says for how long.
      await setTimeout(1000 * Number(answer.headers.get('retry-after') ?? 1))
      return post(path, body, tries + 1)
    }
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const { message } = await post<{ message: string }>('challenge', { address: wallet.address })
  const signature = await wallet.signMessage({ message })
  return (await post<{ api_key: string }>('verify', { address: wallet.address, signature })).api_key
}
