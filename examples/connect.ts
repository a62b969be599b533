import { readFileSync } from 'node:fs'
import { type ClientOptions, createClient, fromViem, type PitClient } from '@pit/client'
import { privateKeyToAccount } from 'viem/accounts'

/** Account 1 of the public test mnemonic: funded on every devnet, and publicly known. */
const DEVNET_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

const url = process.env['PIT_URL'] ?? 'http://127.0.0.1:4663'
/** The chain and the co-signer from this machine's files. The server's answers are compared with them. */
const profile: ClientOptions['profile'] = JSON.parse(
  readFileSync(process.env['PIT_PINS'] ?? '.pit/pins.json', 'utf8'),
)
const isDevnet = profile.kind === 'devnet'

/** Domain of a sign-in, so that a message for this server is not valid at another. */
export const domain = process.env['PIT_DOMAIN'] ?? (isDevnet ? 'localhost' : new URL(url).host)
/** The node used to verify answers. */
export const rpcUrl = process.env['ETH_RPC_URL'] ?? profile.rpc_urls[0]

/** The wallet's key: PIT_PRIVATE_KEY, or on a devnet the public test key. */
export function privateKey(): `0x${string}` {
  const key = process.env['PIT_PRIVATE_KEY'] ?? (isDevnet ? DEVNET_KEY : undefined)
  if (key === undefined) throw new Error('Set PIT_PRIVATE_KEY: there is no test key on a real chain.')
  return key as `0x${string}`
}

/** A signed-in client that signs nothing it did not verify. */
export async function connect(key?: `0x${string}`): Promise<PitClient> {
  const account = fromViem(privateKeyToAccount(key ?? privateKey()))
  // A key lasts 30 days: store it in PIT_API_KEY to sign in once.
  const apiKey = key === undefined ? process.env['PIT_API_KEY'] : undefined
  const client = createClient({ url, domain, profile, account, ...(apiKey && { apiKey }) })
  if (!apiKey) await client.signIn()
  return client
}

/** Retries until there is an answer, for at most two minutes. */
export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const giveUpAt = Date.now() + 120_000; Date.now() < giveUpAt; ) {
    const answer = await look()
    if (answer !== undefined) return answer
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  throw new Error('It did not happen within two minutes.')
}
