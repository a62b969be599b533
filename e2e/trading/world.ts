import { readFileSync } from 'node:fs'
import type { ChainProfile } from '@pit/protocol'
import { type DevnetProcess, startDevnetProcess } from '../devnetProcess.ts'
import { type ServerProcess, startServerProcess } from '../serverProcess.ts'

export interface TradingWorld {
  devnet: DevnetProcess
  server: ServerProcess
  profile: ChainProfile
  /** Address of a core symbol, lower-case. */
  core(symbol: string): `0x${string}`
  close(): Promise<void>
}

/** A devnet and a server on it, each in its own process, with limits that no test reaches. */
export async function openTradingWorld({
  devnet: devnetEnv = {},
  server: serverEnv = {},
}: {
  devnet?: Record<string, string>
  /** Or a function that creates it once there is a chain. */
  server?: Record<string, string> | ((devnet: DevnetProcess) => Promise<Record<string, string>>)
} = {}): Promise<TradingWorld> {
  const devnet = await startDevnetProcess({ MARKET: 'off', ...devnetEnv })
  const own = typeof serverEnv === 'function' ? await serverEnv(devnet) : serverEnv
  const server = await startServerProcess({ ...tradingEnv(devnet), ...own })
  const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
  return {
    devnet,
    server,
    profile,
    core: (symbol) =>
      profile.core_tokens.find((token) => token.symbol === symbol)!.address.toLowerCase() as `0x${string}`,
    async close() {
      await server.stop()
      await devnet.stop()
    },
  }
}

/** Settings for a server on that devnet, for tests that start and kill their own. */
export const tradingEnv = (devnet: DevnetProcess): Record<string, string> => ({
  PROFILE: devnet.profileFile,
  CHAIN_RPC_URL: devnet.nodeUrls,
  SEQUENCER_URL: devnet.sequencerUrl,
  LOG_LEVEL: 'warn',
  RATE_LIMIT_SCALE: '10000',
  SIGNUPS_PER_ADDRESS_DAY: '100000',
  SIGNUPS_PER_HOUR: '100000',
  KEYS_PER_ADDRESS_DAY: '100000',
  KEYS_PER_HOUR: '100000',
  // Stories screen tokens on request; screening all of the devnet's in the background loads both processes.
  SCREEN_PAUSE_MS: '1000',
})
