import { DIVISIONS } from '@pit/league/rules'
import { nowS } from '@pit/platform/clock'
import { Type } from '@sinclair/typebox'
import { type Action, action, Exact, TxHash } from './action.ts'
import { OperatorRefused } from './types.ts'

const Season = Type.Integer({ minimum: 1, maximum: 100_000 })
const Place = Type.Integer({ minimum: 1, maximum: 3 })
const Wallet = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const Whole = Type.String({ pattern: '^(0|[1-9][0-9]{0,77})$' })
const Price = Type.String({ pattern: '^[1-9][0-9]{0,77}$' })
const OrNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])
/** May be negative: the stake may have shrunk. */
const Gain = Type.String({ pattern: '^(0|-?[1-9][0-9]{0,77})$' })

/** League decisions by a person. Each is one transaction with its audit row. */
export const LEAGUE_ACTIONS: Record<string, Action> = {
  'league.review': action({
    input: Exact({
      season: Season,
      entry_id: Type.Integer({ minimum: 1 }),
      rule: Type.String({ pattern: '^[A-Z_]{2,40}$' }),
      status: Type.Union([Type.Literal('pass'), Type.Literal('fail')]),
    }),
    needsReason: 'it is shown beside the rule',
    run: ({ deps, operator, reason, note }, { season, entry_id, rule, status }) =>
      deps.db.transaction(async (sql) => {
        const review = { season, entryId: entry_id, rule, status, reason: reason ?? '', operator }
        const answer = await deps.league.reviewRule(sql, { ...review, atS: nowS(deps.clock) })
        await note(sql, { season, entry_id, rule, status })
        return answer
      }),
  }),
  'league.admit': action({
    input: Exact({ entry_id: Type.Integer({ minimum: 1 }) }),
    needsReason: 'explain why the entry need not wait for the next season',
    run: ({ deps, note }, { entry_id }) =>
      deps.db.transaction(async (sql) => {
        const admitted = await deps.league.admitEntry(sql, { entryId: entry_id })
        await note(sql, { ...admitted })
        return admitted
      }),
  }),
  'league.settle': action({
    input: Exact({ season: Season, gain: OrNull(Gain), partner_price_e18: OrNull(Price) }),
    needsReason: null,
    run: ({ deps, reason, note }, { season, gain, partner_price_e18 }) => {
      if (reason === null && (gain !== null || partner_price_e18 !== null)) {
        throw new OperatorRefused('--reason is missing: name the source of the gain or price')
      }
      return deps.db.transaction(async (sql) => {
        const answer = await deps.league.settleSeason(sql, {
          season,
          profile: deps.profile,
          atS: nowS(deps.clock),
          isSanctioned: deps.isSanctioned,
          ...(gain === null ? {} : { gain: BigInt(gain) }),
          ...(partner_price_e18 === null ? {} : { partnerPriceE18: BigInt(partner_price_e18) }),
        })
        await note(sql, { season, gain, partner_price_e18 })
        return answer
      })
    },
  }),
  'league.payout': action({
    input: Exact({ season: Season, place: Place, tx_hash: TxHash }),
    needsReason: null,
    run: ({ deps, note }, { season, place, tx_hash }) =>
      deps.db.transaction(async (sql) => {
        const { clock, isSanctioned } = deps
        const payout = { season, place, txHash: tx_hash.toLowerCase(), atS: nowS(clock), isSanctioned }
        await deps.league.recordPayout(sql, payout)
        await note(sql, { season, place, tx_hash })
        return { season, place, tx_hash }
      }),
  }),
  'league.payouts': action({
    input: Exact({}),
    needsReason: null,
    run: ({ deps }) => deps.league.openPayouts(deps.db),
  }),
  'league.recipient': action({
    input: Exact({ season: Season, place: Place }),
    needsReason: 'explain why the recipient changes',
    run: async ({ deps, note }, { season, place }) => {
      if (!deps.vault) throw new OperatorRefused('this chain has no agent registry')
      // Read before the transaction, so that nothing is locked while waiting for the chain.
      const agent = await deps.vault.agent(await deps.league.payoutAgent(deps.db, season, place))
      return deps.db.transaction(async (sql) => {
        const { isSanctioned } = deps
        const moved = await deps.league.readdressPayout(sql, { season, place, agent, isSanctioned })
        await note(sql, { season, place, ...moved })
        return moved
      })
    },
  }),
  'account.division': action({
    input: Exact({ wallet: Wallet, division: Type.Union(DIVISIONS.map((name) => Type.Literal(name))) }),
    needsReason: 'it decides whether the account can enter the practice board',
    run: ({ deps, note }, { wallet, division }) =>
      deps.db.transaction(async (sql) => {
        const answer = await deps.league.setDivision(sql, { wallet, division })
        await note(sql, { wallet: wallet.toLowerCase(), division, before: answer.before })
        return { wallet, division, ...answer }
      }),
  }),
  'league.withdrawal': action({
    input: Exact({ season: Season, tx_hash: OrNull(TxHash), amount: Whole }),
    needsReason: null,
    run: ({ deps, reason, note }, { season, tx_hash, amount }) =>
      deps.db.transaction(async (sql) => {
        await deps.league.recordWithdrawal(sql, {
          season,
          txHash: tx_hash?.toLowerCase() ?? null,
          amount: BigInt(amount),
          atS: nowS(deps.clock),
          note: reason,
        })
        await note(sql, { season, tx_hash, amount })
        return { season, tx_hash, amount }
      }),
  }),
}
