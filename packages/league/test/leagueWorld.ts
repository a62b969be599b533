import type { HostedAgent } from '@pit/agents'
import { openPaper, type Paper } from '@pit/agents'
import { type Address, type Crypto, createCrypto } from '@pit/chain'
import { openHistory } from '@pit/history'
import { systemClock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { createLeases } from '@pit/platform/jobs'
import { BARE_NUMBERS } from '@pit/platform/test/bareProfile'
import { createScriptedChain, type ScriptedChain } from '@pit/platform/test/scriptedChain'
import {
  type Answer,
  type Board,
  type Body,
  type ChainProfile,
  checkAnswer,
  isPitError,
  NATIVE_TOKEN,
  type RouteId,
} from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Player } from '../src/deps.ts'
import { type League, openLeague } from '../src/openLeague.ts'
import { readFirstSeason, seasonOf } from '../src/rules/index.ts'
import { createScriptedVault, scriptNode } from './scriptedNode.ts'

/** The league over a real store, on a clock and a chain that tests own. */

export const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
export const ETH = NATIVE_TOKEN as Address
export const TOKENS = { WETH: at(0xe0), USDG: at(0xe1), cbBTC: at(0xe2), PARTNER: at(0xe3), NVDA: at(0xe4) }
export const FIRST_S = readFirstSeason('2026-01-05')
export const DAY = 86_400
export const HOUR = 3_600
export const E18 = 10n ** 18n
export const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e6))
export const season = (number: number) => seasonOf(FIRST_S, number)

const feed = { address: at(0xfe), decimals: 8, heartbeat_s: 3_600, deviation_bps: 50, session: 'always' }
const core = (symbol: string, address: Address, decimals: number, own: object = {}) => ({
  symbol,
  name: symbol,
  address,
  decimals,
  kind: 'core',
  native: false,
  feed: null,
  ...own,
})
export const PROFILE = {
  ...BARE_NUMBERS,
  kind: 'devnet',
  chain_id: 4663,
  first_block: 0,
  contracts: { multicall3: at(0xca11) },
  core_tokens: [
    core('ETH', ETH, 18, { kind: 'native', native: true, feed }),
    core('WETH', TOKENS.WETH, 18),
    core('USDG', TOKENS.USDG, 6),
    core('cbBTC', TOKENS.cbBTC, 8, { feed }),
    core('PARTNER', TOKENS.PARTNER, 18),
    core('NVDA', TOKENS.NVDA, 18, { kind: 'stock', feed }),
  ],
  agent_registry: { kind: 'pit', address: at(0xa9) },
  stocks: { issuer: 'robinhood', beacon: null },
  market_holidays: [],
  listed_stocks: [],
  pins: { partner_usdg: { version: 'v3', address: at(0x9001), fee: 3000 }, reference_pools: {} },
  league: { first_season: '2026-01-05', platform_agent_id: '1' },
} as unknown as ChainProfile

export interface Wallet {
  address: Address
  player: Player
  sign(text: string): Promise<`0x${string}`>
}

let crypto: Crypto | undefined
const logger = { info() {}, warn() {}, error() {} }

export async function openLeagueWorld(
  db: Db,
  own: {
    nowS?: number
    genesisS?: number
    platform?: boolean
    paper?: Paper
    clock?: { ms: number; nowMs(): number }
    profile?: ChainProfile
    /** A chain of the test's own. */
    chain?: ScriptedChain
  } = {},
) {
  crypto ??= await createCrypto()
  const clock: { ms: number; nowMs(): number } = own.clock ?? { ms: 0, nowMs: () => clock.ms }
  clock.ms = (own.nowS ?? FIRST_S + HOUR) * 1000
  const genesisS = own.genesisS ?? FIRST_S - 30 * DAY
  const multicall3 = PROFILE.contracts.multicall3 as Address
  const chain = own.chain ?? createScriptedChain({ clock, startS: genesisS, blockS: 10, multicall3 })
  const node = own.chain ? null : scriptNode(chain)
  const { vault, face } = createScriptedVault(chain, genesisS)
  const sanctioned = new Set<string>()
  const isSanctioned = (address: string) => sanctioned.has(address.toLowerCase())
  const hosted = new Map<string, HostedAgent>()
  const profile =
    own.profile ??
    (own.platform === false
      ? ({ ...PROFILE, league: { ...PROFILE.league, platform_agent_id: null } } as ChainProfile)
      : PROFILE)
  const history = openHistory({ db, clock })
  const paper =
    own.paper ??
    openPaper({
      db,
      clock,
      profile,
      market: { mark: () => undefined },
      history,
      quoteTrade: async () => {
        throw new Error('nothing is quoted here')
      },
    })
  const open = (more: { firstSeasonS?: number | null } = {}) =>
    openLeague({
      db,
      rpc: chain.rpc,
      clock,
      crypto: crypto!,
      logger,
      profile,
      firstSeasonS: FIRST_S,
      vault: face,
      isSanctioned,
      hosted: { agentOf: async (id) => hosted.get(id) ?? null },
      accounts: {
        divisionOf: async (sql, id) => {
          const [row] = await sql.query<{ division: string }>('select division from accounts where id = $1', [
            id,
          ])
          return row?.division ?? null
        },
      },
      paper,
      history,
      domain: 'pit.example',
      randomBytes: (size) => globalThis.crypto.getRandomValues(new Uint8Array(size)),
      ...more,
    })
  const league = open()
  const leases = createLeases({ db, clock: { ...clock, sleep: systemClock.sleep } })
  /** Runs what is due, unless a run is in progress. */
  const runDue = async (of = league) => {
    for (const { name, run } of of.jobs.worker)
      await leases.hold(name, new AbortController().signal, async (signal) => void (await run(signal)))
  }
  return {
    db,
    clock,
    chain,
    node: node!,
    runDue,
    /** Sends an address its first ETH, by a transaction or inside one. */
    fund(to: Address, { from, block, inside = false }: { from: Address; block: number; inside?: boolean }) {
      chain.setBalance(ETH, to, 1n, block)
      if (!inside) chain.add({ from, to, valueWei: 1n, gasUsed: 0n }, block)
    },
    vault,
    registry: face,
    sanctioned,
    isSanctioned,
    hosted,
    league,
    open,
    profile,
    nowS: () => Math.floor(clock.ms / 1000),
    goTo(timeS: number) {
      clock.ms = timeS * 1000
    },
    /** Runs what is due at a time, until nothing is left to do. */
    async runAt(timeS: number, times = 2) {
      clock.ms = timeS * 1000
      for (let i = 0; i < times; i++) await runDue()
    },
  }
}
export type LeagueWorld = Awaited<ReturnType<typeof openLeagueWorld>>

/** A wallet with an account; by name, so that a test reads. */
export async function newWallet(db: Db, name: string): Promise<Wallet> {
  const account = privateKeyToAccount(keccak256(stringToHex(`league ${name}`)))
  const address = account.address.toLowerCase() as Address
  const [row] = await db.query<{ id: number }>(
    `insert into accounts (wallet, created_at_s) values ($1, 0)
     on conflict (wallet) do update set wallet = excluded.wallet returning id`,
    [address],
  )
  return {
    address,
    player: { wallet: address, accountId: row!.id },
    sign: (text) => account.signMessage({ message: text }),
  }
}

/** Puts an agent into the registry. */
export function register(
  world: LeagueWorld,
  id: string,
  own: Partial<Record<'owner' | 'agentWallet' | 'beneficiary' | 'token', Address>>,
) {
  const owner = own.owner ?? at(0x1000 + Number(id))
  world.vault.agents.set(id, {
    id,
    owner,
    agentWallet: own.agentWallet ?? owner,
    beneficiary: own.beneficiary ?? owner,
    token: own.token ?? at(0x70000 + Number(id)),
    symbol: `AG${id}`,
    name: `Agent number ${id}`,
  })
}

type Writes = 'league.statement' | 'league.enter' | 'league.confirm' | 'league.leave' | 'paper.order'
/** Request fields of all routes. */
interface Sent {
  agent_id?: string | number
  board?: Board
  hosted_id?: string
  signature?: string
  nonce?: string
  token_in?: string
  token_out?: string
  notional_usd?: number
  amount_in?: string
  client_id?: string
}
type Write = (league: League, player: Player, body: Sent) => Promise<unknown>
const WRITES: Record<Writes, Write> = {
  'league.statement': (league, player, body) => league.statement(player, namedBy(body)),
  'league.enter': (league, player, body) => league.enter(player, { ...body, ...namedBy(body) }),
  'league.confirm': (league, player, body) => league.confirm(player, { ...body, ...namedBy(body) } as never),
  'league.leave': (league, player, body) => league.leave(player, namedBy(body)),
  'paper.order': (league, player, body) => {
    const { token_in: tokenIn = '', token_out: tokenOut = '', notional_usd, amount_in, client_id } = body
    const size =
      amount_in === undefined ? { microUsd: usd(notional_usd ?? 0) } : { amountIn: BigInt(amount_in) }
    const request = client_id === undefined ? null : { clientId: client_id, hash: JSON.stringify(body) }
    return league.paperOrder(player, { tokenIn, tokenOut, size }, request)
  },
}
const namedBy = ({ agent_id, board, hosted_id }: Sent) => ({
  agentId: (agent_id === undefined ? undefined : String(agent_id)) as string,
  board,
  hostedId: hosted_id,
})
/** Calls a verb with its route's request. */
export async function call<Id extends Writes>(
  world: { league: LeagueWorld['league'] },
  id: Id,
  wallet: Wallet,
  body: Body<Id>,
): Promise<Answer<Id>> {
  const answer = await WRITES[id](world.league, wallet.player, body as Sent)
  return asDocumented(id, answer as Answer<Id>)
}

/** Validates each response against the route's schema. */
function asDocumented<Id extends RouteId>(id: Id, answer: Answer<Id>): Answer<Id> {
  const checked = checkAnswer(id, answer)
  if (!checked.ok) throw new Error(`${id} answers ${checked.field}: ${checked.message}`)
  return answer
}

/** The code of a refusal, with its most specific extra. */
export const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'was not refused',
    (error: unknown) => {
      if (!isPitError(error)) throw error
      const { field, owner } = error.extras as { field?: string; owner?: string }
      return [error.code, field ?? owner].filter(Boolean).join(' ')
    },
  )

type Reads = 'league' | 'league.standings' | 'league.seasons' | 'league.season' | 'league.reserve'
export async function read<Id extends Reads>(
  world: { league: LeagueWorld['league'] },
  id: Id,
  input: { query?: object; params?: object } = {},
): Promise<Answer<Id>> {
  const { league } = world
  const {
    season,
    board = 'prize',
    n,
  } = { ...input.query, ...input.params } as { season?: number; board?: Board; n?: number }
  const reads = {
    league: league.overview,
    'league.standings': () => league.standings({ season, board }),
    'league.seasons': league.seasons,
    'league.season': () => league.season(n ?? 0),
    'league.reserve': league.reserve,
  }
  const serialised = await reads[id]()
  return asDocumented(id, JSON.parse(serialised.toString()) as Answer<Id>)
}

/** Enters an agent that the wallet owns, by its signed statement. */
export async function enterSigned(world: LeagueWorld, wallet: Wallet, agentId: string, owner = wallet) {
  if (!world.vault.agents.has(agentId)) register(world, agentId, { owner: owner.address })
  const made = await call(world, 'league.statement', wallet, { agent_id: agentId })
  const signature = await owner.sign(made.message)
  return call(world, 'league.enter', wallet, { agent_id: agentId, signature, nonce: made.nonce })
}

let hashes = 0
/** A final relayed transaction, as the relay stores it. */
export async function addTrade(
  db: Db,
  wallet: Address,
  trade: {
    atS: number
    tokenIn?: Address
    tokenOut?: Address
    amountIn?: bigint
    amountOut?: bigint | null
    status?: 'mined' | 'reverted' | 'pending' | 'dropped'
    settled?: boolean
    kind?: 'swap' | 'approve'
    gasWei?: bigint
  },
): Promise<{ id: number; hash: string }> {
  const hash = `0x${(++hashes).toString(16).padStart(64, '0')}`
  const mined = trade.status !== 'pending' && trade.status !== 'dropped'
  const [row] = await db.query<{ id: number }>(
    `insert into trades (kind, wallet, key_id, path, status, token_in, token_out, amount_in, amount_out,
       amount_out_kind, tx_hash, signer, nonce, block, block_hash, mined_at_s, created_at_ms, settled,
       gas_wei)
     values ($1, $2, 1, 'agent', $3, $4, $5, $6, $7, 'actual', $8, $2, 0, $9, $8, $10, $11, $12,
     $13) returning id`,
    [
      trade.kind ?? 'swap',
      wallet,
      trade.status ?? 'mined',
      trade.tokenIn ?? TOKENS.USDG,
      trade.tokenOut ?? ETH,
      trade.amountIn ?? usd(100),
      trade.status === 'reverted' ? null : (trade.amountOut ?? E18 / 20n),
      hash,
      mined ? trade.atS * 10 : null,
      mined ? trade.atS : null,
      (trade.atS - 1) * 1000,
      trade.settled ?? true,
      trade.gasWei ?? null,
    ],
  )
  return { id: row!.id, hash }
}

/** A mark of each token at every half hour of a span; where the price is null there is none. */
export async function addMarks(
  db: Db,
  { fromS, toS, everyS = 1_800 }: { fromS: number; toS: number; everyS?: number },
  priceOf: (token: Address, atS: number) => number | null,
): Promise<void> {
  const rows: [string, number, string][] = []
  for (const token of [ETH, TOKENS.WETH, TOKENS.cbBTC, TOKENS.PARTNER]) {
    for (let minuteS = fromS; minuteS <= toS; minuteS += everyS) {
      const price = priceOf(token, minuteS)
      if (price !== null) rows.push([token, minuteS, `${BigInt(Math.round(price * 1e6)) * 10n ** 12n}`])
    }
  }
  await db.query(
    `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
     select token, minute_s, price::numeric, 'oracle_feed', 1, minute_s, false
     from unnest($1::text[], $2::int8[], $3::text[]) as given (token, minute_s, price)
     on conflict do nothing`,
    [rows.map(([token]) => token), rows.map(([, atS]) => atS), rows.map(([, , price]) => price)],
  )
}

export const still = (token: Address): number =>
  token === TOKENS.cbBTC ? 50_000 : token === TOKENS.PARTNER ? 0.5 : 2_000

/** Deletes all rows of the league and its neighbours before the next test. */
export const emptyStore = (db: Db): Promise<void> =>
  db.exec(`alter table league_reviews disable trigger user;
    truncate league_standings, league_reviews, league_payouts, league_withdrawals, league_ledger,
    league_stakes,
    league_stake_now, league_balances, league_samples, league_trades, league_practice_books, league_books,
    league_entries, league_statements,
    league_seasons, league_cursor, league_owners, league_funders, league_transfer_scans, league_transfers,
    job_leases,
    league_paper_requests, paper_equity, paper_fills, paper_balances, paper_books, hosted_agents, fees,
    trades, marks, accounts, history_points, league_start restart identity cascade;
    alter table league_reviews enable trigger user`)
