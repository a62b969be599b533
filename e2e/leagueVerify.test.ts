import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storedRecord } from '@pit/league/record'
import { RULES, RULES_VERSION } from '@pit/league/rules'
import { systemClock } from '@pit/platform/clock'
import { type Db, openDb, storeMigrations } from '@pit/platform/db'
import { withDb as withStore } from '@pit/platform/test/withDb'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CommandRefused } from '../packages/cli/src/backtest/refused.ts'
import { openRecord } from '../packages/cli/src/league/openRecord.ts'
import { servedRecord } from '../packages/cli/src/league/servedRecord.ts'
import { verifySeason } from '../packages/cli/src/leagueVerify.ts'
import {
  addMarks,
  addTrade,
  at,
  DAY,
  E18,
  ETH,
  enterSigned,
  FIRST_S,
  HOUR,
  type LeagueWorld,
  newWallet,
  openLeagueWorld,
  season,
  still,
  TOKENS,
  usd,
} from '../packages/league/test/leagueWorld.ts'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'
import { leagueRoutes } from '../packages/server/src/routes/league.ts'
import { recordPages } from '../packages/server/src/site/recordPages.ts'
import { openTestApp, type TestApp } from '../packages/server/test/testApp.ts'
import { recount } from '../packages/web/src/data/recount.ts'

const PROFILE = 'profiles/mainnet.json'

// The command rebuilds a decided season; every kind of change to the record is found and named.

const first = season(1)

/** A season of twelve entrants, played and decided by one version of the rules. */
async function decidedSeason(db: Db, rulesVersion: number): Promise<LeagueWorld> {
  const world = await openLeagueWorld(db, { nowS: FIRST_S - DAY })
  world.vault.perSecond = E18 / 1_000n
  world.node.gasWei = E18 / 10_000n
  await addMarks(db, { fromS: first.startsAtS - HOUR, toS: first.endsAtS }, (token, atS) =>
    token === ETH ? 2_000 + ((atS / 1_800) % 50) : still(token),
  )
  for (let i = 0; i < 12; i++) {
    const wallet = await newWallet(db, `verify ${i}`)
    await enterSigned(world, wallet, String(100 + i))
    world.fund(wallet.address, { from: at(0xf00 + i), block: 100 + i })
    for (const day of [1, 2, 3, 5]) {
      const atS = first.startsAtS + day * DAY + i * 200
      await addTrade(db, wallet.address, { atS, amountIn: usd(100), amountOut: E18 / 20n })
      await addTrade(db, wallet.address, {
        atS: atS + HOUR,
        tokenIn: ETH,
        amountIn: E18 / 30n,
        tokenOut: TOKENS.USDG,
        amountOut: usd(66 + i / 10),
      })
    }
  }
  await world.runAt(FIRST_S + 60)
  await db.query('update league_seasons set rules_version = $1', [rulesVersion])
  await world.runAt(first.endsAtS + HOUR)
  // Final after the season was valued: the league refused it, and so does a recomputation.
  const late = await newWallet(db, 'verify 0')
  await addTrade(db, late.address, { atS: first.endsAtS - HOUR })
  await world.runAt(first.endsAtS + RULES.reviewS + HOUR, 3)
  return world
}

withStore(
  'pit league verify',
  (db) => {
    let world: LeagueWorld
    const stored = () => ({ source: storedRecord(db), published: null, profile: world.profile })
    const verify = (chain = false) => verifySeason({ ...stored(), rpc: null }, 1, chain)

    beforeAll(async () => {
      world = await decidedSeason(db, RULES_VERSION)
    })

    it('reports a season as equal to its decision', async () => {
      const { equal, text } = await verify()
      expect(text).toBe('season 1: 12 entrants, 96 transactions: equal')
      expect(equal).toBe(true)
    })

    it('refuses a season that was never decided', async () => {
      await expect(verifySeason({ ...stored(), rpc: null }, 2, false)).rejects.toThrow(
        'nothing decided to verify',
      )
      await expect(verifySeason({ ...stored(), rpc: null }, 9, false)).rejects.toThrow('no season 9')
      await expect(verify(true)).rejects.toThrow('--no-chain')
    })

    const undo: string[] = []
    afterEach(async () => {
      for (const statement of undo.splice(0)) await db.query(statement)
    })
    it.each([
      [
        'a trade’s amount',
        `update trades set amount_out = amount_out + 1000000 where id = 4`,
        `update trades set amount_out = amount_out - 1000000 where id = 4`,
        'rows.',
      ],
      [
        'the marks of the last day',
        `update marks set price_e18 = price_e18 + 1000000000000000000 where token = '${ETH}'
         and minute_s > ${first.endsAtS - DAY}`,
        `update marks set price_e18 = price_e18 - 1000000000000000000 where token = '${ETH}'
         and minute_s > ${first.endsAtS - DAY}`,
        'rows.',
      ],
      [
        'a score',
        `update league_standings set row = jsonb_set(row, '{score}', '"1.000000"') where rank = 5`,
        `update league_standings r set row = jsonb_set(row, '{score}',
         to_jsonb(to_char((row->>'profit_usd')::numeric, 'FM999999990.000000'))) where rank = 5`,
        'rows.4.score',
      ],
      [
        'a place',
        `update league_standings set row = jsonb_set(row, '{place}', '1') where rank = 2`,
        `update league_standings set row = jsonb_set(row, '{place}', '2') where rank = 2`,
        'rows.1.place: recorded 1, rebuilt 2',
      ],
      [
        'a balance that was seen',
        `update league_balances set balances = balances || '{"${ETH}": "0"}'
         where entry_id = 3 and at_s = ${first.endsAtS}`,
        `update league_balances set balances = balances || '{"${ETH}": "${10n ** 30n}"}'
         where entry_id = 3 and at_s = ${first.endsAtS}`,
        'rows.',
      ],
      [
        'the ledger',
        `update league_ledger set budget = budget + 1`,
        `update league_ledger set budget = budget - 1`,
        'ledger.budget',
      ],
      [
        'gas',
        `update league_trades set gas_wei = 0 where trade_id = 1`,
        `update league_trades set gas_wei = ${E18 / 10_000n} where trade_id = 1`,
        'rows.',
      ],
    ])('finds a change of %s', async (_, change, back, path) => {
      undo.push(back)
      await db.query(change)
      const { equal, text } = await verify()
      expect(equal).toBe(false)
      expect(text).toContain(`differs at ${path}`)
      for (const statement of undo.splice(0)) await db.query(statement)
      expect((await verify()).equal).toBe(true)
    })

    describe('from a running server', () => {
      let app: TestApp
      let url: string
      beforeAll(async () => {
        app = await openTestApp({
          site: recordPages({ sql: db, clock: systemClock }),
          handlers: { 'league.season': leagueRoutes(world.league)['league.season'] },
        })
        const { address, port } = await app.listen()
        url = `http://${address}:${port}`
      })
      afterAll(() => app.close())
      const verifyServed = (get?: typeof fetch) => {
        const { published, ...source } = servedRecord(url, get)
        return verifySeason({ source, published, profile: world.profile, rpc: null }, 1, false)
      }
      /** A server that changes one file in transit. */
      const lying =
        (file: string, change: (json: never) => unknown): typeof fetch =>
        async (address, init) => {
          const response = await fetch(address, init)
          return String(address).endsWith(file)
            ? Response.json(change((await response.json()) as never))
            : response
        }

      it('reports the same as from the store', async () => {
        expect(await verifyServed()).toEqual(await verify())
        const source = servedRecord(url)
        await expect(source.season(2)).rejects.toThrow('nothing decided to verify')
        await expect(source.season(9)).rejects.toThrow('no season 9')
        for (const file of ['1/season', '1/entries-x.json', '1/marks-0x1.json', '0/season.json'])
          expect((await fetch(`${url}/league/records/${file}`)).status).toBe(404)
      })

      it('reports the same in the code of the dashboard', async () => {
        const page = { profile: world.profile, origin: url }
        expect(await recount(1, page)).toMatchObject({ entrants: 12, difference: null })
        await expect(recount(2, page)).rejects.toThrow('once the season is decided')
      })

      it('finds a record that differs from the published standings, and one that does not add up', async () => {
        type Part = { entries: { row: { score: string } }[]; trades: { amount_out: string }[] }
        const better = (part: Part) => {
          part.entries[3]!.row.score = '999.000000'
          return part
        }
        const changed = await verifyServed(lying('entries-0.json', better))
        expect(changed.text).toContain('differs at published.3.score: recorded')
        const richer = (part: Part) => {
          part.trades[1]!.amount_out += '0'
          return part
        }
        expect((await verifyServed(lying('entries-0.json', richer))).text).toContain('differs at outcome.')
        const cheaper = (marks: [number, string][]) => marks.map(([atS]) => [atS, '1'])
        expect((await verifyServed(lying(`marks-${ETH}.json`, cheaper))).text).toContain('differs at ')
      })

      it.each([
        ['entries-0.json', () => ({ entries: 'many' })],
        ['season.json', () => ({ span: null })],
        [`marks-${ETH}.json`, () => [[1, 'cheap']]],
        ['season.json', (json: object) => ({ ...json, entries: 1e9 })],
        ['seasons/1', () => ({ rows: 7 })],
      ])('refuses %s with another shape', async (file, change) => {
        await expect(verifyServed(lying(file, change as never))).rejects.toThrow(CommandRefused)
      })
    })

    it('compares the record with the chain', async () => {
      const { rows } = {
        rows: await db.query<{ tx_hash: string; block: number }>('select tx_hash, block from trades'),
      }
      const blocks = new Map(rows.map(({ tx_hash, block }) => [tx_hash, block]))
      const rpc = {
        request: async (method: string, params?: readonly unknown[]) =>
          (method === 'eth_call'
            ? await world.chain.rpc.request(method, params)
            : { transactions: [] }) as never,
        batch: async (calls: readonly (readonly [string, readonly unknown[]])[]) =>
          calls.map(([method, params]) => {
            const first = params[0] as string
            const result =
              method === 'eth_getTransactionReceipt'
                ? {
                    status: '0x1',
                    blockNumber: `0x${blocks.get(first)!.toString(16)}`,
                    blockHash: `0x${'0b'.repeat(32)}`,
                    logs: [],
                    gasUsed: '0x1',
                    effectiveGasPrice: `0x${(E18 / 10_000n).toString(16)}`,
                  }
                : { timestamp: `0x${Math.floor(Number(first) / 10).toString(16)}`, transactions: [] }
            return { ok: true as const, result }
          }),
      }
      const deps = { ...stored(), profile: { ...world.profile, agent_registry: null }, rpc }
      // The node does not show the funding: that is a difference too.
      expect((await verifySeason(deps, 1, true)).text).toContain('differs at funders.')
      await db.query('update league_funders set funder = null')
      await db.query(
        `update league_standings set facts = jsonb_set(jsonb_set(facts, '{party,funders}', '[]'),
         '{party,namedFunders}', '[]')`,
      )
      expect((await verifySeason(deps, 1, true)).text).toContain('equal')
      world.node.balanceOf = () => 5n
      expect((await verifySeason(deps, 1, true)).text).toMatch(
        /differs at balances\.\d+\.\d+\.0x\w+: recorded "1/,
      )
      world.node.balanceOf = () => 10n ** 30n
      blocks.set(rows[0]!.tx_hash, 7)
      expect((await verifySeason(deps, 1, true)).text).toContain('.block: recorded')
    })
  },
  storeMigrations(),
)

withStore(
  'pit league verify of a season that an older version decided',
  (db) => {
    it('is equal under the rules it was decided with, and under no others', async () => {
      const { profile } = await decidedSeason(db, 1)
      const verify = () =>
        verifySeason({ source: storedRecord(db), published: null, profile, rpc: null }, 1, false)
      expect((await verify()).text).toBe('season 1: 12 entrants, 96 transactions: equal')
      await db.query('update league_seasons set rules_version = 2 where number = 1')
      expect((await verify()).text).toContain('differs at rows.')
      await db.query('update league_seasons set rules_version = 3 where number = 1')
      await expect(verify()).rejects.toThrow('rules version 3 is unknown')
    })
  },
  storeMigrations(),
)

describe('pit league verify while a server has the embedded store open', () => {
  it('reads the record from that server', async () => {
    const dataDir = await newServerDirectory('pit-verify-')
    const db = await openDb({ dataDir, databaseUrl: null })
    await migrateStore(db)
    const outcome = {
      ...{ eligible_agents: 0, eligible_owners: 0, active_clusters: 0, pays: false },
      why: '0 owner clusters traded, 10 are needed',
    }
    await db.query(
      `insert into league_seasons (number, starts_at_s, ends_at_s, state, decided_at_s, outcome, rules_version)
       values (1, $1, $2, 'decided', $2, $3::jsonb, 2)`,
      [first.startsAtS, first.endsAtS, JSON.stringify(outcome)],
    )
    const { league } = await openLeagueWorld(db, { nowS: first.endsAtS + 5 * DAY })
    const app = await openTestApp({
      site: recordPages({ sql: db, clock: systemClock }),
      handlers: { 'league.season': leagueRoutes(league)['league.season'] },
    })
    const { address, port } = await app.listen()
    const devnet = { url: `http://${address}:${port}`, chain: PROFILE, rpc_url: 'http://127.0.0.1:1' }
    writeFileSync(join(dataDir, 'profiles.json'), JSON.stringify({ devnet }))
    const lines: string[] = []
    const env = { DATA_DIR: dataDir, PROFILE, PIT_HOME: dataDir }
    const open = () => openRecord(env, {}, (text) => lines.push(text))
    const opened = await open()
    expect((await verifySeason(opened, 1, false)).text).toBe('season 1: 0 entrants, 0 transactions: equal')
    expect(lines[0]).toContain(devnet.url)
    await opened.close()
    await app.close()
    // Without the server the reason is the store in use.
    const alone = await open()
    await expect(verifySeason(alone, 1, false)).rejects.toThrow('one process at a time')
    await alone.close()
    await db.close()
    const stored = await open()
    expect((await verifySeason(stored, 1, false)).text).toContain('equal')
    await stored.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
})
