import type { Db } from '@pit/platform/db'

/**
 * An independent count of the treasury's weeks, from the ledger's rows, the chain's transactions and the
 * marks, written from the documentation alone.
 */

export interface PlainMove {
  token: string
  to: string
  atoms: bigint
}

export interface PlainPlace {
  db: Db
  wallet: string
  /** Tokens whose transfers count, with their decimals. */
  decimals: Record<string, number>
  mined(): readonly { hash: string; timeS: number; reverted: boolean; moves: readonly PlainMove[] }[]
}

export interface PlainLine {
  token: string
  received: string
  trades: number
  outside: string
  outside_trades: number
  carried_in: string
  pool: string
  status: string
  booked: { operations: string; buybacks: string; treasury: string }
  carried_out: string
  value_usd: number | null
}

/** One week's lines; `carried` is each token's balance carried in and on. */
export async function countWeekPlainly(
  { db, wallet, decimals, mined }: PlainPlace,
  { start, end }: { start: number; end: number },
  carried: Map<string, bigint>,
): Promise<PlainLine[]> {
  const fees = await db.query<{ token: string; atoms: string; tx_hash: string }>(
    'select token, atoms, tx_hash from fees where block_time_s >= $1 and block_time_s < $2',
    [start, end],
  )
  const marks = await db.query<{ token: string; minute_s: number; price_e18: string }>(
    `select token, minute_s, price_e18 from marks where minute_s >= $1 - 3600 and minute_s < $1
     order by minute_s`,
    [end],
  )
  const prices = new Map(marks.map(({ token, price_e18 }) => [token, BigInt(price_e18)]))
  const booked = new Set(fees.map(({ token, tx_hash }) => `${token} ${tx_hash}`))
  const gifts = mined()
    .filter(({ timeS, reverted }) => !reverted && timeS >= start && timeS < end)
    .flatMap(({ hash, moves }) => moves.map((move) => ({ hash, ...move })))
    .filter(({ token, to }) => to === wallet && token in decimals)
    .filter(({ token, hash }) => !booked.has(`${token} ${hash}`))
  const sum = (list: readonly { atoms: bigint | string }[]) =>
    list.reduce((total, { atoms }) => total + BigInt(atoms), 0n)

  const tokens = new Set([...fees, ...gifts].map(({ token }) => token))
  const lines: PlainLine[] = []
  for (const token of [...new Set([...tokens, ...carried.keys()])].sort()) {
    const own = fees.filter((fee) => fee.token === token)
    const ownGifts = gifts.filter((gift) => gift.token === token)
    const before = carried.get(token) ?? 0n
    const pool = sum(own) + sum(ownGifts) + before
    const price = prices.get(token)
    const micro = price === undefined ? null : (pool * price) / 10n ** BigInt((decimals[token] ?? 0) + 12)
    const status = pool === 0n ? 'nothing' : micro === null ? 'unpriced' : micro < 10_000n ? 'dust' : 'split'
    const isSplit = status === 'split'
    const share = (percent: bigint) => (isSplit ? (pool * percent) / 100n : 0n)
    const left = pool - share(50n) - share(40n) - share(10n)
    if (!tokens.has(token) && !isSplit) continue
    carried.set(token, left)
    lines.push({
      token,
      received: String(sum(own)),
      trades: own.length,
      outside: String(sum(ownGifts)),
      outside_trades: ownGifts.length,
      carried_in: String(before),
      pool: String(pool),
      status,
      booked: {
        operations: String(share(50n)),
        buybacks: String(share(40n)),
        treasury: String(share(10n)),
      },
      carried_out: String(left),
      value_usd: micro === null ? null : Number(micro / 10_000n) / 100,
    })
  }
  return lines
}
