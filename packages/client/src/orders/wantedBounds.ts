import { type Hex, type OrderList, orderListHash } from '@pit/chain'
import { DAY_MS, worthUp } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must, PitRefusal } from '../errors.ts'
import { dearer, SIZE_BAND_BPS } from '../own/ownPrice.ts'
import { readPrices } from '../own/price.ts'
import { tokenNamed } from '../pins.ts'
import { hashing } from '../verify/grant.ts'

/**
 * Bounds a list that the server wants signed by the owner's record of the agent and by the session's binding: one
 * trade of a recorded pair, within the limit of one trade and, with the lists signed before, of one day. Records
 * its value for that sum.
 */
export async function checkBounds(
  deps: ClientDeps,
  { agentId, session, list }: { agentId: string; session: { hash: Hex }; list: OrderList },
  { signal }: VerbOptions,
): Promise<void> {
  const { pins, records, rpc, nowMs } = deps
  const agent = await records.agent(agentId)
  const granted = (await records.sessions()).records.find(({ roots }) => roots[0]!.hash === session.hash)
  if (!agent || !granted)
    throw new PitRefusal(
      'INTENT_NEEDED',
      'No record of this agent is kept here, so the list to sign cannot be compared with its limits.',
      { hint: 'Sign it on the machine that created the agent, or place your own order.' },
    )
  const [order, ...more] = list.orders
  if (order === undefined || more.length > 0) return broken('RECIPIENT', 'the list to sign is not one trade')
  const ends = [order.tokenIn, order.tokenOut].sort().join()
  const isPair = agent.pairs.some(
    (pair) =>
      pair
        .split('/')
        .map((name) => tokenNamed(pins, name))
        .sort()
        .join() === ends,
  )
  must(isPair, 'RECIPIENT', 'the list to sign trades a pair that the agent was not created with')
  const prices = await readPrices(rpc, pins, order.tokenIn, { nowMs: nowMs(), signal })
  if (!prices) return broken('PRICE', 'your node has no price for a token of the list to sign')
  const price = dearer(prices)
  const microUsd = worthUp(order.amountIn, price)
  const { max_trade_micro_usd, max_day_micro_usd } = granted.binding.limits
  const { max_trade_usd, max_day_usd } = agent.limits
  const band = price.bandBps ?? SIZE_BAND_BPS
  const isWithin = (sum: bigint, ownUsd: number, boundMicroUsd: number): boolean =>
    sum * 10_000n <= BigInt(Math.min(Math.round(ownUsd * 1e6), boundMicroUsd)) * (10_000n + band)
  must(
    isWithin(microUsd, max_trade_usd, max_trade_micro_usd),
    'GRANT_CAPS',
    'the list to sign is larger than the agent’s maximum per trade',
  )
  const id = orderListHash(hashing, list)
  const signed = await signedToday(deps, session.hash, id)
  must(
    isWithin(signed + microUsd, max_day_usd, max_day_micro_usd),
    'GRANT_CAPS',
    'the list to sign and those signed in the last 24 hours are larger than the agent’s maximum per day',
  )
  await records.putWanted(session.hash, { id, at_ms: nowMs(), micro_usd: Number(microUsd) })
}

/** A recorded list counts once it was signed: a declined one has no list. */
async function signedToday({ records, nowMs }: ClientDeps, session: Hex, id: Hex): Promise<bigint> {
  const lists = new Set((await records.orderLists()).map(({ hash }) => hash))
  const recent = (await records.wanted(session)).filter(
    (one) => one.id !== id && lists.has(one.id) && one.at_ms > nowMs() - DAY_MS,
  )
  return recent.reduce((sum, { micro_usd }) => sum + BigInt(micro_usd), 0n)
}
