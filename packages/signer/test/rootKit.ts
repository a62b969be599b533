import { type Address, type Delegation, type Hex, NATIVE, signDelegation } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import type { PitError } from '@pit/protocol'
import type { SignerCheck } from '@pit/signer-wire'
import { encodeFunctionResult, parseAbi, toFunctionSelector } from 'viem'
import { expect } from 'vitest'
import type { Ledger } from '../src/ledger/openLedger.ts'
import type { RegisterOutcome } from '../src/ledger/types.ts'
import type { Pins } from '../src/pins.ts'
import type { OwnPrice } from '../src/prices/followPrices.ts'
import { type RegisterDeps, registerRoot } from '../src/roots/registerRoot.ts'
import { CURVE, crypto, E18, type Granted, JUNK, KEYS, NOW_S, ownPrice, PINS, STRANGER } from './kit.ts'

/** Changes to a world in which every honest root is registered. */
export type RootChange = {
  isChainRead?: boolean
  own?: (token: Address) => OwnPrice
  isSanctioned?: (address: string) => boolean
  outcome?: RegisterOutcome
  frozen?: boolean
  hosted?: { owner: Address; closedAtMs: number | null }
  rpc?: Rpc
  exchanges?: Pins['exchanges']
}

export const rootDeps = (change: RootChange = {}): RegisterDeps => ({
  crypto,
  clock: { nowMs: () => NOW_S * 1000 },
  rpc: change.rpc ?? launchpad({ [CURVE]: JUNK }),
  pins: { ...PINS, exchanges: change.exchanges ?? PINS.exchanges },
  prices: {
    own: change.own ?? ownPrice,
    isChainRead: () => change.isChainRead ?? true,
    baseFeeWei: () => 1n,
    unpriced: () => 0,
    last: () => null,
    headS: () => NOW_S,
  },
  ledger: {
    isFrozen: async () => change.frozen ?? false,
    register: async () => change.outcome ?? 'registered',
    hostedExecutor: async () => change.hosted ?? null,
  } as unknown as Ledger,
  isSanctioned: change.isSanctioned ?? (() => false),
})

export const words = (...values: bigint[]): Hex =>
  `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`
/** JUNK has 18 decimals, and its curve sells one for a tenth of a cent: 1 ETH for 2,500,000. */
export const JUNK_STATE = { decimals: 18n, state: [E18, 2_500_000n * E18, 1n, 0n, 0n] }
export const CHAIN_MEMORY = [PINS.addresses.enforcers.LimitedCalls, PINS.addresses.manager]
/** The wallet's at the NonceEnforcer. */
const walletNonce = { now: 7n }
/** Responses of a launchpad that created these curves. */
export function launchpad(
  curves: Record<Address, Address>,
  pair: Address = NATIVE,
  junk: typeof JUNK_STATE = JUNK_STATE,
): Rpc {
  const termsAbi = parseAbi([
    'struct Terms { address token; address pair; address creator; uint128 virtualPair; uint128 virtualToken; uint128 saleSupply; uint128 poolSupply; uint16 curveFeeBps; uint16 creatorTaxBps; uint16 snipeStartBps; uint16 snipeSeconds; uint48 launchedAt; uint8 poolVersion; }',
    'function terms() view returns (Terms terms)',
  ])
  const ownerAbi = parseAbi(['function curveOf(address token) view returns (address curve)'])
  return rpcOf(async (_, [call]) => {
    const { to, data } = call as { to: Address; data: Hex }
    if (data === '0x313ce567') return words(junk.decimals)
    if (CHAIN_MEMORY.includes(to)) return words(0n)
    if (to === PINS.addresses.enforcers.Nonce) return words(walletNonce.now)
    if (data === toFunctionSelector('state()')) return words(...junk.state)
    if (to !== PINS.launchpads[0]!.factory) {
      const zeros = { virtualPair: 0n, virtualToken: 0n, saleSupply: 0n, poolSupply: 0n }
      const more = { curveFeeBps: 0, creatorTaxBps: 0, snipeStartBps: 0, snipeSeconds: 0, launchedAt: 0 }
      const result = { token: JUNK, pair, creator: STRANGER, ...zeros, ...more, poolVersion: 3 }
      return encodeFunctionResult({ abi: termsAbi, functionName: 'terms', result })
    }
    const token = `0x${data.slice(-40)}`
    const curve = Object.entries(curves).find(([, of]) => of === token)?.[0] ?? NATIVE
    return encodeFunctionResult({ abi: ownerAbi, functionName: 'curveOf', result: curve as Address })
  })
}

export const ask = ({ binding, root, curveRoots: pair }: Granted) => ({
  sessionId: 's1',
  binding,
  root,
  curveRoots: pair,
})
/** The rules that refuse the registration; none if it succeeds. */
export async function refused(
  input: Granted | ReturnType<typeof ask>,
  change?: RootChange,
): Promise<string[]> {
  const request = 'sessionId' in input ? input : ask(input)
  try {
    await registerRoot(rootDeps(change), request)
    return []
  } catch (error) {
    const { code, extras } = error as PitError
    const rules = (extras['signer_checks'] as SignerCheck[] | undefined)?.map(({ rule }) => rule) ?? [code]
    expect(rules[0]).toBe(code)
    return rules
  }
}
export const signed = (delegation: Delegation, key: Hex = KEYS.wallet) =>
  signDelegation(crypto, PINS.addresses, delegation, key)
