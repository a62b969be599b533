import { ERC20_TRANSFER_TOPIC } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import type { LeagueDeps } from '../deps.ts'

const AT_ONCE = 50
/** A transaction of a newer block may still be gone tomorrow. */
const DEPTH = 20

interface Receipt {
  status: string
  from: string
  blockNumber: string
  logs: { address: string; topics: string[]; data: string }[]
}

/**
 * Marks payouts mined whose transaction moved exactly the prize to the recipient, once it is deep enough; says of others
 * what is wrong. One that cannot be looked up does not keep the others waiting.
 */
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
  if (open.length === 0) return
  const head = Number(await rpc.request<string>('eth_blockNumber'))
  for (const payout of open) {
    const receipt = await rpc
      .request<Receipt | null>('eth_getTransactionReceipt', [payout.tx_hash])
      .catch((error: unknown) => {
        logger.warn(
          { err: error, season: payout.season, place: payout.place },
          'a payout cannot be looked up',
        )
        return null
      })
    if (receipt === null || Number(receipt.blockNumber) + DEPTH > head) continue
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
  if (receipt.from.toLowerCase() === recipient) return 'the recipient sent it itself'
  const isRecipient = (topic: string | undefined) => `0x${topic?.slice(26).toLowerCase()}` === recipient
  // What goes back in the same transaction, or from the recipient to itself, pays nobody.
  const moved = receipt.logs
    .filter(({ address, topics }) => address.toLowerCase() === partner && topics[0] === ERC20_TRANSFER_TOPIC)
    .map(({ topics, data }) => {
      const sign = BigInt(Number(isRecipient(topics[2])) - Number(isRecipient(topics[1])))
      return sign === 0n ? 0n : sign * BigInt(data)
    })
    .reduce((sum, atoms) => sum + atoms, 0n)
  return moved === BigInt(amount) ? null : `it moved ${moved} atoms to the recipient, not ${amount}`
}
