import { connect, until } from './connect.ts'

// A hosted agent on paper with decisions by a language model. It gets a fixed prompt with the market of its
// own pairs; its answer can only be an order of these pairs inside these limits.

const client = await connect()
const { enabled, models } = await client.api['hosted.ai']()
if (!enabled) throw new Error('This server has no AI gateway.')
console.log(`models    ${models.map(({ id }) => id).join(', ')}`)

const agent = await client.hosted.create({
  name: 'model example',
  brain: 'partner_llm',
  params: {
    strategy: 'Follow what moved most in the last hour, with small orders. Hold when nothing did.',
    budget_usd_day: 0.5,
    max_orders: 1,
  },
  // The service's own credit pays for ticks of fifteen minutes or more.
  interval_s: 900,
  pairs: ['ETH/USDG', 'cbBTC/USDG'],
  limits: { max_trade_usd: 10, max_day_usd: 50, max_position_usd: 200 },
})
console.log(`agent     ${agent.id}`)

try {
  const params = { id: agent.id }
  const decided = await until(
    async () => (await client.api['hosted.get']({ params })).last_decision ?? undefined,
  )
  console.log(`decided   ${decided.reason}`)
  for (const { side, usd, pair, reason } of decided.orders)
    console.log(`order     ${side} ${usd} ${pair}: ${reason}`)
  const { rows } = await client.api['hosted.logs']({ params, query: { limit: 10 } })
  for (const { kind, message } of rows) console.log(`log       ${kind}: ${message}`)
  const { ai } = await client.api['hosted.spend']({ params })
  console.log(`spent     ${ai.today.usd} dollars in ${ai.today.calls} calls`)
} finally {
  await client.api['hosted.delete']({ params: { id: agent.id } })
}
