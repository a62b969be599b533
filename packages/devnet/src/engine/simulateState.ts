import { type Address, numberToHex } from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import { toHex } from './hex.ts'
import { type Call, type Provider, rpcFailure } from './provider.ts'
import { SIMULATE_CODE } from './simulateFailure.ts'
import type { AccountOverride, SimulatedCall } from './simulateRequest.ts'
import type { Hex } from './types.ts'

/** prestateTracer's diffMode for an account: `post` has only what changed, and no zero words. */
export interface AccountDiff {
  balance?: Hex
  nonce?: number
  code?: Hex
  storage?: Record<Hex, Hex>
}

export interface StateDiff {
  pre: Record<Hex, AccountDiff>
  post: Record<Hex, AccountDiff>
}

export const ZERO_WORD: Hex = `0x${'0'.repeat(64)}`
const ZERO_ADDRESS: Hex = `0x${'0'.repeat(40)}`
const EMPTY_TRIE: Hex = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
export const DELEGATION = '0xef0100'

/** The requests that set an engine's latest state to the state after a call. */
export function requestsOfDiff(diff: StateDiff, undelegated: readonly Hex[]): Call[] {
  const requests: Call[] = undelegated.map((address) => ['hardhat_setCode', [address, '0x']])
  for (const [address, post] of Object.entries(diff.post) as [Hex, AccountDiff][]) {
    if (post.balance !== undefined) requests.push(['hardhat_setBalance', [address, post.balance]])
    if (post.nonce !== undefined) requests.push(['hardhat_setNonce', [address, toHex(post.nonce)]])
    if (post.code !== undefined) requests.push(['hardhat_setCode', [address, post.code]])
    const before = Object.keys(diff.pre[address]?.storage ?? {}) as Hex[]
    const after = Object.entries(post.storage ?? {}) as [Hex, Hex][]
    const zeroed = before.filter((slot) => post.storage?.[slot] === undefined)
    for (const [slot, word] of after) requests.push(setWord(address, BigInt(slot), word))
    for (const slot of zeroed) requests.push(setWord(address, BigInt(slot), ZERO_WORD))
  }
  return requests
}

/**
 * Accounts whose delegation a call removed: the diff does not distinguish emptied code from unchanged code.
 */
export async function undelegatedBy(call: SimulatedCall, diff: StateDiff): Promise<Hex[]> {
  const suspects = (Object.keys(diff.post) as Hex[]).filter(
    (address) => diff.pre[address]?.code?.startsWith(DELEGATION) && diff.post[address]?.code === undefined,
  )
  if (suspects.length === 0 || !call.authorizationList) return []
  const last = new Map<string, Hex>()
  const nonces = new Map(suspects.map((address) => [address as string, startNonce(call, diff, address)]))
  for (const item of call.authorizationList) {
    const authority = await authorityOf(item)
    if (authority === undefined || nonces.get(authority) !== item.nonce) continue
    if (item.chainId !== 0n && item.chainId !== 4663n) continue
    nonces.set(authority, item.nonce + 1n)
    last.set(authority, item.address)
  }
  return suspects.filter((address) => last.get(address) === ZERO_ADDRESS)
}

// The sender's nonce is incremented before its authorizations are read.
const startNonce = (call: SimulatedCall, diff: StateDiff, address: Hex): bigint =>
  BigInt(diff.pre[address]?.nonce ?? 0) + (call.from === address ? 1n : 0n)

type Item = NonNullable<SimulatedCall['authorizationList']>[number]

async function authorityOf(item: Item): Promise<string | undefined> {
  try {
    const recovered = await recoverAuthorizationAddress({
      authorization: {
        address: item.address as Address,
        chainId: Number(item.chainId),
        nonce: Number(item.nonce),
        r: numberToHex(item.r, { size: 32 }),
        s: numberToHex(item.s, { size: 32 }),
        yParity: Number(item.yParity),
      },
    })
    return recovered.toLowerCase()
  } catch {
    return undefined
  }
}

/** Whether the current state decides if overrides are possible. */
export const readsState = (overrides: readonly AccountOverride[]): boolean =>
  overrides.some(({ nonce, state }) => nonce !== undefined || state !== undefined)

/** The requests that apply overrides; reads the state first if EDR could not undo or reject clearly. */
export async function requestsOfOverrides(
  engine: Provider,
  overrides: readonly AccountOverride[],
): Promise<Call[]> {
  const nonces = overrides.filter((override) => override.nonce !== undefined)
  const replaced = overrides.filter((override) => override.state !== undefined)
  const sets = overrides.flatMap(requestsOfOverride)
  if (nonces.length + replaced.length === 0) return sets
  const reads: Call[] = [
    ...nonces.map(({ address }): Call => ['eth_getTransactionCount', [address, 'latest']]),
    ...replaced.map(({ address }): Call => ['eth_getProof', [address, [], 'latest']]),
  ]
  const answers = await engine.batch(reads)
  for (const [index, { address, nonce }] of nonces.entries()) {
    if (nonce! < BigInt(answers[index] as Hex))
      throw rpcFailure(SIMULATE_CODE.invalidParams, `the nonce of ${address} cannot be overridden downwards`)
  }
  for (const [index, { address }] of replaced.entries()) {
    if ((answers[nonces.length + index] as { storageHash: Hex }).storageHash !== EMPTY_TRIE)
      throw rpcFailure(
        SIMULATE_CODE.invalidParams,
        `${address} has storage, which state cannot wipe here: use stateDiff`,
      )
  }
  return sets
}

function requestsOfOverride(override: AccountOverride): Call[] {
  const { address } = override
  const requests: Call[] = []
  if (override.balanceWei !== undefined)
    requests.push(['hardhat_setBalance', [address, toHex(override.balanceWei)]])
  if (override.nonce !== undefined) requests.push(['hardhat_setNonce', [address, toHex(override.nonce)]])
  if (override.code !== undefined) requests.push(['hardhat_setCode', [address, override.code]])
  for (const [slot, word] of override.state ?? override.stateDiff ?? [])
    requests.push(setWord(address, slot, word))
  return requests
}

export const setWord = (address: Hex, slot: bigint, word: Hex): Call => [
  'hardhat_setStorageAt',
  [address, toHex(slot), word],
]
