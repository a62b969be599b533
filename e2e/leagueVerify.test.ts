import { RULES } from '@pit/league/rules'
import { withDb as withStore } from '@pit/platform/test/withDb'
import { afterEach, beforeAll, expect, it } from 'vitest'
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
import { storeMigrations } from '../packages/platform/src/db/index.ts'

// A decided season is rebuilt by the command; every kind of change to the record is found, and named.

withStore(
  'pit league verify',
  (db) => {
    let world: LeagueWorld
    const first = season(1)
    const verify = (chain = false) => verifySeason({ db, profile: world.profile, rpc: null }, 1, chain)

    beforeAll(async () => {
      world = await openLeagueWorld(db, { nowS: FIRST_S - DAY })
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
      await world.runAt(first.endsAtS + HOUR)
      // Final after the season was valued: the league refused it, and so does whoever recomputes.
      const late = await newWallet(db, 'verify 0')
      await addTrade(db, late.address, { atS: first.endsAtS - HOUR })
      await world.runAt(first.endsAtS + RULES.reviewS + HOUR, 3)
    })

    it('says equal of a season as it was decided', async () => {
      const { equal, text } = await verify()
      expect(text).toBe('season 1: 12 entrants, 96 transactions: equal')
      expect(equal).toBe(true)
    })

    it('refuses a season that was never decided', async () => {
      await expect(verifySeason({ db, profile: world.profile, rpc: null }, 2, false)).rejects.toThrow(
        'nothing decided to verify',
      )
      await expect(verifySeason({ db, profile: world.profile, rpc: null }, 9, false)).rejects.toThrow(
        'no season 9',
      )
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

    it('holds the record against the chain', async () => {
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
                : { timestamp: `0x${Math.floor(Number(first) / 10).toString(16)}` }
            return { ok: true as const, result }
          }),
      }
      const deps = {
        db,
        profile: { ...world.profile, agent_registry: null },
        rpc,
      }
      // The node does not show who funded whom: that is a difference too.
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
