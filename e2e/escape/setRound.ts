import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import type { World } from './world.ts'

/** Feeds whose tokens no trade here uses. */
export const FEED = 'cbBTC'
export const STOCK = 'NVDA'

/** Met by rounds of 95% of the token's first price. */
export function stopOf({ at, tokens }: World, name: string) {
  const token = at.symbol(name)
  const priceE18 = (tokens.get(token)!.priceE18 * 95n) / 100n
  return { kind: 'at_or_below', token, priceE18, trailBps: 0 } as const
}

/** Publishes a round of a feed at a share of its first price, later than the last one by a second; returns its id. */
export async function setRound(world: World, name: string, share: number): Promise<bigint> {
  const { devnet, tokens, at, profile } = world
  const price = (Number(tokens.get(at.symbol(name))!.priceE18 / 10n ** 14n) / 1e4) * share
  await sleep(1_100)
  await devnet.rpc('devnet_setFeed', [name, { price, age_s: 0 }])
  const to = profile.core_tokens.find(({ symbol }) => symbol === name)!.feed!.address
  const data = await devnet.rpc<Hex>('eth_call', [{ to, data: '0xfeaf968c' }, 'latest'])
  return BigInt(data.slice(0, 66))
}
