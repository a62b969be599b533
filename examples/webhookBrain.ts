import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect, until } from './connect.ts'

// A hosted agent on paper whose decisions are made here: the service posts the market to this process at
// every tick and trades what it answers, inside the agent's limits.

let tellSecret: (secret: string) => void = () => {}
const secret = new Promise<string>((resolve) => {
  tellSecret = resolve
})

const server = createServer(async (request, response) => {
  const body = await text(request)
  const { 'x-pit-timestamp': at, 'x-pit-signature': given } = request.headers
  // The first tick may arrive before the answer that contains the secret.
  const own = `v1=${createHmac('sha256', await secret)
    .update(`${at}.${body}`)
    .digest('hex')}`
  const isSigned =
    String(given).length === own.length && timingSafeEqual(Buffer.from(own), Buffer.from(`${given}`))
  if (!isSigned || Math.abs(Date.now() / 1000 - Number(at)) > 60) return void response.writeHead(401).end()
  const { market } = JSON.parse(body)
  const [{ pair, price }] = market.pairs
  console.log(`tick      ${pair} at ${price}`)
  const orders = [{ pair, side: 'buy', usd: 5, reason: 'the example buys at every tick' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ orders, reason: 'five dollars more' }))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const client = await connect()
const agent = await client.hosted.create({
  name: 'webhook example',
  brain: 'webhook',
  params: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tick` },
  interval_s: 60,
  pairs: ['ETH/USDG'],
  limits: { max_trade_usd: 10, max_day_usd: 50, max_position_usd: 200 },
})
tellSecret(agent.webhook_secret!)
console.log(`agent     ${agent.id}`)

try {
  const params = { id: agent.id }
  const traded = await until(async () => (await client.api['hosted.get']({ params })).last_trade ?? undefined)
  console.log(`paper     ${traded.side} ${traded.usd} dollars of ${traded.pair}`)
} finally {
  await client.api['hosted.delete']({ params: { id: agent.id } })
  server.close()
}
