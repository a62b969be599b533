import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CACHE_DIRECTORY } from './cacheDirectory.ts'

export interface PostgresServer {
  /** Folder of its socket. */
  home: string
  /** A new empty database. */
  createDatabase(): Promise<string>
  /** Stops at once (open connections die) and starts again. */
  restart(): Promise<void>
  stopNow(): Promise<void>
  start(): Promise<void>
  /** Stops it and removes its folder. */
  dispose(): Promise<void>
}

/** The folder with initdb and postgres: on PATH, or where distributions put them. Null if not installed. */
export function findPostgres(): string | null {
  if (process.env['STORES'] === 'embedded') return null
  const debian = existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql')
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => `/usr/lib/postgresql/${version}/bin`)
    : []
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...debian, '/usr/local/pgsql/bin']
  return (
    folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)))) ?? null
  )
}

/**
 * PostgreSQL in a temporary folder, on a socket in that folder only, as a user other than root. `settings`
 * override the defaults of tests.
 */
export async function startPostgres(
  bin: string,
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  const home = mkdtempSync(join(tmpdir(), 'pit-pg-'))
  const user = unprivileged()
  const data = join(home, 'data')
  cpSync(await clusterImage(bin, user), data, { recursive: true })
  own(home, user)
  let server: ChildProcess | undefined
  const { url, run } = postgresAt(home)
  const all = { listen_addresses: '', fsync: 'off', max_connections: '100', ...settings }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])

  async function start(): Promise<void> {
    const child = spawn(join(bin, 'postgres'), ['-D', data, '-k', home, ...options], {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: home,
    })
    server = child
    let log = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      log = `${log}${chunk}`.slice(-4_000)
    })
    for (let waitedMs = 0; !(await answers(url('postgres'))); waitedMs += 50) {
      if (child.exitCode !== null || waitedMs > 30_000) throw new Error(`PostgreSQL did not start:\n${log}`)
      await sleep(50)
    }
  }

  async function stopNow(): Promise<void> {
    const child = server
    if (!child || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGQUIT')
    await ended
  }

  // An interrupted test run leaves no server behind.
  const killAtExit = () => server?.kill('SIGQUIT')
  process.once('exit', killAtExit)
  let made = 0
  await start()
  return {
    home,
    async createDatabase() {
      const name = `pit_${++made}`
      await run(`create database ${name}`)
      return url(name)
    },
    start,
    stopNow,
    async restart() {
      await stopNow()
      await start()
    },
    async dispose() {
      await stopNow()
      process.off('exit', killAtExit)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** The server whose socket is in this folder. */
export function postgresAt(home: string) {
  const url = (database: string) => `postgresql://pit@/${database}?host=${encodeURIComponent(home)}`
  return { url, run: (sql: string) => once(url('postgres'), sql) }
}

/** initdb takes seconds; copying its result does not. */
async function clusterImage(bin: string, user: Ids): Promise<string> {
  const version = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).replace(
    /[^0-9.]+/g,
    '-',
  )
  const image = join(CACHE_DIRECTORY, `postgres${version}`)
  if (existsSync(image)) return image
  const home = mkdtempSync(join(tmpdir(), 'pit-initdb-'))
  own(home, user)
  const args = ['-D', join(home, 'data'), '-U', 'pit', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync(join(bin, 'initdb'), args, { ...user, stdio: 'ignore', cwd: home })
  keepImage(join(home, 'data'), image)
  rmSync(home, { recursive: true, force: true })
  return image
}

/** Atomic: a concurrent run finds none or all of it. */
export function keepImage(from: string, image: string): void {
  mkdirSync(CACHE_DIRECTORY, { recursive: true })
  const draft = `${image}.${process.pid}`
  cpSync(from, draft, { recursive: true })
  try {
    renameSync(draft, image)
  } catch {
    rmSync(draft, { recursive: true, force: true })
  }
}

type Ids = { uid?: number; gid?: number }

/** PostgreSQL refuses to run as root. */
function unprivileged(): Ids {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // No such user: try the next one.
    }
  }
  throw new Error('found no user but root to run PostgreSQL as')
}

function own(folder: string, { uid, gid }: Ids): void {
  if (uid === undefined || gid === undefined) return
  chownSync(folder, uid, gid)
  for (const entry of readdirSync(folder, { recursive: true }))
    chownSync(join(folder, String(entry)), uid, gid)
}

async function once(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

const answers = (url: string): Promise<boolean> =>
  once(url, 'select 1').then(
    () => true,
    () => false,
  )
