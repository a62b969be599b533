import { storedRecord } from '@pit/league/record'
import type { RecordSource } from '@pit/league/rules'
import { addressesIn, createRpc, type Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import { NoLocalStore, openStoredMarks } from '../backtest/storedMarks.ts'
import { type GlobalOptions, readTarget } from '../client/settings.ts'
import { NoServer, type Published, servedRecord } from './servedRecord.ts'

type Environment = Record<string, string | undefined>

/** A record, with the profile and node used to check it. */
export interface OpenedRecord {
  source: RecordSource
  /** Reads the published season; null for a record from a store. */
  published: ((number: number) => Promise<Published>) | null
  profile: ChainProfile
  rpc: Pick<Rpc, 'request' | 'batch'> | null
  close(): Promise<void>
}

/**
 * Opens the server of --url or PIT_URL; otherwise the store of the environment, or the server that has the
 * embedded store open.
 */
export async function openRecord(
  env: Environment,
  options: GlobalOptions,
  say: (text: string) => void,
): Promise<OpenedRecord> {
  if (options.url !== undefined || env['PIT_URL'] !== undefined) return openServed(env, options, say)
  try {
    return await openStored(env, options)
  } catch (error) {
    if (!(error instanceof NoLocalStore)) throw error
    // If the server does not respond either, report why the store could not be opened.
    const opened = openServed(env, options, say).catch(() => Promise.reject(error))
    return withReason(await opened, error)
  }
}

const withReason = (opened: OpenedRecord, why: NoLocalStore): OpenedRecord => ({
  ...opened,
  source: {
    ...opened.source,
    season: (number) =>
      opened.source.season(number).catch((error: unknown) => {
        throw error instanceof NoServer ? why : error
      }),
  },
})

async function openStored(env: Environment, { rpcUrl }: GlobalOptions): Promise<OpenedRecord> {
  const { db, profile } = await openStoredMarks(env)
  const named = rpcUrl ?? env['CHAIN_RPC_URL']
  const rpc = openRpc(named ? addressesIn(named) : profile.rpc_urls, profile)
  return {
    source: storedRecord(db),
    published: null,
    profile,
    rpc,
    async close() {
      rpc?.close()
      await db.close()
    },
  }
}

async function openServed(
  env: Environment,
  options: GlobalOptions,
  say: (text: string) => void,
): Promise<OpenedRecord> {
  const { url, rpcUrl, profile } = readTarget(options, env)
  const { published, ...source } = servedRecord(url)
  say(`Reading the record from ${url}; checking it on the node ${new URL(rpcUrl).host}.`)
  const rpc = openRpc([rpcUrl], profile)
  return { source, published, profile, rpc, close: async () => rpc?.close() }
}

const openRpc = (urls: readonly string[], { chain_id }: ChainProfile): Rpc | null =>
  urls.length > 0 ? createRpc({ url: [...urls], chainId: chain_id }) : null
