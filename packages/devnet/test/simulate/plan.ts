import type { Hex, SignedAuthorization } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Chain } from '../../src/engine/types.ts'

/** One transaction of a random plan, before it is simulated or signed. */
export interface PlannedCall {
  kind: string
  sender: PrivateKeyAccount
  nonce: number
  to?: Hex
  data: Hex
  value: bigint
  gas: bigint
  authorizationList?: SignedAuthorization[]
  accessList?: { address: Hex; storageKeys: Hex[] }[]
}

export type Random = () => number

/** mulberry32: small and deterministic. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const upTo = (random: Random, most: number) => Math.floor(random() * most)
export const pick = <T>(random: Random, list: readonly T[]): T => list[upTo(random, list.length)]!
export const amount = (random: Random, most: bigint) => (most * BigInt(upTo(random, 1_000_000))) / 1_000_000n
export const fresh = (random: Random): Hex =>
  `0x${Array.from({ length: 40 }, () => upTo(random, 16).toString(16)).join('')}`

export interface Making {
  chain: Chain
  random: Random
  /** Nonces used up by the plan's own transactions. */
  nonces: Map<string, number>
  /** The same for signed permits. */
  permits: Map<string, bigint>
}

export type Maker = (
  making: Making,
  sender: PrivateKeyAccount,
) => Promise<Omit<PlannedCall, 'kind' | 'sender' | 'gas' | 'nonce'>>

/** Parts of plans, and the accounts whose balances are compared. */
export interface PlanSource {
  makers: Record<string, Maker>
  senders: PrivateKeyAccount[]
  tokens: Hex[]
  holders: Hex[]
}

/** A plan of one to five transactions that a real sender could sign in one block. */
export async function randomPlan(source: PlanSource, chain: Chain, random: Random): Promise<PlannedCall[]> {
  const making: Making = { chain, random, nonces: new Map(), permits: new Map() }
  const senders = [pick(random, source.senders), pick(random, source.senders)]
  const plan: PlannedCall[] = []
  for (let left = 1 + upTo(random, 5); left > 0; left -= 1) {
    const sender = pick(random, senders)
    const kind = pick(random, Object.keys(source.makers))
    const key = sender.address.toLowerCase()
    if (!making.nonces.has(key)) making.nonces.set(key, await nonceOf(chain, sender.address))
    const nonce = making.nonces.get(key)!
    const made = await source.makers[kind]!(making, sender)
    making.nonces.set(key, making.nonces.get(key)! + 1)
    plan.push({
      kind,
      sender,
      nonce,
      ...made,
      gas: gasOf(kind, made.data, random),
      ...(random() < 0.15 ? { accessList: [{ address: source.tokens[0]!, storageKeys: [] }] } : {}),
    })
    // The pool holds back transactions after an own delegation in the same block: it knows only the state
    // before.
    if (making.nonces.get(key) !== nonce + 1) break
  }
  return plan
}

export const nonceOf = async (chain: Chain, address: Hex): Promise<number> =>
  Number(await chain.request<Hex>('eth_getTransactionCount', [address, 'latest']))

function gasOf(kind: string, data: Hex, random: Random): bigint {
  const floor = 60_000n + BigInt(data.length * 22)
  if (kind !== 'burn' && random() > 0.12) return floor + 1_500_000n
  // Often too little: the call runs out of gas in the middle.
  return floor + BigInt(upTo(random, 120_000))
}
