import type { Rpc } from '@pit/platform/rpc'
import type { LeagueDeps } from '../deps.ts'

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const AT_ONCE = 50

interface Receipt {
  status: string
  from: string
  blockNumber: string
  logs: { address: string; topics: string[]; data: string }[]
}

/** Marks payouts mined whose transaction moved exactly the prize to the recipient; says of others what is wrong. */
export async function checkPayouts({
  db,
  rpc,
  logger,
  partner,
}: Pick<LeagueDeps, 'db' | 'logger'> & { rpc: Pick<Rpc, 'request'>; partner: string }): Promise<void> {
  const open = await db.query<{
    season: number
    place: number
    recipient: string
    amount: string
    tx_hash: string
  }>(
    `select season, place, recipient, amount, tx_hash from league_payouts
     where status = 'planned' and tx_hash is not null and problem is null order by season, place limit ${AT_ONCE}`,
  )
  for (const payout of open) {
    const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [payout.tx_hash])
    if (receipt === null) continue
    const problem = problemOf(receipt, partner, payout)
    if (problem) logger.warn({ season: payout.season, place: payout.place, problem }, 'a payout does not fit')
    await db.query(
      `update league_payouts set status = case when $4::text is null then 'mined' else status end, problem = $4,
         block = case when $4::text is null then $5::int8 end, sender = case when $4::text is null then $6 end
       where season = $1 and place = $2 and tx_hash = $3 and status = 'planned'`,
      [
        payout.season,
        payout.place,
        payout.tx_hash,
        problem,
        Number(receipt.blockNumber),
        receipt.from.toLowerCase(),
      ],
    )
  }
}

function problemOf(
  receipt: Receipt,
  partner: string,
  { recipient, amount }: { recipient: string; amount: string },
): string | null {
  if (BigInt(receipt.status) !== 1n) return 'the transaction reverted'
  const moved = receipt.logs
    .filter(({ address, topics }) => address.toLowerCase() === partner && topics[0] === TRANSFER)
    .filter(({ topics }) => `0x${topics[2]?.slice(26).toLowerCase()}` === recipient)
    .reduce((sum, { data }) => sum + BigInt(data), 0n)
  return moved === BigInt(amount) ? null : `it moved ${moved} atoms to the recipient, not ${amount}`
}
