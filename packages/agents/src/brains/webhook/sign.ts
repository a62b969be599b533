import { createHmac } from 'node:crypto'

/** What a receiver recomputes: HMAC-SHA256 under the agent's secret over the timestamp, a dot and the body's bytes. */
export const signDelivery = (secret: string, timestampS: number, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestampS}.${body}`, 'utf8').digest('hex')}`
