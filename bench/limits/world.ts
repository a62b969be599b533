import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Closing } from '@pit/platform/process'
import { findPostgres, type PostgresServer, startPostgres } from '@pit/platform/test/postgresServer'
import { until } from '@pit/platform/test/until'
import { type DevnetProcess, startDevnetProcess } from '../../e2e/devnetProcess.ts'
import { startRedis } from '../../e2e/redisProcess.ts'
import { freePort, type ServerProcess, startServerProcess } from '../../e2e/serverProcess.ts'
import { newSignerFolder, removeFolder, startSignerProcess } from '../../e2e/signerProcess.ts'
import { tradingEnv } from '../../e2e/trading/world.ts'
import { post, type Timed } from '../trade/measure.ts'
import { untilCalm, type Watched } from './cpu.ts'
import { pin, type Setup } from './setups.ts'

/** The service in one setup, with a separate chain, for the loads over HTTP. */
export interface LimitsWorld {
  urls: string[]
  devnet: DevnetProcess
  watched: Watched[]
}

export async function openWorld(setup: Setup, closing: Closing): Promise<LimitsWorld> {
  const devnet = await startDevnetProcess({ MARKET: 'off' })
  closing.add(() => devnet.stop())
  const postgres = setup.store === 'postgres' ? await openPostgresStore(closing) : null
  const signerFolder = await newSignerFolder()
  closing.add(() => removeFolder(signerFolder))
  const signer = await startSignerProcess({
    ...{ folder: signerFolder, rpcUrl: devnet.signerUrls, profileFile: devnet.profileFile },
    ...(postgres && { env: { SIGNER_DATABASE_URL: await postgres.createDatabase() } }),
  })
  closing.add(() => signer.stop())
  const redis = setup.apis === 2 ? await startRedis() : null
  if (redis) closing.add(() => redis.stop())

  const shared: Record<string, string> = {
    ...tradingEnv(devnet),
    ...{ SIGNER_URL: signer.url, SIGNER_SECRET: signer.secret, PUBLIC_URL: 'http://localhost:4663' },
    ...(postgres && { DATABASE_URL: await postgres.createDatabase() }),
    ...(redis && { REDIS_URL: redis.url }),
  }
  const servers: ServerProcess[] = []
  // One after another, so that only the first writes the tables. It runs the jobs in every setup: following
  // trades until they are final is part of their cost. The second only answers requests.
  for (const role of ['api,jobs', 'api'].slice(0, setup.apis)) {
    const server = await startReady({ ...shared, ROLE: role }, closing)
    pin(server.pid, setup)
    servers.push(server)
  }
  await untilCalm(watchedServers(servers))
  return {
    devnet,
    urls: servers.map(({ url }) => url),
    watched: [
      ...watchedServers(servers),
      { name: 'devnet', pid: devnet.pid },
      { name: 'signer', pid: signer.pid },
      ...(postgres ? [watchedPostgres(postgres)] : []),
      ...(redis ? [{ name: 'redis', pid: redis.pid }] : []),
      { name: 'client', pid: process.pid },
    ],
  }
}

/** As in production: committed data is on disk. */
export async function openPostgresStore(closing: Closing): Promise<PostgresServer> {
  const bin = findPostgres()
  if (bin === null) throw new Error('PostgreSQL is not installed: choose other setups with LIMITS_SETUPS')
  const postgres = await startPostgres(bin, { fsync: 'on' })
  closing.add(() => postgres.dispose())
  return postgres
}

export async function startReady(
  env: Record<string, string>,
  closing: Closing,
): Promise<ServerProcess & { metricsPort: number }> {
  const metricsPort = await freePort()
  const server = await startServerProcess({ ...env, METRICS_PORT: String(metricsPort) })
  closing.add(() => server.stop())
  await until(async () => (await fetch(`http://127.0.0.1:${metricsPort}/ready`)).ok, {
    everyMs: 50,
    said: () => server.output(),
  })
  return { ...server, metricsPort }
}

export const watchedServers = (servers: readonly ServerProcess[]): Watched[] =>
  servers.map(({ pid }, i) => ({ name: servers.length > 1 ? `server ${i + 1}` : 'server', pid }))

/** Its first line is the process that starts the others. */
export const watchedPostgres = ({ home }: PostgresServer): Watched => ({
  name: 'postgres',
  pid: Number(readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0]),
  tree: true,
})

/** Clients take turns between the processes. */
export const urlFor = ({ urls }: Pick<LimitsWorld, 'urls'>, client: number): string =>
  urls[client % urls.length]!

export type Said<T> = T & { error?: { code: string } }
export const ask = <T>(url: string, path: string, key: string, body: object): Promise<Timed<Said<T>>> =>
  post<Said<T>>(`${url}/api/v1/${path}`, body, { authorization: `Bearer ${key}` })

/** Null on success. */
export const codeOf = ({ status, body }: Timed<Said<unknown>>): string | null =>
  status === 200 ? null : (body.error?.code ?? `HTTP ${status}`)

/** Opens the missing entries of a list, a few at a time. */
export async function growTo<T>(list: T[], size: number, open: (i: number) => Promise<T>): Promise<void> {
  const AT_ONCE = 8
  while (list.length < size) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, size - list.length) }, (_, i) => list.length + i)
    list.push(...(await Promise.all(indexes.map(open))))
  }
}
