import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, createClient, fromViem, type PitClient, type Rpc, rpcAt } from '@pit/client'
import { mnemonicToAccount } from 'viem/accounts'
import { openKeyFile, type Target } from '../client/settings.ts'
import { sendTestFunds } from '../devnet/fund.ts'

/** The devnet's public mnemonic. Its first ten accounts belong to visitors and to the devnet itself. */
const MNEMONIC = 'test test test test test test test test test test test junk'
const FIRST_INDEX = 20
/** The demo counts as a separate client address (TEST-NET-1), so that a visitor keeps every rate limit. */
const CLIENT_ADDRESS = '192.0.2.20'

const ETHER = 10n ** 18n
const FUNDS = { eth: 4n * ETHER, usdg: 10_000_000_000n }
const LOW_WEI = ETHER / 2n

export interface Trader {
  client: PitClient
  account: Account
  rpc: Rpc
  target: Target
  /** Signs in, with the stored API key if it is still valid, and tops up the wallet. */
  prepare(): Promise<void>
}

/** Demo wallet `n` (from 0): the same one after every restart. API keys are stored in `keyFolder`. */
export function openTrader(target: Target, keyFolder: string, n: number): Trader {
  const account = fromViem(mnemonicToAccount(MNEMONIC, { addressIndex: FIRST_INDEX + n }))
  const keys = openKeyFile({ PIT_HOME: keyFolder }, () => Math.floor(Date.now() / 1000))
  const rpc = rpcAt(target.rpcUrl)
  const apiKey = keys.read(target, account.address)
  const { url, domain, profile } = target
  const client = createClient({
    ...{ url, domain, profile, account, rpc },
    fetch: (input, init = {}) =>
      fetch(input, { ...init, headers: { ...init.headers, 'x-forwarded-for': CLIENT_ADDRESS } }),
    ...(apiKey !== undefined && { apiKey }),
  })
  return {
    ...{ client, account, rpc, target },
    async prepare() {
      if (client.apiKey() === null) keys.write(target, account.address, await client.signIn())
      const [balance] = await rpc.all([{ method: 'eth_getBalance', params: [account.address, 'latest'] }])
      if (balance instanceof Error || BigInt(balance as string) >= LOW_WEI) return
      await sendTestFunds({ rpc, profile, sleep: (ms) => sleep(ms) }, account.address, FUNDS)
    },
  }
}
