import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createAuthority } from '@pit/platform/test/certificates'
import { until } from '@pit/platform/test/until'
import { freePort } from '../serverProcess.ts'

/** Debian installs it in a folder that only root's PATH has. */
const PATH = [process.env['PATH'], '/usr/sbin'].join(delimiter)
export const hasProxy = spawnSync('haproxy', ['-v'], { env: { PATH } }).status === 0

export interface ProxyProcess {
  port: number
  /** CA certificate for its clients. */
  ca: string
  output(): string
  /** A new worker takes over the listening sockets; the old one finishes its requests. */
  reload(): Promise<void>
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * HAProxy with deploy/haproxy/haproxy.cfg in front of three API processes, with a certificate for localhost.
 */
export async function startProxy(
  apis: readonly { port: number; readyPort: number }[],
  { countries = '' } = {},
): Promise<ProxyProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'pit-proxy-'))
  const authority = createAuthority()
  const { cert, key } = authority.issue(['localhost', '127.0.0.1'])
  const pem = join(folder, 'pit.pem')
  writeFileSync(pem, `${cert}\n${key}`, { mode: 0o600 })
  const countryMap = join(folder, 'country.map')
  writeFileSync(countryMap, countries)
  const port = await freePort()
  const env: Record<string, string> = {
    PATH,
    PIT_BIND: `127.0.0.1:${port}`,
    PIT_BIND_HTTP: `127.0.0.1:${await freePort()}`,
    PIT_CERT: pem,
    PIT_COUNTRY_MAP: countryMap,
  }
  for (const [i, api] of apis.entries()) {
    env[`PIT_API${i + 1}`] = `127.0.0.1:${api.port}`
    env[`PIT_API${i + 1}_READY`] = String(api.readyPort)
  }
  let output = ''
  let child: ChildProcess

  async function start(): Promise<void> {
    // As in its systemd unit: a master that outlives its workers.
    child = spawn('haproxy', ['-W', '-f', 'deploy/haproxy/haproxy.cfg'], { env, stdio: 'pipe' })
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    await until(() => listens(port), { said: () => output })
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  await start()
  return {
    port,
    ca: authority.cert,
    output: () => output,
    async reload() {
      const loaded = () => output.split('Loading success').length
      const before = loaded()
      child.kill('SIGUSR2')
      await until(() => loaded() > before, { said: () => output })
    },
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
