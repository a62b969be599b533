import { RULES, scoreText } from '@pit/league'
import { LEAGUE } from '@pit/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { withDb } from '../../../test/withDb.ts'
import { reviewRule, settleSeason } from './index.ts'
import {
  addMarks,
  at,
  call,
  DAY,
  E18,
  ETH,
  emptyStore,
  enterSigned,
  FIRST_S,
  HOUR,
  type LeagueWorld,
  newWallet,
  openLeagueWorld,
  read,
  register,
  season,
  TOKENS,
  type Wallet,
} from './test/leagueWorld.ts'
import { countPlainly, countReservePlainly, type PlainEntrant, type PlainWorld } from './test/plainSeason.ts'

// A year of the league on a clock of its own: LEAGUE_YEAR_ENTRANTS=200 plays it as large as the issue asks for.

const SEASONS = Number(process.env['LEAGUE_YEAR_SEASONS'] ?? 26)
const ENTRANTS = Number(process.env['LEAGUE_YEAR_ENTRANTS'] ?? 12)
const TRADES = Number(process.env['LEAGUE_YEAR_TRADES'] ?? 6)
/** The whole year on one engine; the other plays a few seasons. */
const SHORT = Math.min(SEASONS, 2)

const MEME = at(0x3e3e)
const TRADED = [ETH, TOKENS.USDG, TOKENS.cbBTC, TOKENS.PARTNER, TOKENS.WETH, MEME]
const DECIMALS: Record<string, number> = {
  [ETH]: 18,
  [TOKENS.WETH]: 18,
  [TOKENS.USDG]: 6,
  [TOKENS.cbBTC]: 8,
  [TOKENS.PARTNER]: 18,
  [TOKENS.NVDA]: 18,
}

/** The same numbers in every run. */
function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return {
    next,
    below: (n: number) => Math.floor(next() * n),
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!,
  }
}

/** Dollars of a token: waves of its own, and no price at all for some hours of some seasons. */
function priceOf(token: string, atS: number): number | null {
  const hours = (atS - FIRST_S) / HOUR
  const wave = 1 + 0.08 * Math.sin(hours / 31) + 0.03 * Math.sin(hours / 7.3 + token.length)
  if (token === TOKENS.cbBTC) return Math.floor(hours / 24) % 37 === 9 ? null : 50_000 * wave
  if (token === TOKENS.PARTNER) return 0.5 * (1 + 0.05 * Math.sin(hours / 90))
  return (token === ETH || token === TOKENS.WETH ? 2_000 : 1) * wave
}

let hashes = 0
withDb('a year of the league', (db) => {
  const seasons = db.engine === 'pglite' ? SHORT : SEASONS
  const random = createRandom(4663)
  const gas = new Map<string, bigint>()
  const players: { wallet: Wallet; plain: PlainEntrant; from: number }[] = []
  let world: LeagueWorld
  const plainWorld: PlainWorld = {
    decimals: DECIMALS,
    usdg: TOKENS.USDG,
    eth: ETH,
    partner: TOKENS.PARTNER,
    gasOf: (hash) => gas.get(hash) ?? 0n,
    minOwners: LEAGUE.minOwnerClusters,
    capUsd: BigInt(RULES.prizeCapUsd),
  }

  async function join(n: number, from: number) {
    // Every seventh shares the owner of the one before it; every fifth never confirms.
    const wallet = await newWallet(db, `year ${n}`)
    const owner = n % 7 === 6 ? players[n - 1]!.wallet : wallet
    const agentId = String(1_000 + n)
    register(world, agentId, { owner: owner.address })
    const confirmed = n % 5 !== 4 || owner !== wallet
    const entry = confirmed
      ? await enterSigned(world, wallet, agentId, owner)
      : await call(world, 'league.enter', wallet, { agent_id: agentId })
    world.chain.fundings.set(wallet.address, { from: at(0xf0000 + n), block: 10 + n })
    const plain: PlainEntrant = {
      id: entry.entry_id,
      wallet: wallet.address,
      owner: owner.address,
      token: world.vault.agents.get(agentId)!.token,
      leftAtS: null,
      confirmed,
      sanctioned: false,
    }
    players.push({ wallet, plain, from })
  }

  /** Trades of one season, in the order they were relayed, which is not quite the order they were mined in. */
  async function trade(number: number, part: readonly [number, number]) {
    const span = season(number)
    const rows: unknown[][] = []
    for (const { wallet, from } of players) {
      if (from > number) continue
      const count = random.below(TRADES * 2)
      for (let i = 0; i < count; i++) {
        const within = part[0] + random.next() * (part[1] - part[0])
        let atS = span.startsAtS + Math.floor(within * 14 * DAY)
        // Some at the very edges.
        if (random.below(40) === 0) atS = part[0] === 0 ? span.startsAtS : span.endsAtS - 1
        const tokenIn = random.pick(TRADED)
        let tokenOut = random.pick(TRADED)
        while (tokenOut === tokenIn) tokenOut = random.pick(TRADED)
        if (random.below(150) === 0) tokenOut = random.pick(players).plain.token as typeof ETH
        const dollars = 20 + random.next() * 2_000
        const slip = random.below(60) === 0 ? 0.8 : 0.985 + random.next() * 0.02
        const hash = `0x1${(++hashes).toString(16).padStart(63, '0')}`
        const wei = BigInt(random.below(1_000_000)) * 10n ** 9n
        gas.set(hash, wei)
        world.chain.gas.set(hash, wei)
        const kind = random.below(12) === 0 ? 'approve' : 'swap'
        const status = random.below(15) === 0 ? 'reverted' : 'mined'
        rows.push([
          kind,
          wallet.address,
          status,
          tokenIn,
          tokenOut,
          atomsOf(tokenIn, dollars, atS),
          status === 'reverted' ? null : atomsOf(tokenOut, dollars * slip, atS),
          hash,
          atS,
        ])
      }
    }
    const column = (i: number) => rows.map((row) => row[i])
    await db.query(
      `insert into trades (kind, wallet, key_id, path, status, token_in, token_out, amount_in, amount_out, tx_hash, signer,
         nonce, block, block_hash, mined_at_s, created_at_ms, settled)
       select kind, wallet, 1, 'agent', status, token_in, token_out, amount_in::numeric, amount_out::numeric, hash, wallet,
         0, at_s * 10, hash, at_s, (at_s - 1) * 1000, true
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
         $9::int8[]) as given (kind, wallet, status, token_in, token_out, amount_in, amount_out, hash, at_s)`,
      Array.from({ length: 9 }, (_, i) => column(i)),
    )
  }
  const atomsOf = (token: string, dollars: number, atS: number): string => {
    const price = priceOf(token, atS) ?? 50_000
    return String(
      BigInt(Math.max(1, Math.floor((dollars / price) * 1e6))) * 10n ** BigInt((DECIMALS[token] ?? 18) - 6),
    )
  }

  async function judgeFlags(number: number) {
    const { rows } = await read({ league: world.open() }, 'league.standings', { query: { season: number } })
    for (const { entry_id: entryId, eligibility } of rows) {
      for (const { rule, status } of eligibility?.rules ?? []) {
        if (status !== 'flag') continue
        const review = { season: number, entryId, rule, status: 'fail', reason: 'not allowed' } as const
        await db.transaction((sql) => reviewRule(sql, { ...review, operator: 'op', atS: world.nowS() }))
      }
    }
  }

  beforeAll(async () => {
    await emptyStore(db)
    world = await openLeagueWorld(db, { nowS: FIRST_S - 2 * DAY, genesisS: FIRST_S - 3 * DAY })
    world.vault.perSecond = (3n * E18) / 1_000n
    for (let n = 0; n < ENTRANTS; n++) await join(n, 1)
    await addMarks(db, { fromS: FIRST_S, toS: season(1).endsAtS }, priceOf)
    // Some of the chain is read in each run.
    await world.runAt(FIRST_S + 60, 1 + Math.ceil(ENTRANTS / 20))
  }, 600_000)

  describe('season by season', () => {
    let reserve = 0n
    let paid = 0
    for (let number = 1; number <= seasons; number++) {
      it(`${number} comes to the same, counted from the raw rows`, async () => {
        const span = season(number)
        // Marks come with the minutes: those of the days in which this season is reviewed belong to the next one.
        await addMarks(
          db,
          { fromS: span.endsAtS, toS: season(number + 1).endsAtS, everyS: HOUR / 2 },
          priceOf,
        )
        await trade(number, [0, 0.5])
        await world.runAt(span.startsAtS + Math.floor((0.5 + random.next() * 0.1) * 14 * DAY), 1)
        // One leaves now and then, and enters again for the next season.
        if (number % 6 === 3) {
          const leaver = players[number % ENTRANTS]!
          await call(world, 'league.leave', leaver.wallet, {})
          leaver.plain = { ...leaver.plain, leftAtS: world.nowS() }
        }
        await trade(number, [0.61, 1])
        // Jobs that come late: sometimes there is none before the end.
        if (random.below(3) > 0) await world.runAt(span.endsAtS - 2 * HOUR, 1)
        await world.runAt(span.endsAtS + HOUR, 2)
        // Whoever is in question does not pass: a person says so before the review is over.
        await judgeFlags(number)
        await world.runAt(span.endsAtS + RULES.reviewS, 2)

        const entrants = players.filter(({ from }) => from <= number).map(({ plain }) => plain)
        const expected = await countPlainly(db, plainWorld, span, entrants)
        const record = await read({ league: world.open() }, 'league.season', { params: { n: number } })
        expect(record.decided).toBe(true)
        const recorded = record.rows.map((row) => {
          if (!('wallet' in row)) throw new Error('a practice row')
          return {
            id: row.entry_id,
            rank: row.rank,
            score: row.score,
            capital: row.capital_usd,
            drawdown: row.max_dd_pct,
            trades: row.trades,
            days: row.active_days,
            unvalued: row.unvalued,
            outliers: row.price_outliers,
            cluster: row.cluster,
            eligible: row.eligibility?.eligible,
            place: row.place,
          }
        })
        expect(recorded).toEqual(
          expected.rows.map((row) => ({
            id: row.id,
            rank: row.rank,
            score: row.profit === null ? null : scoreText(row.profit),
            capital: Number(scoreText(row.capital)),
            drawdown: row.drawdownBps / 100,
            trades: row.trades,
            days: row.days,
            unvalued: row.unvalued,
            outliers: row.outliers,
            cluster: row.cluster,
            eligible: row.eligible,
            place: row.place,
          })),
        )
        expect(record.outcome).toMatchObject({ pays: expected.pays, active_clusters: expected.active })

        const gain = BigInt(14 * DAY) * world.vault.perSecond
        const ledger = countReservePlainly(
          reserve,
          gain,
          expected.partnerPrice!,
          plainWorld.capUsd,
          expected.won,
        )
        expect(record.ledger).toMatchObject({
          reserve_before: String(reserve),
          gain: String(gain),
          cap: String(ledger.cap),
          added: String(ledger.added),
          reserve: String(ledger.reserve),
          budget: String(ledger.budget),
          shares: ledger.shares.map(String),
          paid: ledger.paid.map(String),
          reserve_after: String(ledger.after),
        })
        expect(record.payouts.map(({ amount }) => amount)).toEqual(ledger.paid.map(String))
        reserve = ledger.after
        paid += expected.won
        if (expected.won > 0) {
          await db.transaction((sql) => settleSeason(sql, { ...world, season: number, atS: world.nowS() }))
        }

        // Who left may come back.
        for (const player of players) {
          if (player.plain.leftAtS === null) continue
          const agentId = String(1_000 + players.indexOf(player))
          const owner = players.find(({ plain }) => plain.wallet === player.plain.owner)!.wallet
          const entry = await enterSigned(world, player.wallet, agentId, owner)
          player.from = entry.from_season
          player.plain = { ...player.plain, id: entry.entry_id, leftAtS: null, confirmed: true }
        }
      }, 600_000)
    }

    it('had prizes to count', () => {
      expect(paid).toBeGreaterThan(seasons)
    })
  })
})
