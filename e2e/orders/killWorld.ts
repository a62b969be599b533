import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { createClosing } from '@pit/platform/process'
import { startPostgres } from '@pit/platform/test/postgresServer'
import type { ChainProfile } from '@pit/protocol'
import { newServerDirectory } from '../../packages/platform/test/serverStore.ts'
import { startDevnetProcess } from '../devnetProcess.ts'
import { freePort, type ServerProcess, startServerProcess } from '../serverProcess.ts'
import type { SessionWorld } from '../session/world.ts'
import { newSignerFolder, removeFolder, type SignerProcess, startSignerProcess } from '../signerProcess.ts'
import { type Gate, openGate } from '../trading/sequencerGate.ts'
import type { Answered, Call } from '../trading/trader.ts'
import { openTrader, receiptOf, type Trader } from '../trading/trader.ts'
import { tradingEnv } from '../trading/world.ts'

/** A living market with processes that can be killed and restarted on their ports and stores. */
export interface KillWorld extends SessionWorld {
  gate: Gate
  /** Names of all processes that may be killed. */
  names: readonly string[]
  /** Of these, the servers that trade. */
  workers: readonly string[]
  /** Calls the API processes in turn, and again while one is down. */
  call: Call
  killAndRestart(name: string, downMs: number): Promise<void>
}

const ROLES = {
  embedded: { server: 'api,jobs' },
  postgres: { api1: 'api', api2: 'api', jobs1: 'jobs', jobs2: 'jobs' },
} as const
const CALL_MS = 60_000

/** One server on the embedded store, or two API and two job processes and the co-signer on PostgreSQL. */
export async function openKillWorld(postgresBin: string | null): Promise<KillWorld> {
  const closing = createClosing(console)
  try {
    return await open(postgresBin, closing)
  } catch (error) {
    await closing.close()
    throw error
  }
}

async function open(
  postgresBin: string | null,
  closing: ReturnType<typeof createClosing>,
): Promise<KillWorld> {
  const devnet = await startDevnetProcess({ MARKET: 'on' })
  closing.add(() => devnet.stop())
  const gate = await openGate(devnet.sequencerUrl)
  closing.add(() => gate.close())
  const postgres = postgresBin === null ? null : await startPostgres(postgresBin)
  if (postgres) closing.add(() => postgres.dispose())
  const signerFolder = await newSignerFolder()
  closing.add(async () => removeFolder(signerFolder))
  const dataDir = postgres ? null : await newServerDirectory()
  if (dataDir) closing.add(async () => rmSync(dataDir, { recursive: true, force: true }))
  const signerEnv = {
    SIGNER_PORT: String(await freePort()),
    ...(postgres && { SIGNER_DATABASE_URL: await postgres.createDatabase() }),
  }
  const store: Record<string, string> = postgres
    ? { DATABASE_URL: await postgres.createDatabase() }
    : { DATA_DIR: dataDir! }
  const startSigner = () =>
    startSignerProcess({
      folder: signerFolder,
      rpcUrl: devnet.signerUrls,
      profileFile: devnet.profileFile,
      env: signerEnv,
    })
  let signer: SignerProcess = await startSigner()
  closing.add(() => signer.kill())

  const roles = new Map<string, string>(Object.entries(postgres ? ROLES.postgres : ROLES.embedded))
  const ports = new Map<string, number>()
  for (const name of roles.keys()) ports.set(name, await freePort())
  const servers = new Map<string, ServerProcess>()
  closing.add(async () => {
    for (const server of servers.values()) await server.kill().then(() => server.stop())
  })
  const start = async (name: string) =>
    servers.set(
      name,
      await startServerProcess({
        ...tradingEnv(devnet),
        ...store,
        ROLE: roles.get(name)!,
        PORT: String(ports.get(name)),
        PUBLIC_URL: 'http://localhost',
        SEQUENCER_URL: gate.url,
        SIGNER_URL: signer.url,
        SIGNER_SECRET: signer.secret,
        MAX_LOOP_DELAY_MS: '60000',
      }),
    )
  // The first one starts alone, so that only it writes the tables.
  for (const name of roles.keys()) await start(name)

  const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
  const core = (symbol: string) =>
    profile.core_tokens.find((token) => token.symbol === symbol)!.address.toLowerCase() as Hex
  const urls = [...roles].filter(([, role]) => role !== 'jobs').map(([name]) => urlOf(ports.get(name)!))
  const call = patientCall(urls)
  let bank: Trader | undefined
  return {
    ...{ devnet, gate, profile, core, call },
    names: [...roles.keys(), 'signer'],
    workers: [...roles].filter(([, role]) => role !== 'api').map(([name]) => name),
    get server() {
      return servers.values().next().value!
    },
    get signer() {
      return signer
    },
    async killAndRestart(name, downMs) {
      if (name === 'signer') {
        await signer.kill()
        await sleep(downMs)
        signer = await startSigner()
        return
      }
      await servers.get(name)!.kill()
      await servers.get(name)!.stop()
      await sleep(downMs)
      await start(name)
    },
    async fund(wallet, { wei, usdg }) {
      if (wei !== undefined) await devnet.rpc('hardhat_setBalance', [wallet, `0x${wei.toString(16)}`])
      if (usdg === undefined) return
      bank ??= await openTrader(urls[0]!, { account: 9 }, call)
      const nonce = Number(await devnet.rpc<Hex>('eth_getTransactionCount', [bank.wallet, 'pending']))
      const words = [BigInt(wallet), usdg].map((word) => word.toString(16).padStart(64, '0'))
      const { raw, hash } = bank.sign({
        chain_id: 4663,
        from: bank.wallet,
        to: core('USDG'),
        value: '0',
        data: `0xa9059cbb${words.join('')}`,
        gas: '200000',
        nonce,
        max_fee_per_gas: '100000000000',
        max_priority_fee_per_gas: '1',
      })
      await devnet.rpc('eth_sendRawTransaction', [raw])
      await receiptOf(devnet, hash)
    },
    close: closing.close,
  }
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`

/** A process may be down or not ready: the next one is called, until one answers. */
function patientCall(urls: readonly string[]): Call {
  let next = 0
  return async <T>(method: string, path: string, key: string | null, body?: object) => {
    const lastMs = performance.now() + CALL_MS
    for (;;) {
      try {
        const answer = await fetch(`${urls[next++ % urls.length]}/api/v1/${path}`, {
          method,
          headers: {
            ...(key === null ? {} : { authorization: `Bearer ${key}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const read = { status: answer.status, body: (await answer.json()) as Answered<T>['body'] }
        if (answer.status < 500 || performance.now() > lastMs) return read
      } catch (error) {
        if (performance.now() > lastMs) throw error
      }
      await sleep(250)
    }
  }
}
