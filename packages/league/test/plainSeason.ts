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
  /** A wallet's balance just before a time. */
  balanceOf(wallet: string, token: string, atS: number): bigint
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
  const cache = new Map<string, bigint | null>()
  function price(token: string, at: number): bigint | null {
    const cached = cache.get(`${token}${at}`)
    if (cached !== undefined) return cached
    const value = look(token, at)
    cache.set(`${token}${at}`, value)
    return value
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

  /** The middle of the last day, if half of its hours have a price, and whether the last is far off. */
  function endPrice(token: string): { price: bigint | null; isFar: boolean } {
    if (token === world.usdg) return { price: 10n ** 18n, isFar: false }
    const day = (series[token] ?? []).filter(({ at }) => at > span.endsAtS - DAY && at <= span.endsAtS)
    const hours = Array.from({ length: 24 }, (_, i) => span.endsAtS - (i + 1) * HOUR)
    const priced = hours.filter((from) => day.some(({ at }) => at > from && at <= from + HOUR))
    if (priced.length < 12) return { price: null, isFar: false }
    const sorted = day.map((one) => one.price).sort((x, y) => (x < y ? -1 : 1))
    const middle = sorted[Math.ceil(sorted.length / 2) - 1]!
    const last = price(token, span.endsAtS)
    return {
      price: middle,
      isFar: last === null || (last > middle ? last - middle : middle - last) * 10n > middle,
    }
  }
  const ends = new Map(Object.keys(world.decimals).map((token) => [token, endPrice(token)]))

  /** One entrant's season, hour by hour. */
  function walk(wallet: string, list: readonly RawTrade[]) {
    /** The book's holdings: atoms, their value when last seen or put in, and their cost. */
    const pots = new Map<string, { atoms: bigint; seen: bigint; cost: bigint | null }>()
    const potOf = (token: string) => pots.get(token) ?? { atoms: 0n, seen: 0n, cost: 0n }
    let [put, back, most, gas] = [0n, 0n, 0n, 0n]
    let unknown = 0
    // Gain of swaps beyond the marks, and of unmarked tokens beyond their cost.
    let [over, odd] = [0n, 0n]
    let [inSight, unseen] = [0n, 0n]
    let [peak, drawdownBps] = [0n, 0n]

    function trade(t: RawTrade) {
      gas += world.gasOf(t.tx_hash)
      if (t.kind !== 'swap' || t.status !== 'mined') return
      const [a, b] = [t.token_in, t.token_out]
      const [given, got] = [BigInt(t.amount_in), BigInt(t.amount_out ?? 0)]
      const from = potOf(a)
      const p = isMarked(a) ? price(a, t.mined_at_s) : null
      if (isMarked(a) && given > from.atoms) {
        if (p === null) unknown++
        else {
          put += up(a, given - from.atoms, p)
          from.seen += up(a, given - from.atoms, p)
          if (put - back > most) most = put - back
        }
        from.atoms = given
      }
      const share = less(given, from.atoms)
      const part = (of: bigint) => (from.atoms === 0n ? 0n : of - (of * (from.atoms - share)) / from.atoms)
      const seen = part(from.seen)
      const unmarkedCost = from.cost === null ? null : part(from.cost)
      const cost = isMarked(a) ? (p === null ? null : down(a, given, p)) : unmarkedCost
      pots.set(a, {
        atoms: from.atoms - share,
        seen: from.seen - seen,
        cost: from.cost === null || unmarkedCost === null ? null : from.cost - unmarkedCost,
      })
      if (from.atoms === share) pots.delete(a)
      const ours = (got * share) / given
      const pb = isMarked(b) ? price(b, t.mined_at_s) : null
      if (pb !== null && cost !== null) {
        if (isMarked(a)) over += down(b, got, pb) - cost
        else odd += down(b, ours, pb) - cost
      }
      if (ours === 0n) return
      const to = potOf(b)
      const sum = isMarked(b) ? 0n : to.cost === null || cost === null ? null : to.cost + cost
      pots.set(b, { atoms: to.atoms + ours, seen: to.seen + seen, cost: sum })
    }

    /** Cuts the book to the wallet's balances; false if a price is missing. */
    function look(at: number): boolean {
      let [isWhole, missing, now] = [true, 0n, 0n]
      for (const [token, { atoms, seen, cost }] of pots) {
        const remaining = less(atoms, world.balanceOf(wallet, token, at))
        const p = isMarked(token) ? price(token, at) : null
        if (isMarked(token) && p === null) {
          isWhole = false
          continue
        }
        const staying = (seen * remaining) / atoms
        if (p !== null) {
          back += less(seen - staying, down(token, atoms - remaining, p))
          missing += seen - staying
        }
        const worth = p === null ? staying : down(token, remaining, p)
        now += worth
        if (remaining === 0n) pots.delete(token)
        else
          pots.set(token, {
            atoms: remaining,
            seen: worth,
            cost: cost === null ? null : (cost * remaining) / atoms,
          })
      }
      if (missing > inSight) unseen += missing - inSight
      inSight = isWhole ? now : missing > inSight ? 0n : inSight - missing
      return isWhole
    }

    function worth(priceOf: (token: string) => bigint | null, isEnd: boolean) {
      let [profit, lacking] = [back - put, unknown]
      for (const [token, { atoms, cost }] of pots) {
        if (!isMarked(token) && isEnd) continue
        const p = isMarked(token) ? priceOf(token) : null
        if (isMarked(token) ? p === null : cost === null) lacking++
        else profit += p === null ? cost! : down(token, atoms, p)
      }
      const p = priceOf(world.eth)
      if (gas > 0n && p === null) lacking++
      else if (gas > 0n) profit -= up(world.eth, gas, p!)
      return { profit: lacking > 0 ? null : profit, unknown: lacking }
    }

    let next = 0
    for (let at = span.startsAtS + HOUR; at <= span.endsAtS; at += HOUR) {
      while (next < list.length && list[next]!.mined_at_s < at) trade(list[next++]!)
      if (next === 0 || !look(at)) continue
      const { profit } = worth((token) => price(token, at), false)
      if (profit === null) continue
      if (profit > peak) peak = profit
      if (most + peak <= 0n) continue
      const fall = ((peak - profit) * 10_000n) / (most + peak)
      if (fall > drawdownBps) drawdownBps = fall
    }
    const far = [...pots.keys()].filter((token) => ends.get(token)?.isFar).length
    const beyond = (over > 0n ? over : 0n) + (odd > 0n ? odd : 0n)
    const end = worth((token) => ends.get(token)!.price, true)
    return { ...end, capital: most, drawdownBps: Number(drawdownBps), beyond, unseen, far }
  }

  const tokens = new Set(entrants.map(({ token }) => token).filter((token) => !isMarked(token)))
  const swapsOf = new Map<number, RawTrade[]>()
  const walks = entrants.map((entrant) => {
    const list = rows
      .filter(({ wallet }) => wallet === entrant.wallet)
      .filter(({ mined_at_s }) => entrant.leftAtS === null || mined_at_s < entrant.leftAtS)
      .sort((x, y) => x.mined_at_s - y.mined_at_s || x.block - y.block || x.id - y.id)
    const swaps = list.filter(({ kind, status }) => kind === 'swap' && status === 'mined')
    swapsOf.set(entrant.id, swaps)
    const walked = walk(entrant.wallet, list)
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
      ...walked,
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

  const ranked = [...walks].sort((x, y) => {
    const group = (z: typeof x) => (z.profit === null ? 2 : z.entrant.leftAtS !== null ? 1 : 0)
    if (group(x) !== group(y)) return group(x) - group(y)
    // Profit that no mark confirms does not count for the rank.
    const [a, b] = [x, y].map((z) => (z.profit ?? 0n) - z.beyond) as [bigint, bigint]
    if (x.profit !== null && y.profit !== null && a !== b) return a > b ? -1 : 1
    if (x.capital !== y.capital) return x.capital < y.capital ? -1 : 1
    return x.entrant.id - y.entrant.id
  })
  /** Here owners are the only links. */
  const clusterOf = (owner: string) =>
    `c${Math.min(...entrants.filter((each) => each.owner === owner).map(({ id }) => id))}`
  const active = new Set(walks.filter(({ swaps }) => swaps.length > 0).map(({ entrant }) => entrant.owner))
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
      row.unseen <= 20_000_000n &&
      row.far === 0 &&
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
  const partnerPrice = ends.get(world.partner)!.price
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
