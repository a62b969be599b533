import type { ChainProfile, RiskCode } from '@pit/protocol'
import { afterAll, beforeAll } from 'vitest'
import { type DevnetProcess, startDevnetProcess } from '../devnetProcess.ts'
import { type ServerProcess, startServerProcess } from '../serverProcess.ts'

interface Info {
  gallery: Record<string, { address: string; symbol: string; wrong: string; risks: RiskCode[] }>
  stocks: Record<string, string>
  accounts: { address: string; private_key: `0x${string}` }[]
  registries: { pit: string; erc8004: string }
  agents: { token: string }[]
  long_tail: { address: string; symbol: string; venues: string[]; graduated?: boolean }[]
  upgradeable: { token: string }
  profile: ChainProfile
}
export interface TokenAnswer {
  address: string
  symbol: string
  name: string
  kind: string
  tier: string
  tradable: boolean
  stock_beacon: boolean
  multiplier: number | null
  fee_bps: number
  decimals: number
  risks: { code: RiskCode; severity: string; message: string }[]
  warnings: string[]
  flags: Record<string, unknown>
  screen_status: string
  screened_at: number | null
  audit?: { verdict: string; url: string; source: string; checked_at: number }
  shield: boolean
  shield_available?: true
}
type Body = Omit<TokenAnswer, 'tradable'> & {
  /** A flag for a token, a number for the counts. */
  tradable: unknown
  error?: { code: string; field?: string }
  tokens: TokenAnswer[]
  count: number
  total: number
}
interface Answered {
  status: number
  body: Body
  retryAfterS: number | null
  ms: number
}

export interface Quoted {
  status: number
  error?: { code: string; message: string }
  best: { id: string; simulated: boolean; amount_out: string; quoted_amount_out: string; why?: string } | null
  routes: { id: string; label: string; ok: boolean; why?: string; amount_out: string | null }[]
  risks: { code: RiskCode; severity: string; message: string; token?: string }[]
  marks: Record<string, { symbol: string; stale: boolean | null; price_usd: number | null }>
}

/** The devnet with its gallery, and a server that screens tokens on request. */
export interface Gallery {
  readonly devnet: DevnetProcess
  readonly server: ServerProcess
  readonly info: Info
  readonly keys: readonly string[]
  rpc<T>(method: string, params?: readonly unknown[]): Promise<T>
  get(path: string, key?: string, url?: string): Promise<Answered>
  post<T>(path: string, body: object): Promise<T & { status: number }>
  quote(body: object): Promise<Quoted>
  token(address: string, query?: string): Promise<Answered>
  /** The address of a bad token. */
  specimen(name: string): string
  /** Its expected risks. */
  expected(name: string): RiskCode[]
}

/** Everything here is hours old, and a specimen trades in one pool. */
export const CONTEXT: RiskCode[] = ['NEW_TOKEN', 'SINGLE_POOL']
/** Specimens with no relevant pool, or more than one. */
const MANY_OR_NONE = ['no_route', 'only_traps', 'fee_trap']
/** Further risks of a specimen besides the labelled one. */
const BESIDES: Record<string, RiskCode[]> = { paused: ['OWNER_CONTROLS'] }

export const codesOf = ({ risks }: Pick<TokenAnswer, 'risks'>): RiskCode[] =>
  risks.map(({ code }) => code).sort()

export function useGallery(): Gallery {
  let devnet: DevnetProcess
  let server: ServerProcess
  let info: Info
  const keys: string[] = []

  beforeAll(async () => {
    devnet = await startDevnetProcess({ MARKET: 'off', BLOCK_MS: '250' })
    info = await devnet.rpc<Info>('devnet_info')
    server = await startServerProcess({
      PROFILE: devnet.profileFile,
      CHAIN_RPC_URL: devnet.nodeUrls,
      LOG_LEVEL: 'warn',
      // The gallery sends more requests per minute than one caller may.
      RATE_LIMIT_SCALE: '100',
      // Tokens are screened on request here, not in advance.
      ROLE: 'api',
    })
    for (let i = 0; i < 2; i++) keys.push(await server.signIn(`203.0.113.${i + 1}`))
  })
  afterAll(async () => {
    await server?.stop()
    await devnet?.stop()
  })

  async function get(path: string, key = keys[0]!, url = server.url): Promise<Answered> {
    const started = performance.now()
    const answer = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })
    const body = (await answer.json()) as Body
    const wait = answer.headers.get('retry-after')
    return {
      status: answer.status,
      body,
      retryAfterS: wait === null ? null : Number(wait),
      ms: performance.now() - started,
    }
  }

  async function post<T>(path: string, body: object): Promise<T & { status: number }> {
    const answer = await fetch(`${server.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, ...((await answer.json()) as T) }
  }

  return {
    get devnet() {
      return devnet
    },
    get server() {
      return server
    },
    get info() {
      return info
    },
    keys,
    rpc: (method, params = []) => devnet.rpc(method, params),
    get,
    post,
    quote: (body) => post<Quoted>('live/quote', body),
    token: (address, query = '') => get(`tokens/${address}${query}`),
    specimen: (name) => info.gallery[name]!.address,
    expected(name) {
      const context = MANY_OR_NONE.includes(name) ? CONTEXT.slice(0, 1) : CONTEXT
      return [...info.gallery[name]!.risks, ...(BESIDES[name] ?? []), ...context].sort()
    },
  }
}
