import type { Hex } from '@pit/chain'
import {
  type Account,
  createClient,
  fromViem,
  isRefusal,
  type PitClient,
  type PitRefusal,
  rpcAt,
} from '@pit/client'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { cosignerOf, openSessionWorld, type SessionWorld } from '../../session/world.ts'
import { readStoryTokens } from '../../trading/tokens.ts'
import { type Mcp, openMcpHome } from '../mcpWorld.ts'
import { openProxy } from '../proxy.ts'
import { openPit, type Ran } from '../runPit.ts'

const DOMAIN = 'pit.test'
const KEY = keccak256(stringToHex('lied to owner'))
export const ETH = 10n ** 18n
export const owner = privateKeyToAccount(KEY).address.toLowerCase() as Hex
export const executor = privateKeyToAccount(keccak256(stringToHex('lied to executor'))).address
export const TERMS = { max_trade_usd: 10, max_day_usd: 20, max_trades: 5, expires_in_s: 3_600 }
export const GRANT = { executor, tokens: ['ETH', 'USDG'], ...TERMS }
export const AGENT = {
  brain: 'dca' as const,
  params: { usd: 5 },
  interval_s: 3_600,
  pairs: ['ETH/USDG'],
  mode: 'live' as const,
  limits: { max_trade_usd: 10, max_day_usd: 20, max_position_usd: 100 },
}

// biome-ignore lint/suspicious/noExplicitAny: lies change fields of every answer
export type Any = any
/** Changes an answer in place, by its path under the API's prefix. */
export type Lie = (path: string, body: Any) => void

/** An owner whose library, command and MCP server reach the real server through a proxy that can lie. */
export interface LyingOwnerWorld {
  world: SessionWorld
  client: PitClient
  /** A token that still trades on its curve. */
  curveToken: Hex
  /** A client of the owner without records, behind the proxy unless another URL is given. */
  openClient(url?: string): PitClient
  /** Signatures of the owner's key so far, by any client in this process. */
  signatureCount(): number
  /** Transactions of the owner on chain. */
  sentCount(): Promise<number>
  whileLying<T>(lie: Lie, work: () => Promise<T>): Promise<T>
  /** The refusal of a lie, and the number of signatures of the owner's key. */
  refusedBy(lie: Lie, work: () => Promise<unknown>): Promise<[PitRefusal, number]>
  /** The command with --json, as the owner, behind the proxy. */
  runPit(...args: string[]): Promise<Ran>
  /** The MCP server with trading allowed, behind the proxy; started at the first call. */
  mcp(): Promise<Mcp>
  /** Whether the chain has disabled the delegation with this hash. */
  isDisabled(hash: Hex): Promise<boolean>
  close(): Promise<void>
}

export async function openLyingOwnerWorld(): Promise<LyingOwnerWorld> {
  const world = await openSessionWorld({ server: { AUTH_DOMAIN: DOMAIN, SEAL_KEY: '5e'.repeat(32) } })
  const cosigner = await cosignerOf(world.server.url)
  const curveToken = (await readStoryTokens(world.devnet)).onCurve('ETH')
  let lie: Lie = () => {}
  const proxy = await openProxy(world.server.url, {
    change({ path }, answer) {
      if (!answer.body.error) lie(path, answer.body)
      return answer
    },
  })
  await world.fund(owner, { wei: 10n * ETH, usdg: 1_000_000_000n })
  const pit = openPit(world, DOMAIN, cosigner)
  const home = openMcpHome(world, proxy.url, KEY, cosigner)
  let signatures = 0
  const account = countSignatures(fromViem(privateKeyToAccount(KEY)), () => signatures++)
  const openClient = (url = proxy.url): PitClient =>
    createClient({
      url,
      domain: DOMAIN,
      profile: { ...world.profile, cosigner },
      account,
      rpc: rpcAt(world.devnet.url),
      maxTries: 1,
    })
  const client = openClient()
  await client.signIn()
  let mcp: Promise<Mcp> | undefined

  const whileLying = <T>(next: Lie, work: () => Promise<T>): Promise<T> => {
    lie = next
    return work().finally(() => {
      lie = () => {}
    })
  }
  return {
    world,
    client,
    curveToken,
    openClient,
    signatureCount: () => signatures,
    sentCount: async () => Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [owner, 'latest'])),
    whileLying,
    async refusedBy(next, work) {
      const before = signatures
      try {
        await whileLying(next, work)
      } catch (error) {
        if (isRefusal(error)) return [error, signatures - before]
        throw error
      }
      throw new Error('the lie was believed')
    },
    runPit: (...args) => pit([...args, '--url', proxy.url, '--json'], { env: { PIT_PRIVATE_KEY: KEY } }),
    mcp() {
      mcp ??= home.start(['--allow-trading', '--max-usd-per-trade', '20', '--max-usd-per-day', '60'])
      return mcp
    },
    async isDisabled(hash) {
      const data = `0x2d40d052${hash.slice(2)}`
      const to = world.profile.delegation.delegation_manager
      return BigInt(await world.devnet.rpc<Hex>('eth_call', [{ to, data }, 'latest'])) === 1n
    },
    async close() {
      await (await mcp)?.close()
      home.remove()
      pit.close()
      await proxy.close()
      await world.close()
    },
  }
}

function countSignatures(account: Account, count: () => void): Account {
  const counted =
    <A extends unknown[], T>(sign: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> => {
      count()
      return sign(...args)
    }
  return {
    address: account.address,
    signMessage: counted(account.signMessage),
    signTypedData: counted(account.signTypedData),
    signTransaction: counted(account.signTransaction),
    signAuthorization: counted(account.signAuthorization!),
  }
}

/** Exit code and error code of a command. */
export const codesOf = (ran: Ran): [number, string] => [ran.code, ran.json().error?.code]
