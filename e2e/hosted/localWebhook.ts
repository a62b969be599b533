import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Delivery {
  delivery: string
  agent: { id: string; mode: string; live: boolean }
  market: { pairs: { pair: string; price: number | null }[] }
  limits: { max_trade_usd: number }
  state: Record<string, unknown> | null
}

/** An owner's webhook as documented: it accepts signed deliveries only. */
export async function openWebhook(decide: (delivery: Delivery) => object) {
  const secrets = new Map<string, string>()
  const accepted: Delivery[] = []
  const refused: string[] = []

  async function judge(request: IncomingMessage, body: string): Promise<object | null> {
    const received = JSON.parse(body) as Delivery
    // The first tick may arrive before the answer that contains the secret.
    for (let i = 0; i < 40 && !secrets.has(received.agent.id); i++) await sleep(50)
    const { 'x-pit-timestamp': at, 'x-pit-signature': signature, 'x-pit-delivery': id } = request.headers
    const own = createHmac('sha256', secrets.get(received.agent.id) ?? '')
      .update(`${at}.${body}`)
      .digest('hex')
    const isSigned =
      String(signature).length === own.length + 3 &&
      timingSafeEqual(Buffer.from(`v1=${own}`), Buffer.from(`${signature}`))
    const isFresh = Math.abs(Date.now() / 1_000 - Number(at)) < 60
    if (!isSigned || !isFresh || id !== received.delivery) {
      refused.push(received.delivery)
      return null
    }
    accepted.push(received)
    return decide(received)
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const decision = await judge(request, Buffer.concat(chunks).toString('utf8'))
      response.writeHead(decision ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(decision ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tick`,
    taken: accepted,
    refused,
    knows: (agentId: string, secret: string) => void secrets.set(agentId, secret),
    close: () => void server.close(),
  }
}
export type Webhook = Awaited<ReturnType<typeof openWebhook>>
