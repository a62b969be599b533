import { isRefusal } from '@pit/client'
import { formatUnits } from 'viem'
import { connect } from './connect.ts'

// Sells ten dollars of ETH for USDG: planned by the service, verified here, signed here, relayed, mined.

const client = await connect()
console.log(`wallet    ${client.address}`)

try {
  const { plan, checks, receipt, amountOut } = await client.trade(
    { token_in: 'ETH', token_out: 'USDG', notional_usd: 10, slippage_bps: 50 },
    { onStage: ({ stage }) => console.log(`stage     ${stage}`) },
  )
  for (const { rule, says } of checks) console.log(`checked   ${rule}: ${says}`)
  console.log(`route     ${plan.route.label}, fee ${plan.fee_bps} bps`)
  console.log(`received  ${formatUnits(amountOut!, 6)} USDG in block ${receipt.block}`)
  console.log(`trade     ${receipt.hash}`)
} catch (error) {
  // Every refusal has a code, the next step, and whether a retry makes sense.
  if (!isRefusal(error)) throw error
  console.error(`${error.code}: ${error.message} ${error.hint ?? ''}`)
  process.exitCode = 1
}
