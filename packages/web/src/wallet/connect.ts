import {
  type Account,
  createClient,
  type Eip1193,
  fromProvider,
  fromWallet,
  type PitClient,
  type Rpc,
  rpcAt,
  rpcOf,
} from '@pit/client'
import type { ChainProfile } from '@pit/protocol'
import { createTradingWallet, TRADING_WALLET } from '@pit/trading-wallet'
import { pinsQuery } from '@pit/ui'
import { account, type SignedIn, setAccount } from '../data/account.ts'
import { call, queries } from '../data/api.ts'
import { type NodeChoice, nodeFor } from '../data/node.ts'
import { browserRecords } from '../data/records.ts'
import { walletRpcUrl } from './rpcUrl.ts'
import { createTestWallet, type TestMode } from './testWallet.ts'
import { walletById } from './wallets.ts'

/** Capabilities of the wallet; browser wallets refuse some of them to pages. */
export interface Hands {
  provider: Eip1193
  /** Signs a transaction without sending it. */
  signsTransactions: boolean
  /** Can sign a session: an EIP-7702 authorization and a delegation of its own account. */
  grantsSessions: boolean
}

export const testWalletId = (index: number, mode: TestMode): string => `test:${index}:${mode}`
export const isTestWallet = (id: string): boolean => id.startsWith('test:')
export const testModeOf = (id: string): TestMode => (id.endsWith(':full') ? 'full' : 'like MetaMask')

function handsOf(id: string, profile: ChainProfile): Hands {
  if (isTestWallet(id)) {
    const mode = testModeOf(id)
    const provider = createTestWallet({
      index: Number(id.split(':')[1]),
      mode,
      nodeUrl: profile.rpc_urls[0] ?? walletRpcUrl(),
      sendUrl: walletRpcUrl(),
    })
    return { provider, signsTransactions: mode === 'full', grantsSessions: mode === 'full' }
  }
  if (id === TRADING_WALLET) {
    const provider = createTradingWallet({ nodeUrl: nodeFor(profile).url ?? walletRpcUrl() })
    return { provider, signsTransactions: true, grantsSessions: true }
  }
  const wallet = walletById(id)
  if (!wallet) throw new Error('The wallet you signed in with is no longer in this browser. Connect again.')
  return { provider: wallet.provider, signsTransactions: false, grantsSessions: false }
}

function accountOf({ provider, signsTransactions, grantsSessions }: Hands, address: `0x${string}`): Account {
  return {
    ...(signsTransactions ? fromProvider : fromWallet)(provider, address),
    ...(grantsSessions && {
      signAuthorization: (one) =>
        provider.request({ method: 'wallet_signAuthorization', params: [one] }) as Promise<`0x${string}`>,
    }),
  }
}

export interface Opened {
  client: PitClient
  profile: ChainProfile
  hands: Hands
}

async function open(id: string, address: `0x${string}`, apiKey?: string): Promise<Opened> {
  const { profile } = await queries.ensureQueryData(pinsQuery)
  const hands = handsOf(id, profile)
  const rpc = openNode(id, nodeFor(profile), hands.provider)
  const client = createClient({
    url: window.location.origin,
    profile,
    rpc,
    account: accountOf(hands, address),
    domain: await signInDomain(),
    records: browserRecords(profile),
    ...(apiKey !== undefined && { apiKey }),
  })
  return { client, profile, hands }
}

/**
 * Without the visitor's own or a pinned node, uses the wallet's, which may be this server's. The client signs nothing
 * before the node proved to be on the pinned chain, and this page’s wallets have no node.
 */
function openNode(id: string, node: NodeChoice, provider: Eip1193): Rpc {
  if (node.url !== null) return rpcAt(node.url)
  return isTestWallet(id) || id === TRADING_WALLET ? rpcAt(walletRpcUrl()) : rpcOf(provider)
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Signs in only for the domain in the address bar. */
export async function signInDomain(): Promise<string> {
  const { domain } = (
    await queries.ensureQueryData({ queryKey: ['config once'], queryFn: () => call('config', {}) })
  ).auth
  const { host, hostname } = window.location
  const isOwn = domain === host || domain === hostname || (LOOPBACK.test(host) && LOOPBACK.test(domain ?? ''))
  return isOwn && domain ? domain : host
}

/** Requests the wallet's account, signs in and stores the API key in this tab. */
export async function connect(id: string): Promise<SignedIn> {
  const { profile } = await queries.ensureQueryData(pinsQuery)
  const { provider } = handsOf(id, profile)
  const [address] = (await provider.request({ method: 'eth_requestAccounts' })) as `0x${string}`[]
  if (!address) throw new Error('The wallet returned no account.')
  if (!isTestWallet(id) && id !== TRADING_WALLET) await chooseChain(provider, profile)
  const { client } = await open(id, address.toLowerCase() as `0x${string}`)
  const answer = await client.signIn()
  const signedIn: SignedIn = {
    address: client.address,
    apiKey: answer.api_key,
    keyId: answer.key_id,
    expiresAtS: answer.expires_at,
    wallet: id,
  }
  setAccount(signedIn)
  return signedIn
}

/** Asks the wallet to add this chain, with the verifying node or else this server's. */
async function chooseChain(provider: Eip1193, profile: ChainProfile): Promise<void> {
  const chainId = `0x${profile.chain_id.toString(16)}`
  if ((await provider.request({ method: 'eth_chainId' })) === chainId) return
  await provider.request({
    method: 'wallet_addEthereumChain',
    params: [
      {
        chainId,
        chainName: `Pit ${profile.name}`,
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        rpcUrls: [nodeFor(profile).url ?? walletRpcUrl()],
      },
    ],
  })
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
}

/** The verifying client of a wallet, signed in or not: its own transactions need no key of the service. */
export async function openFor(id: string, address: `0x${string}`): Promise<Opened> {
  const signedIn = account()
  return signedIn?.wallet === id && signedIn.address === address ? openClient() : open(id, address)
}

let opened: { keyId: number; it: Promise<Opened> } | null = null

/** The verifying client of the signed-in account. */
export function openClient(): Promise<Opened> {
  const signedIn = account()
  if (!signedIn) return Promise.reject(new Error('Not signed in.'))
  if (opened?.keyId !== signedIn.keyId)
    opened = { keyId: signedIn.keyId, it: open(signedIn.wallet, signedIn.address, signedIn.apiKey) }
  opened.it.catch(() => {
    opened = null
  })
  return opened.it
}
