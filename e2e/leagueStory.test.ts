import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '@pit/chain'
import { mondayOf } from '@pit/league/rules'
import { itInFull } from '@pit/platform/test/tier'
import { until } from '@pit/platform/test/until'
import { DAY_S } from '@pit/protocol'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { type DevnetProcess, startDevnetProcess } from './devnetProcess.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'
import { MNEMONIC, openTrader, type Trader } from './trading/trader.ts'
import { tradingEnv } from './trading/world.ts'

// A league as its users see it, on the devnet’s registry: entries before the first season, then trading. A
// server's time cannot be moved, but its first season can: the server is started twice, with a different
// Monday.

interface Statement {
  message: string
  nonce: string
}
interface Entry {
  entry_id: number
  confirmed: boolean | null
  status: string
  from_season: number
  playing: boolean
  entered_at: number
  proof: string
}
interface Standings {
  rows: {
    entry_id: number
    wallet?: string
    trades: number
    left: boolean
    profit_usd: number | null
    eligibility: { rules: { rule: string; status: string; reason: string | null }[] } | null
  }[]
  status: string
}

const dateOf = (timeS: number): string => new Date(timeS * 1000).toISOString().slice(0, 10)
const thisMonday = mondayOf(Math.floor(Date.now() / 1000))

let devnet: DevnetProcess
let server: ServerProcess
let dataDir: string
const start = (firstSeason: string) =>
  startServerProcess({
    ...tradingEnv(devnet),
    DATA_DIR: dataDir,
    LEAGUE_FIRST_SEASON: firstSeason,
    SANCTIONS_FILE: join(dataDir, 'sanctions.txt'),
    MAX_LOOP_DELAY_MS: '60000',
  })
const trader = (account: number): Promise<Trader> => openTrader(server.url, { account })
const signAs = (account: number, message: string): Promise<Hex> =>
  mnemonicToAccount(MNEMONIC, { addressIndex: account }).signMessage({ message })
const get = async <T>(path: string): Promise<T & { error?: { code: string } }> =>
  (await (await fetch(`${server.url}/api/v1/${path}`)).json()) as T & { error?: { code: string } }
/** Generous, for a busy machine. */
const patient = <T>(holds: (seen: T) => boolean, withinMs = 120_000) => ({ holds, withinMs, everyMs: 500 })

beforeAll(async () => {
  // The first funding of an entrant is in the past.
  devnet = await startDevnetProcess({ MARKET: 'off' }, 'new')
  dataDir = await newServerDirectory('pit-league-')
  const { agents } = await devnet.rpc<{ agents: { beneficiary: Hex }[] }>('devnet_info', [])
  writeFileSync(
    join(dataDir, 'sanctions.txt'),
    `${readFileSync('data/sanctions.txt', 'utf8')}\n${agents[7]!.beneficiary}\n`,
  )
})
afterAll(async () => {
  await server?.stop()
  await devnet?.stop()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

describe('before the first season', () => {
  beforeAll(async () => {
    server = await start(dateOf(thisMonday + 7 * DAY_S))
  })
  afterAll(() => server.stop())

  it('shows its start and its rules', async () => {
    const league = await get<{
      season: { number: number; state: string; status: string }
      rules: { min_owner_clusters: number; split_pct: number[]; practice: { book_usdg: number } }
      reserve: { on: boolean; agent_id: string }
    }>('league')
    expect(league.season).toMatchObject({ number: 1, state: 'upcoming', status: 'upcoming' })
    expect(league.rules).toMatchObject({
      min_owner_clusters: 10,
      split_pct: [50, 30, 20],
      practice: { book_usdg: 10_000 },
    })
    expect(league.reserve).toMatchObject({ on: true, agent_id: '1' })
  })

  it('enters an agent by its owner’s signature of the statement', async () => {
    const owner = await trader(1)
    const { status, body } = await owner.post<Statement>('league/statement', { agent_id: 2 })
    expect(status, JSON.stringify(body.error)).toBe(200)
    expect(body.message.split('\n')).toEqual([
      'localhost asks the owner of an agent to sign for the Pit League.',
      '',
      'I own this agent in the agent registry and enter it for this entrant.',
      '',
      'Agent: 2',
      `Entrant: prize league, trading wallet ${owner.wallet}`,
      'Chain ID: 4663',
      `Nonce: ${body.nonce}`,
      expect.stringMatching(/^Expires: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      expect.stringContaining('I confirm that I am 18 or older, not a US person'),
      'Signing sends no transaction and costs no gas.',
    ])
    const signature = await signAs(1, body.message)
    const entered = await owner.post<Entry>('league/enter', { agent_id: 2, signature, nonce: body.nonce })
    expect(entered.status, JSON.stringify(entered.body.error)).toBe(201)
    expect(entered.body).toMatchObject({
      confirmed: true,
      proof: 'statement',
      from_season: 1,
      playing: false,
    })
    const again = await owner.post('league/enter', { agent_id: 2, signature, nonce: body.nonce })
    expect({ status: again.status, code: again.body.error?.code }).toEqual({
      status: 400,
      code: 'STATEMENT_EXPIRED',
    })
  })

  it('enters one by signing in, and accepts its owner’s signature later', async () => {
    const owner = await trader(2)
    const entered = await owner.post<Entry>('league/enter', { agent_id: '3' })
    expect(entered.body).toMatchObject({ confirmed: false, proof: 'signed_in' })
    const { body } = await owner.post<Statement>('league/statement', { agent_id: '3' })
    const signature = await signAs(2, body.message)
    const confirmed = await owner.post<Entry>('league/confirm', {
      agent_id: '3',
      signature,
      nonce: body.nonce,
    })
    expect(confirmed).toMatchObject({ status: 200, body: { confirmed: true } })
    const { body: mine } = await owner.get<{ entries: Entry[] }>('league/me')
    expect(mine.entries).toMatchObject([{ confirmed: true, status: 'active', left_at: null }])
    expect(Math.abs(mine.entries[0]!.entered_at - Date.now() / 1_000)).toBeLessThan(600)
  })

  it('enters an account on the practice board, which is inactive until then', async () => {
    const owner = await trader(3)
    const entered = await owner.post<Entry>('league/enter', { agent_id: 4, board: 'practice' })
    expect(entered).toMatchObject({ status: 201, body: { confirmed: null, from_season: 1 } })
    const order = await owner.post('paper/orders', { token_in: 'USDG', token_out: 'ETH', notional_usd: 100 })
    expect(order.status).toBe(409)
    expect(order.body.error).toMatchObject({
      code: 'SEASON_CLOSED',
      why: expect.stringContaining('season 1'),
    })
  })

  it('refuses with a code', async () => {
    const owner = await trader(5)
    const refused = async (path: string, body: object) => {
      const answer = await owner.post(path, body)
      return [
        answer.status,
        answer.body.error?.code,
        answer.body.error?.['field'] ?? answer.body.error?.['owner'],
      ]
    }
    expect(await refused('league/enter', { agent_id: 8 })).toEqual([451, 'SANCTIONED', 'beneficiary'])
    expect(await refused('league/enter', { agent_id: 999 })).toEqual([404, 'NOT_AN_AGENT', 'agent_id'])
    const [status, code] = await refused('league/enter', { agent_id: 7 })
    expect([status, code]).toEqual([403, 'NOT_OWNER'])
    expect(await refused('league/enter', { agent_id: 6, hosted_id: 'nobody' })).toEqual([
      404,
      'NOT_FOUND',
      undefined,
    ])
    expect(await refused('league/enter', { agent_id: 6, hosted_id: 'h', board: 'prize' })).toEqual([
      409,
      'PRIZE_IS_LIVE',
      undefined,
    ])
    expect((await refused('league/leave', { agent_id: 2 })).slice(0, 2)).toEqual([403, 'FORBIDDEN'])
    expect((await refused('league/leave', {})).slice(0, 2)).toEqual([404, 'NOT_ENTERED'])
    expect((await refused('league/leave', { season: 1 })).slice(0, 2)).toEqual([400, 'UNKNOWN_FIELD'])
    expect((await get('league/seasons/7')).error?.code).toBe('NO_SEASON')
  })
})

describe('once the season runs', () => {
  let wallet: string
  beforeAll(async () => {
    server = await start(dateOf(thisMonday))
  })

  it('has opened, with everyone who entered', async () => {
    const league = await until(
      () => get<{ season: { state: string }; entrants: number; practice_entrants: number }>('league'),
      patient(({ entrants, practice_entrants }) => entrants === 2 && practice_entrants === 1),
    )
    expect(league).toMatchObject({ season: { number: 1, state: 'open' }, entrants: 2, practice_entrants: 1 })
  })

  it('relays a real trade of an entrant', async () => {
    const owner = await trader(1)
    wallet = owner.wallet
    const { body: plan } = await owner.plan({
      wallet,
      token_in: 'ETH',
      token_out: 'USDG',
      notional_usd: 200,
    })
    expect(plan.ready, JSON.stringify(plan.error)).toBe(true)
    const raws = plan.steps.flatMap(({ tx }) => (tx ? [owner.sign(tx).raw] : []))
    const sent = await owner.post('live/submit', raws.length > 1 ? { raw_txs: raws } : { raw_tx: raws[0] })
    expect(sent.status, JSON.stringify(sent.body.error)).toBe(200)
  })

  it('fills a practice order at a real quote', async () => {
    const owner = await trader(3)
    const order = (body: object) =>
      owner.post<{ amount_out: string; season: number; price_usd: number }>('paper/orders', body)
    const bought = await order({ token_in: 'USDG', token_out: 'ETH', notional_usd: 1_000 })
    expect(bought.status, JSON.stringify(bought.body.error)).toBe(201)
    expect(bought.body).toMatchObject({
      season: 1,
      token_in: 'USDG',
      token_out: 'ETH',
      amount_in: '1000000000',
    })
    const { body: book } = await owner.get<{ balances: Record<string, string>; equity_usd: number }>(
      'paper/book',
    )
    expect(book.balances['ETH']).toBe(bought.body.amount_out)
    expect(book.equity_usd).toBeGreaterThan(9_900)
    expect(book.equity_usd).toBeLessThan(10_000)
    // No entrant on this board may trade the agent’s own token.
    const { agents } = await devnet.rpc<{ agents: { id: number; token: Hex }[] }>('devnet_info', [])
    const own = await order({ token_in: 'USDG', token_out: agents[3]!.token, notional_usd: 10 })
    expect(own.body.error?.code).toBe('PARTICIPANT_TOKEN')
    const board = await until(
      () => get<Standings>('league/standings?board=practice'),
      patient(({ rows }) => rows[0]?.trades === 1),
    )
    expect(board.rows).toMatchObject([{ trades: 1, left: false }])
  })

  it('reads the stake for the reserve', async () => {
    const reserve = await until(
      () => get<{ estimate: { status: string; gain_so_far: string | null } }>('league/reserve'),
      patient(({ estimate }) => estimate.gain_so_far !== null),
    )
    expect(BigInt(reserve.estimate.gain_so_far!)).toBeGreaterThan(0n)
  })

  itInFull('counts the trade once it is final', async () => {
    const board = await until(
      () => get<Standings>('league/standings'),
      patient(({ rows }) => rows.some(({ trades }) => trades === 1), 170_000),
    )
    const row = board.rows.find((each) => each.wallet === wallet)
    expect(row).toMatchObject({ trades: 1 })
    // Slightly less than before: a fee, the pool’s fee and gas.
    expect(row?.profit_usd).toBeLessThan(0)
    expect(row?.profit_usd).toBeGreaterThan(-10)
    const record = await get<{ rows: unknown[]; decided: boolean }>('league/seasons/1')
    expect(record).toMatchObject({ decided: false, winners: [], payouts: [] })
  })

  it('reads from the chain who controls an entrant', async () => {
    const rulesOf = ({ rows }: Standings) =>
      (rows.find((each) => each.wallet === wallet)?.eligibility?.rules ?? []).filter(({ rule }) =>
        ['OWNER', 'TRANSFERS', 'FUNDER'].includes(rule),
      )
    const board = await until(
      () => get<Standings>('league/standings'),
      patient((seen) => rulesOf(seen).every(({ status }) => status !== 'pending')),
    )
    expect(rulesOf(board)).toMatchObject([{ status: 'pass' }, { status: 'pass' }, { status: 'pass' }])
  })

  it('lets an entrant leave', async () => {
    const owner = await trader(2)
    const left = await owner.post<Entry>('league/leave', {})
    expect(left).toMatchObject({ status: 200, body: { status: 'left' } })
    expect((await owner.post('league/leave', {})).body.error?.code).toBe('NOT_ENTERED')
    const board = await until(
      () => get<Standings>('league/standings'),
      patient(({ rows }) => rows.some((row) => row.left)),
    )
    expect(board.rows.filter((row) => row.left)).toHaveLength(1)
  })
})
