import type { Db } from '@pit/platform/db'

/**
 * A season counted once more, from the raw rows, by someone who has read the rules and none of the code:
 * everything is recomputed from the start for every hour and every pair of entrants. Slow and plain on
 * purpose; it shares nothing with the league but the store's tables.
 */

const HOUR = 3_600
const less = (x: bigint, y: bigint) => (y < x ? y : x)
const DAY = 86_400

export interface PlainEntrant {
  id: number
  wallet: string
  owner: string
  token: string
  leftAtS: number | null
  confirmed: boolean
  sanctioned: boolean
}

interface RawTrade {
  id: number
  wallet: string
  kind: string
  status: string
  token_in: string
  token_out: string
  amount_in: string
  amount_out: string | null
  tx_hash: string
  mined_at_s: number
  block: number
}

export interface PlainWorld {
  decimals: Record<string, number>
  usdg: string
  eth: string
  partner: string
  gasOf(hash: string): bigint
  minOwners: number
  capUsd: bigint
}

export interface PlainRow {
  id: number
  rank: number
  profit: bigint | null
  capital: bigint
  drawdownBps: number
  trades: number
  days: number
  unvalued: number
  outliers: number
  cluster: string
  eligible: boolean
  place: number | null
}

export async function countPlainly(
  db: Db,
  world: PlainWorld,
  span: { startsAtS: number; endsAtS: number },
  entrants: readonly PlainEntrant[],
) {
  const rows = await db.query<RawTrade>(
    `select id, wallet, kind, status, token_in, token_out, amount_in, amount_out, tx_hash, mined_at_s, block
     from trades
     where mined_at_s >= $1 and mined_at_s < $2 and status in ('mined', 'reverted')`,
    [span.startsAtS, span.endsAtS],
  )
  const marks = await db.query<{ token: string; minute_s: number; price_e18: string }>(
    'select token, minute_s, price_e18 from marks where minute_s > $1 - 7200 and minute_s <= $2',
    [span.startsAtS, span.endsAtS],
  )
  const series: Record<string, { at: number; price: bigint }[]> = {}
  for (const { token, minute_s, price_e18 } of marks) {
    series[token] ??= []
    series[token].push({ at: minute_s, price: BigInt(price_e18) })
  }
  const asked = new Map<string, bigint | null>()
  function price(token: string, at: number): bigint | null {
    const known = asked.get(`${token}${at}`)
    if (known !== undefined) return known
    const found = look(token, at)
    asked.set(`${token}${at}`, found)
    return found
  }
  function look(token: string, at: number): bigint | null {
    if (token === world.usdg) return 10n ** 18n
    let best: { at: number; price: bigint } | null = null
    for (const mark of series[token] ?? []) {
      if (mark.at <= at && mark.at > at - 3_600 && (best === null || mark.at > best.at)) best = mark
    }
    return best === null ? null : best.price
  }
  const isMarked = (token: string) => token in world.decimals
  const unit = (token: string) => 10n ** BigInt(world.decimals[token]! + 12)
  const down = (token: string, atoms: bigint, p: bigint) => (atoms * p) / unit(token)
  const up = (token: string, atoms: bigint, p: bigint) => {
    const exact = atoms * p
    return exact % unit(token) === 0n ? exact / unit(token) : exact / unit(token) + 1n
  }

  /** Profit of some transactions at a time, by walking through all of them again. */
  function worth(list: readonly RawTrade[], at: number, isEnd: boolean) {
    const flow: Record<string, bigint> = {}
    const lowest: Record<string, bigint> = {}
    const bag: Record<string, { atoms: bigint; cost: bigint | null }> = {}
    let capital = 0n
    let unknown = 0
    let gas = 0n
    // What swaps brought beyond the marks, and what tokens without one brought beyond their cost.
    let over = 0n
    let odd = 0n
    for (const t of list) {
      gas += world.gasOf(t.tx_hash)
      if (t.kind !== 'swap' || t.status !== 'mined') continue
      const [a, b] = [t.token_in, t.token_out]
      const [given, got] = [BigInt(t.amount_in), BigInt(t.amount_out ?? 0)]
      let share = given
      let cost: bigint | null
      if (isMarked(a)) {
        const p = price(a, t.mined_at_s)
        cost = p === null ? null : down(a, given, p)
        // Whatever takes the sum of all flows below where it ever was has to be brought in.
        flow[a] = (flow[a] ?? 0n) - given
        const deepest = lowest[a] ?? 0n
        if (flow[a] < deepest) {
          const brought = deepest - flow[a]
          lowest[a] = flow[a]
          if (p === null) unknown++
          else capital += up(a, brought, p)
        }
      } else {
        const own = bag[a] ?? { atoms: 0n, cost: 0n }
        share = less(given, own.atoms)
        const rest = own.atoms - share
        const left = own.cost === null ? null : own.atoms === 0n ? 0n : (own.cost * rest) / own.atoms
        cost = own.cost === null || left === null ? null : own.cost - left
        bag[a] = { atoms: rest, cost: rest === 0n ? 0n : left }
      }
      const ours = (got * share) / given
      const pb = isMarked(b) ? price(b, t.mined_at_s) : null
      if (pb !== null && cost !== null) {
        if (isMarked(a)) over += down(b, got, pb) - cost
        else odd += down(b, ours, pb) - cost
      }
      if (isMarked(b)) flow[b] = (flow[b] ?? 0n) + ours
      else if (ours > 0n) {
        const own = bag[b] ?? { atoms: 0n, cost: 0n }
        bag[b] = {
          atoms: own.atoms + ours,
          cost: own.cost === null || cost === null ? null : own.cost + cost,
        }
      }
    }
    let profit = -capital
    for (const token of Object.keys(flow)) {
      const held = flow[token]! - (lowest[token] ?? 0n)
      if (held === 0n) continue
      const p = price(token, at)
      if (p === null) unknown++
      else profit += down(token, held, p)
    }
    if (gas > 0n) {
      const p = price(world.eth, at)
      if (p === null) unknown++
      else profit -= up(world.eth, gas, p)
    }
    for (const { atoms, cost } of Object.values(bag)) {
      if (isEnd || atoms === 0n) continue
      if (cost === null) unknown++
      else profit += cost
    }
    const beyond = (over > 0n ? over : 0n) + (odd > 0n ? odd : 0n)
    return { profit: unknown > 0 ? null : profit, capital, unknown, beyond }
  }

  const tokens = new Set(entrants.map(({ token }) => token).filter((token) => !isMarked(token)))
  const swapsOf = new Map<number, RawTrade[]>()
  const found = entrants.map((entrant) => {
    const list = rows
      .filter(({ wallet }) => wallet === entrant.wallet)
      .filter(({ mined_at_s }) => entrant.leftAtS === null || mined_at_s < entrant.leftAtS)
      .sort((x, y) => x.mined_at_s - y.mined_at_s || x.block - y.block || x.id - y.id)
    const swaps = list.filter(({ kind, status }) => kind === 'swap' && status === 'mined')
    swapsOf.set(entrant.id, swaps)
    const end = worth(list, span.endsAtS, true)
    let peak = 0n
    let drawdownBps = 0n
    for (let at = span.startsAtS + HOUR; at <= span.endsAtS; at += HOUR) {
      const before = list.filter(({ mined_at_s }) => mined_at_s < at)
      if (before.length === 0) continue
      const { profit, capital } = worth(before, at, false)
      if (profit === null) continue
      if (profit > peak) peak = profit
      if (capital + peak <= 0n) continue
      const fall = ((peak - profit) * 10_000n) / (capital + peak)
      if (fall > drawdownBps) drawdownBps = fall
    }
    let outliers = 0
    let trips = 0
    for (const [i, t] of swaps.entries()) {
      const [a, b] = [price(t.token_in, t.mined_at_s), price(t.token_out, t.mined_at_s)]
      if (isMarked(t.token_in) && isMarked(t.token_out) && a !== null && b !== null) {
        const [x, y] = [
          down(t.token_in, BigInt(t.amount_in), a),
          down(t.token_out, BigInt(t.amount_out ?? 0), b),
        ]
        if ((y > x ? y - x : x - y) * 10n > x) outliers++
      }
      const last = swaps[i - 1]
      if (!last || last.token_in !== t.token_out || last.token_out !== t.token_in) continue
      const [bought, back] = [BigInt(last.amount_out ?? 0), BigInt(t.amount_in)]
      const apart = bought > back ? bought - back : back - bought
      if (t.mined_at_s - last.mined_at_s <= 300 && apart * 50n <= bought) trips++
    }
    return {
      entrant,
      ...end,
      drawdownBps: Number(drawdownBps),
      swaps,
      days: new Set(swaps.map(({ mined_at_s }) => Math.floor(mined_at_s / DAY))).size,
      outliers,
      trips,
      forbidden: swaps.some(({ token_in, token_out }) => tokens.has(token_in) || tokens.has(token_out)),
    }
  })

  /** Whether most of what one does comes right after another's same trade. */
  function copies(id: number): boolean {
    const mine = swapsOf.get(id)!
    return entrants.some((other) => {
      if (other.id === id) return false
      const theirs = swapsOf.get(other.id)!
      const followed = mine.filter((t) =>
        theirs.some(
          (u) =>
            u.token_in === t.token_in &&
            u.token_out === t.token_out &&
            t.mined_at_s - u.mined_at_s <= 60 &&
            (u.mined_at_s < t.mined_at_s ||
              (u.mined_at_s === t.mined_at_s && (u.block < t.block || (u.block === t.block && u.id < t.id)))),
        ),
      ).length
      return followed >= 5 && followed * 10 >= mine.length * 8 && followed * 10 >= theirs.length * 2
    })
  }

  const ranked = [...found].sort((x, y) => {
    const group = (z: typeof x) => (z.profit === null ? 2 : z.entrant.leftAtS !== null ? 1 : 0)
    if (group(x) !== group(y)) return group(x) - group(y)
    if (x.profit !== null && y.profit !== null && x.profit !== y.profit) return x.profit > y.profit ? -1 : 1
    if (x.capital !== y.capital) return x.capital < y.capital ? -1 : 1
    return x.entrant.id - y.entrant.id
  })
  /** Here owners are the only links. */
  const clusterOf = (owner: string) =>
    `c${Math.min(...entrants.filter((each) => each.owner === owner).map(({ id }) => id))}`
  const active = new Set(found.filter(({ swaps }) => swaps.length > 0).map(({ entrant }) => entrant.owner))
    .size
  const pays = active >= world.minOwners
  const winners: string[] = []
  let next = 1
  const result: PlainRow[] = ranked.map((row, i) => {
    const { entrant, swaps } = row
    const fine =
      entrant.confirmed &&
      !entrant.sanctioned &&
      entrant.leftAtS === null &&
      swaps.length >= 3 &&
      row.days >= 2 &&
      row.unknown === 0 &&
      row.outliers === 0 &&
      !(row.profit !== null && row.profit > 0n && row.beyond > 20_000_000n && row.beyond * 2n > row.profit) &&
      !(row.trips >= 3 && row.trips * 2 * 2 >= swaps.length) &&
      !copies(entrant.id) &&
      !row.forbidden
    const eligible = fine && !winners.includes(entrant.owner)
    if (eligible) winners.push(entrant.owner)
    return {
      id: entrant.id,
      rank: i + 1,
      profit: row.profit,
      capital: row.capital,
      drawdownBps: row.drawdownBps,
      trades: swaps.length,
      days: row.days,
      unvalued: row.unknown,
      outliers: row.outliers,
      cluster: clusterOf(entrant.owner),
      eligible,
      place: eligible && pays && next <= 3 ? next++ : null,
    }
  })
  const partnerPrice = price(world.partner, span.endsAtS)
  return { rows: result, pays, active, won: next - 1, partnerPrice }
}

/** One season of the reserve, in so many words. */
export function countReservePlainly(
  before: bigint,
  gain: bigint,
  partnerPrice: bigint,
  capUsd: bigint,
  won: number,
) {
  const cap = (capUsd * 10n ** 36n) / partnerPrice
  let added = gain / 2n
  if (before + added > cap * 3n) added = before > cap * 3n ? 0n : cap * 3n - before
  const reserve = before + added
  const budget = less(reserve / 3n, cap)
  const [second, third] = [(budget * 30n) / 100n, (budget * 20n) / 100n]
  const shares = [budget - second - third, second, third]
  const paid = shares.slice(0, won)
  return { cap, added, reserve, budget, shares, paid, after: reserve - paid.reduce((x, y) => x + y, 0n) }
}
