import { openAgentRegistry } from '@pit/agent-registry'
import { systemClock } from '@pit/platform/clock'
import { isStoreUnavailable, MigrationError, openDb } from '@pit/platform/db'
import { createLogger } from '@pit/platform/monitoring'
import { StoreLockedError } from '@pit/platform/process'
import { createRpc } from '@pit/platform/rpc'
import { openSanctions, type Sanctions } from '@pit/platform/sanctions'
import { ProfileError, readProfile, StartRefused } from '@pit/platform/settings'
import { openTreasury } from '@pit/treasury'
import { readConfig } from '../config.ts'
import { migrateStore, missingMigrations } from '../migrateStore.ts'
import { openSigner } from '../openSecrets.ts'
import { LEAGUE } from './league.ts'
import { openOperator } from './openOperator.ts'
import { NobodyThere, reachSocket } from './reachSocket.ts'
import { adminSocketPath } from './socketPath.ts'
import { type Operator, OperatorRefused } from './types.ts'

export interface ConnectedOperator extends Operator {
  /** How it is reached, for messages. */
  via: string
  close(): Promise<void>
}

const PROFILE_WAIT_MS = 1_000

/**
 * Connects to the operator interface: over the socket of a server running on this data directory, otherwise
 * on the store itself (the database of DATABASE_URL, or the embedded store if no other process has it open).
 */
export async function connectOperator(env: Record<string, string | undefined>): Promise<ConnectedOperator> {
  try {
    return await connect(readConfig(env))
  } catch (error) {
    const expected = EXPECTED.some((kind) => error instanceof kind) || isStoreUnavailable(error)
    throw expected ? new OperatorRefused((error as Error).message) : error
  }
}
const EXPECTED = [MigrationError, ProfileError, StartRefused]

async function connect(config: ReturnType<typeof readConfig>): Promise<ConnectedOperator> {
  const path = adminSocketPath(config.dataDir)
  const socket = reachSocket(path)
  try {
    await socket.act({
      name: 'audit.list',
      operator: 'pit-admin',
      reason: null,
      input: { limit: 1, before: null },
    })
    return { ...socket, via: `the server at ${path}`, close: async () => {} }
  } catch (error) {
    if (!(error instanceof NobodyThere)) throw error
  }
  return openStore(config)
}

async function openStore(config: ReturnType<typeof readConfig>): Promise<ConnectedOperator> {
  const clock = systemClock
  const logger = createLogger({ level: 'fatal' })
  const profile = await readProfile({ file: config.profileFile, waitMs: PROFILE_WAIT_MS })
  const rpcUrls = config.chainRpcUrls.length > 0 ? config.chainRpcUrls : profile.rpc_urls
  if (rpcUrls.length === 0) throw new OperatorRefused('no RPC address: set CHAIN_RPC_URL')
  const db = await openDb({ dataDir: config.dataDir, databaseUrl: config.databaseUrl, logger }).catch(
    (error) => {
      if (!(error instanceof StoreLockedError)) throw error
      throw new OperatorRefused(
        `process ${error.pid} has the store open and does not answer on its socket: ` +
          'stop it, or run this command with its DATA_DIR as its user',
      )
    },
  )
  const rpc = createRpc({ url: rpcUrls, chainId: profile.chain_id })
  const signer = openSigner(config.signer, clock)
  let list: Promise<Sanctions> | null = null
  /** Loaded on use: most commands need no list. */
  const isSanctioned = async (address: string) => {
    list ??= openSanctions({ file: config.sanctionsFile, logger })
    return (await list).isSanctioned(address)
  }
  const vault = openAgentRegistry({ rpc, profile })
  const close = async () => {
    const opened = await list?.catch(() => null)
    await opened?.close()
    signer?.close()
    rpc.close()
    await db.close()
  }
  try {
    // Processes of an older version may use a database; the embedded store is ours alone.
    if (db.engine === 'pglite') await migrateStore(db)
    else if ((await missingMigrations(db)) > 0) {
      throw new OperatorRefused('the database has an older version: start this version’s server on it first')
    }
    const treasury = openTreasury({ db, rpc, clock, logger, profile })
    const store = { db, rpc, clock, profile, treasury, signer, vault, isSanctioned }
    const operator = openOperator({ ...store, league: LEAGUE })
    const via = config.databaseUrl === null ? `the embedded store in ${config.dataDir}` : 'the database'
    return { ...operator, via, close }
  } catch (error) {
    await close()
    throw error
  }
}
