import { readFileSync } from 'node:fs'
import { type Db, openDb } from '@pit/platform/db'
import { type Closing, createClosing } from '@pit/platform/process'
import { type PostgresServer, startPostgres } from '@pit/platform/test/postgresServer'
import { until } from '@pit/platform/test/until'
import type { ChainProfile } from '@pit/protocol'
import { type DevnetProcess, startDevnetProcess } from '../devnetProcess.ts'
import { type RedisProcess, startRedis } from '../redisProcess.ts'
import { freePort, type ServerProcess, startServerProcess } from '../serverProcess.ts'
import { newSignerFolder, removeFolder, type SignerProcess, startSignerProcess } from '../signerProcess.ts'
import { tradingEnv } from '../trading/world.ts'
import { type ProxyProcess, startProxy } from './proxyProcess.ts'
import { openTcpGate, type TcpGate } from './tcpGate.ts'

/** Complete by hand; the suite omits the third API process, which the proxy sees as down. */
export const isWhole = process.env['FLEET_S'] !== undefined
const ALL_APIS = ['api1', 'api2', 'api3'] as const
export const JOBS = ['jobs1', 'jobs2'] as const
export type ServerName = (typeof ALL_APIS)[number] | (typeof JOBS)[number]
export const APIS: readonly ServerName[] = isWhole ? ALL_APIS : ALL_APIS.slice(0, 2)
export const isApi = (name: ServerName): boolean => name.startsWith('api')

/** The topology of deploy/, each part in its own process. */
export interface FleetWorld {
  url: string
  profile: ChainProfile
  devnet: DevnetProcess
  /** The fleet's only connection to the node and its sequencer. */
  node: TcpGate
  postgres: PostgresServer
  ledgerPostgres: PostgresServer
  redis: RedisProcess
  proxy: ProxyProcess
  db: Db
  apiUrls(): string[]
  server(name: ServerName): ServerProcess
  signer(): SignerProcess
  /** Restarts it as a supervisor would: on the same port, with the same settings. */
  startServer(name: ServerName, more?: Record<string, string>): Promise<void>
  startSigner(): Promise<void>
  /** Whether the process reports that it is ready. */
  isReady(name: ServerName): Promise<boolean>
  untilReady(name: ServerName): Promise<void>
  close(): Promise<void>
}

export async function openFleet(bin: string, { drainS }: { drainS: number }): Promise<FleetWorld> {
  const closing = createClosing(console)
  try {
    return await open(bin, drainS, closing)
  } catch (error) {
    await closing.close()
    throw error
  }
}

async function open(bin: string, drainS: number, closing: Closing): Promise<FleetWorld> {
  const [postgres, ledgerPostgres, redis, devnet] = await Promise.all([
    ...[startPostgres(bin), startPostgres(bin)],
    ...[startRedis(), startDevnetProcess({ MARKET: 'off' })],
  ] as const)
  closing.add(() => Promise.all([postgres.dispose(), ledgerPostgres.dispose(), devnet.stop()]))
  closing.add(() => redis.stop())
  const [databaseUrl, ledgerUrl] = [await postgres.createDatabase(), await ledgerPostgres.createDatabase()]
  const node = await openTcpGate(Number(new URL(devnet.url).port))
  const nodeUrl = `http://127.0.0.1:${node.port}`
  closing.add(() => node.shut())
  const signerFolder = await newSignerFolder()
  closing.add(() => removeFolder(signerFolder))
  const ports = new Map<ServerName, { port: number; readyPort: number }>()
  for (const name of [...ALL_APIS, ...JOBS])
    ports.set(name, { port: await freePort(), readyPort: await freePort() })
  const servers = new Map<ServerName, ServerProcess>()
  let signer: SignerProcess
  closing.add(() => signer?.kill())
  closing.add(() =>
    Promise.all([...servers.values()].map((server) => server.kill().then(() => server.stop()))),
  )

  async function startSigner(): Promise<void> {
    signer = await startSignerProcess({
      folder: signerFolder,
      rpcUrl: nodeUrl,
      profileFile: devnet.profileFile,
      env: { SIGNER_DATABASE_URL: ledgerUrl, SIGNER_LISTEN: `unix:${signerFolder}/signer.sock` },
    })
  }
  const isReady = async (name: ServerName): Promise<boolean> =>
    fetch(`http://127.0.0.1:${ports.get(name)!.readyPort}/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  async function startServer(name: ServerName, more: Record<string, string> = {}): Promise<void> {
    const { port, readyPort } = ports.get(name)!
    await servers.get(name)?.stop()
    servers.set(
      name,
      await startServerProcess({
        ...tradingEnv(devnet),
        CHAIN_RPC_URL: nodeUrl,
        SEQUENCER_URL: `${nodeUrl}/sequencer`,
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis.url,
        PUBLIC_URL: `https://localhost:${proxy.port}`,
        ROLE: isApi(name) ? 'api' : 'jobs',
        PORT: String(port),
        METRICS_PORT: String(readyPort),
        DRAIN_S: String(drainS),
        SIGNER_URL: signer.url,
        SIGNER_SECRET: signer.secret,
        // Load from other tests on this machine must not cause shedding.
        MAX_LOOP_DELAY_MS: '60000',
        ...more,
      }),
    )
  }
  const untilReady = async (name: ServerName): Promise<void> =>
    void (await until(() => isReady(name), { everyMs: 50, said: () => servers.get(name)?.output() }))

  const proxy = await startProxy(ALL_APIS.map((name) => ports.get(name)!))
  closing.add(() => proxy.stop())
  await startSigner()
  // The first one starts alone, so that only it writes the tables.
  await startServer('api1')
  await Promise.all([...APIS.slice(1), ...JOBS].map((name) => startServer(name)))
  for (const name of [...APIS, ...JOBS]) await untilReady(name)
  const db = await openDb({ dataDir: '', databaseUrl })
  closing.add(() => db.close())
  return {
    url: `https://localhost:${proxy.port}`,
    profile: JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile,
    ...{ devnet, node, postgres, ledgerPostgres, redis, proxy, db },
    apiUrls: () => APIS.map((name) => `http://127.0.0.1:${ports.get(name)!.port}`),
    server: (name) => servers.get(name)!,
    signer: () => signer,
    ...{ startServer, startSigner, isReady, untilReady },
    close: closing.close,
  }
}
