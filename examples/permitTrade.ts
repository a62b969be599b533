import { formatEther } from 'viem'
import { connect } from './connect.ts'

// Sells ten dollars of USDG for ETH. A token needs two grants before the router may take it: an approval to
// Permit2, which is a transaction, and a permit to the router, which is a signature over this trade alone.

const client = await connect()

const { plan, reading, hashes, amountOut } = await client.trade(
  // `exact` approves only what this trade spends; by default a budget is approved.
  { token_in: 'USDG', token_out: 'ETH', notional_usd: 10, approval_mode: 'exact' },
  { onStage: ({ stage }) => console.log(`stage     ${stage}`) },
)
for (const { spender, amount } of reading.approvals) console.log(`approved  ${amount} atoms to ${spender}`)
if (reading.permit) {
  const { details, spender, sigDeadline } = reading.permit.permit
  console.log(`permit    ${details.amount} atoms to ${spender}, until ${sigDeadline}`)
}
for (const hash of hashes) console.log(`sent      ${hash}`)
console.log(
  `received  ${amountOut === null ? 'ETH' : formatEther(amountOut)} ETH, at least ${plan.amount_out_min} wei`,
)

// Nothing is left to revoke here. After a budget approval, this revokes the rest of it.
const { receipts } = await client.revokeApprovals()
console.log(`revoked   by ${receipts.length} transactions`)
