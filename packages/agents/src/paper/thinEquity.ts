import type { Db } from '@pit/platform/db'

/** Each minute is kept for two days, then each hour's lowest and highest, so falls keep their depth. */
const MINUTES_FOR_S = 2 * 86_400
/** Then the same of each day. */
const HOURS_FOR_S = 60 * 86_400
/** How far back one run looks: a server that was off for longer leaves rows in, which harms nothing. */
const LOOKS_BACK_BUCKETS = 24

/** Deletes the rows between the kept ones, once for every hour and day that ends. */
export function createThinner(db: Db): (nowS: number) => Promise<number> {
  const done = new Map<number, number>()
  async function thinOnce(untilS: number, bucketS: number): Promise<number> {
    const endS = Math.floor(untilS / bucketS) * bucketS
    if (done.get(bucketS) === endS) return 0
    const gone = await thin(db, { endS, bucketS })
    done.set(bucketS, endS)
    return gone
  }
  return async (nowS) =>
    (await thinOnce(nowS - MINUTES_FOR_S, 3_600)) + (await thinOnce(nowS - HOURS_FOR_S, 86_400))
}

async function thin(db: Db, { endS, bucketS }: { endS: number; bucketS: number }): Promise<number> {
  const rows = await db.query<{ gone: number }>(
    `with ranked as (
       select book_id, minute_s,
         row_number() over (partition by book_id, minute_s / $3 order by micro_usd, minute_s) as low,
         row_number() over (partition by book_id, minute_s / $3 order by micro_usd desc, minute_s) as high
       from paper_equity where minute_s >= $1 and minute_s < $2
     ), gone as (
       delete from paper_equity e using ranked r
       where r.low > 1 and r.high > 1 and e.book_id = r.book_id and e.minute_s = r.minute_s
       returning 1
     )
     select count(*) as gone from gone`,
    [endS - LOOKS_BACK_BUCKETS * bucketS, endS, bucketS],
  )
  return rows[0]?.gone ?? 0
}
