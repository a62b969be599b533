import type { Address } from '@pit/chain'
import { readTokensOf } from '../../packages/treasury/src/deps.ts'
import { addRow, type Books, booksOf } from '../../packages/treasury/src/rules/books.ts'
import { composeWeek } from '../../packages/treasury/src/rules/composeWeek.ts'
import { sealRow } from '../../packages/treasury/src/rules/rowChain.ts'
import { isoWeekOf } from '../../packages/treasury/src/rules/weeks.ts'
import { insertRow } from '../../packages/treasury/src/store.ts'
import type { RowBody } from '../../packages/treasury/src/types.ts'
import type { Filling } from './fill.ts'
import { WEEK_S, type YearWorld } from './size.ts'

const WEEKS = 52

/** A row for each week that is over, chained by their hashes as the server chains them. */
export async function fillTreasury({ db, run }: Filling, { size, profile, feeRecipient }: YearWorld) {
  const texts = readTokensOf(profile)
  const books: Books = booksOf([])
  const firstS = size.weekS - WEEKS * WEEK_S
  const blockAt = (atS: number) => Math.max(0, atS - size.startS)
  const sums = await db.query<{ seq: number; token: Address; atoms: string; trades: number }>(
    `select treasury_seq as seq, token, sum(atoms) as atoms, count(*)::int4 as trades from fees
     where treasury_seq is not null group by 1, 2`,
  )
  let prevHash: string | null = null
  for (let seq = 1; seq <= WEEKS; seq++) {
    const [startS, endS] = [firstS + (seq - 1) * WEEK_S, firstS + seq * WEEK_S]
    const own = sums.filter((sum) => sum.seq === seq && texts.has(sum.token))
    const parts = composeWeek({
      interval: {
        ...{ startS, endS, label: isoWeekOf(startS) },
        ...{ firstBlock: blockAt(startS), lastBlock: blockAt(endS) - 1 },
      },
      books,
      reconciled: {
        tokens: own.map(({ token, atoms, trades }) => ({
          ...{ token, ledger: BigInt(atoms), received: BigInt(atoms), trades, outside: 0n, outsideTrades: 0 },
        })),
        eth: 'trace',
        counts: {
          agrees: own.reduce((sum, { trades }) => sum + trades, 0),
          outside_ledger: 0,
          differences: 0,
        },
        late: 0,
      },
      accepted: null,
      sent: [],
      textOf: (token) => texts.get(token)!,
      markOf: () => null,
    })
    const body = {
      ...parts,
      seq,
      status: 'booked',
      prev_hash: prevHash,
      recorded_at: endS,
    } as unknown as RowBody
    addRow(books, body)
    const row = sealRow(body)
    prevHash = row.hash
    await db.transaction((sql) => insertRow(sql, row))
    await run('insert into treasury_ends (wallet, end_s, last_block) values ($1, $2, $3)', [
      feeRecipient,
      endS,
      blockAt(endS) - 1,
    ])
  }
  await run(
    `insert into treasury_scan (wallet, block, block_hash, first_block, first_s, ether_block, ether_wei,
      ether_nonce)
     values ($1, $2, $3, 0, $4, $2, 0, 0)`,
    [feeRecipient, blockAt(size.nowS), `0x${'11'.repeat(32)}`, firstS],
  )
}
