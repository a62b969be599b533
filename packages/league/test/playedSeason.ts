import type { Db } from '@pit/platform/db'
import { beforeEach } from 'vitest'
import { recordPayout, settleSeason } from '../src/index.ts'
import { RULES } from '../src/rules/index.ts'
import {
  addMarks,
  addTrade,
  at,
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
  PROFILE,
  read,
  season,
  still,
  TOKENS,
  usd,
  type Wallet,
} from './leagueWorld.ts'

const RISE_S = season(1).startsAtS + Math.round(1.1 * DAY) + HOUR

/** Constant marks, except for two hours of the second day in which ETH is a tenth higher. */
export const seasonMark: Parameters<typeof addMarks>[2] = (token, atS) =>
  token === ETH && atS >= RISE_S && atS < RISE_S + 2 * HOUR ? 2_200 : still(token)

/** Twelve owners who entered before the first season, set up for each test, with helpers. */
export function playedSeason(db: Db) {
  const first = season(1)
  const game = {
    world: undefined as unknown as LeagueWorld,
    players: [] as Wallet[],
    first,
    inSeason: (days: number) => first.startsAtS + Math.round(days * DAY),
    standings: (number = 1) =>
      read({ league: game.world.open() }, 'league.standings', { query: { season: number } }),
    async rowOf(i: number, number = 1) {
      const { rows } = await game.standings(number)
      const row = rows.find((each) => 'wallet' in each && each.wallet === game.players[i]!.address)
      if (!row || !('wallet' in row)) throw new Error(`player ${i} has no row`)
      return row
    },
    ruleOf: async (i: number, rule: string) =>
      (await game.rowOf(i)).eligibility?.rules.find((each) => each.rule === rule),
    /** A few plain trades on three days. The first one gains this profit at the marks of `seasonMark`. */
    async play(i: number, profit: number, days = [1.1, 2.1, 3.1]) {
      const wallet = game.players[i]!.address
      for (const [n, day] of days.entries()) {
        // Spaced apart: trades right after each other would count as copying.
        const atS = game.inSeason(day) + i * 120
        const gains = n === 0 && profit > 0
        const spent = gains ? usd(profit * 10) : usd(1_000)
        const ether = (spent * E18) / usd(2_000)
        const back = spent + (gains ? usd(profit) : 0n)
        await addTrade(db, wallet, { atS, amountIn: spent, amountOut: ether })
        const sold = { tokenIn: ETH, amountIn: ether, tokenOut: TOKENS.USDG, amountOut: back }
        await addTrade(db, wallet, { ...sold, atS: atS + 2 * HOUR })
      }
    },
    marksOfSeason: (
      priceOf: Parameters<typeof addMarks>[2] = seasonMark,
      span = { fromS: first.startsAtS - HOUR, toS: first.endsAtS },
    ) => addMarks(db, span, priceOf),
    value: () => game.world.runAt(first.endsAtS + HOUR),
    decide: () => game.world.runAt(first.endsAtS + RULES.reviewS + HOUR, 3),
    settle: (own: { partnerPriceE18?: bigint } = {}) => {
      const { isSanctioned, nowS } = game.world
      const request = { season: 1, profile: PROFILE, atS: nowS(), isSanctioned, ...own }
      return db.transaction((sql) => settleSeason(sql, request))
    },
    pay: (place: number, txHash: string) => {
      const { isSanctioned, nowS } = game.world
      return db.transaction((sql) =>
        recordPayout(sql, { season: 1, place, txHash, atS: nowS(), isSanctioned }),
      )
    },
  }

  beforeEach(async () => {
    await emptyStore(db)
    game.world = await openLeagueWorld(db, { nowS: FIRST_S - DAY })
    game.world.vault.perSecond = E18 / 1_000n
    game.players = []
    for (let i = 0; i < 12; i++) {
      const wallet = await newWallet(db, `player ${i}`)
      game.players.push(wallet)
      await enterSigned(game.world, wallet, String(100 + i))
      game.world.fund(wallet.address, { from: at(0xf000 + i), block: 1_000 + i })
    }
    await game.world.runAt(FIRST_S + 60)
  })
  return game
}
