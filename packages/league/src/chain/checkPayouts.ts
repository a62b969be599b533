import { ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'
import { addressIn, askBlockNumber, askReceipt, type Receipt, readOne, wordIn } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { LeagueDeps } from '../deps.ts'

const MAX_PER_RUN = 50

/**
 * Marks a payout mined once its transaction is deep enough and moved exactly the prize to the recipient;
 * otherwise records the problem. A payout that cannot be looked up does not delay the others.
 */
export async function checkPayouts({
  db,
  rpc,
  logger,
  profile,
  partner,
}: Pick<LeagueDeps, 'db' | 'logger' | 'profile'> & {
  rpc: Pick<Rpc, 'request'>
  partner: string
}): Promise<void> {
  const open = await db.query<{
    season: number
    place: number
    recipient: string
    amount: string
    tx_hash: Hex
  }>(
    `select season, place, recipient, amount, tx_hash from league_payouts
     where status = 'planned' and tx_hash is not null and problem is null order by season, place
     limit ${MAX_PER_RUN}`,
  )
  if (open.length === 0) return
  const head = await readOne(rpc, askBlockNumber())
  for (const payout of open) {
    const { season, place, tx_hash: hash } = payout
    const receipt = await readOne(rpc, askReceipt(hash)).catch((error: unknown) => {
      logger.warn({ err: error, season, place }, 'a payout cannot be looked up')
      return null
    })
    // A transaction in a newer block may still be dropped by a reorganisation.
    if (receipt === null || receipt.block + profile.chain.settled_blocks > head) continue
    const problem = problemOf(receipt, partner, payout)
    if (problem) logger.warn({ season, place, problem }, 'a payout does not fit')
    await db.query(
      `update league_payouts set status = case when $4::text is null then 'mined' else status end,
       problem = $4,
         block = case when $4::text is null then $5::int8 end, sender = case when $4::text is null then $6 end
       where season = $1 and place = $2 and tx_hash = $3 and status = 'planned'`,
      [season, place, hash, problem, receipt.block, receipt.from],
    )
  }
}

function problemOf(
  receipt: Receipt,
  partner: string,
  { recipient, amount }: { recipient: string; amount: string },
): string | null {
  if (!receipt.ok) return 'the transaction reverted'
  if (receipt.from === recipient) return 'the recipient sent it itself'
  // Transfers back in the same transaction, or from the recipient to itself, do not count as payment.
  const moved = receipt.logs
    .filter(({ address, topics }) => address === partner && topics[0] === ERC20_TRANSFER_TOPIC)
    .map(({ topics, data }) => {
      const [isSender, isReceiver] = [topics[1], topics[2]].map((topic) => addressIn(topic) === recipient)
      return BigInt(Number(isReceiver) - Number(isSender)) * (wordIn(data) ?? 0n)
    })
    .reduce((sum, atoms) => sum + atoms, 0n)
  return moved === BigInt(amount) ? null : `it moved ${moved} atoms to the recipient, not ${amount}`
}
