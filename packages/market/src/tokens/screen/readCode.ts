import { type Address, BEACON_SLOT, type Crypto, type Hex } from '@pit/chain'
import { askCall, askCode, askStorage, flagIn, pausedCall, readOne } from '@pit/platform/reads'
import { type Rpc, RpcError } from '@pit/platform/rpc'
import { type ChainProfile, lower } from '@pit/protocol'
import { powersIn } from '../powers.ts'
import type { CodeReading, ProxyKind } from '../reading.ts'

/** Storage slots of a proxy's implementation: EIP-1967, EIP-1822, and OpenZeppelin's before them. */
const IMPLEMENTATION_SLOTS: readonly Hex[] = [
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
]
const CLONE = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/
const IMPLEMENTATION_SELECTOR: Hex = '0x5c60da1b'
const CALL_GAS = 200_000

export interface CodeDeps {
  rpc: Pick<Rpc, 'request'>
  crypto: Pick<Crypto, 'keccak256'>
  profile: ChainProfile
}

interface ProxyAt {
  kind: ProxyKind
  at: Address
  implementation: Address
}

/** The code a token runs: its own, or the implementation of a proxy. Null without code. */
export async function readCode(
  deps: CodeDeps,
  token: Address,
): Promise<{ code: CodeReading; selectors: Set<string> } | null> {
  const [own, { proxy, beacon }] = await Promise.all([codeOf(deps, token), findProxy(deps, token)])
  if (own === '0x') return null
  const clone = CLONE.exec(own)?.[1]
  const behind: ProxyAt | null =
    proxy ?? (clone === undefined ? null : { kind: 'clone', at: token, implementation: `0x${clone}` })
  const implementationCode = behind ? await codeOf(deps, behind.implementation) : null
  const { powers, bridged, selectors } = powersIn(implementationCode ?? own)
  const ownSelectors = powersIn(own).selectors
  return {
    code: {
      codeHash: deps.crypto.keccak256(own),
      proxy: behind && { ...behind, implementationHash: deps.crypto.keccak256(implementationCode!) },
      stockBeacon: beacon === undefined ? null : beacon !== null && beacon === stockBeaconOf(deps.profile),
      powers,
      bridged,
    },
    selectors: new Set([...selectors, ...ownSelectors]),
  }
}

/** Whether the code is still the one that was screened. Only upgradeable proxies need a read. */
export async function isUnchanged(deps: CodeDeps, token: Address, known: CodeReading): Promise<boolean> {
  if (known.proxy === null || known.proxy.kind === 'clone') return true
  const { proxy } = await findProxy(deps, token)
  if (proxy?.kind !== known.proxy.kind || proxy.at !== known.proxy.at) return false
  if (proxy.implementation !== known.proxy.implementation) return false
  return deps.crypto.keccak256(await codeOf(deps, proxy.implementation)) === known.proxy.implementationHash
}

/** The current result of `paused()`; null without such a function. */
export async function readPaused({ rpc }: Pick<CodeDeps, 'rpc'>, token: Address): Promise<boolean | null> {
  const answer = await answerOr(readOne(rpc, askCall(pausedCall(token), { gas: CALL_GAS })), null)
  return answer?.length === 66 ? flagIn(answer) : null
}

/** `beacon` is what the beacon slot names; undefined when the node refuses to read it. */
async function findProxy(
  { rpc }: CodeDeps,
  token: Address,
): Promise<{ proxy: ProxyAt | null; beacon: Address | null | undefined }> {
  const slotAt = async (slot: Hex) => addressIn(await readOne(rpc, askStorage(token, slot)))
  const [beacon, ...implementations] = await Promise.all([
    answerOr(slotAt(BEACON_SLOT), undefined),
    ...IMPLEMENTATION_SLOTS.map(slotAt),
  ])
  if (beacon) {
    const query = askCall({ to: beacon, data: IMPLEMENTATION_SELECTOR }, { gas: CALL_GAS })
    const implementation = addressIn(await answerOr(readOne(rpc, query), undefined))
    if (implementation) return { proxy: { kind: 'beacon', at: beacon, implementation }, beacon }
  }
  const implementation = implementations.find((address) => address !== null)
  return { proxy: implementation ? { kind: 'implementation', at: token, implementation } : null, beacon }
}

/** `other` if the node refuses the read, as for a call that reverts. Throws if the node does not respond. */
export const answerOr = <T, Other>(reading: Promise<T>, other: Other): Promise<T | Other> =>
  reading.catch((error: unknown) => {
    if (error instanceof RpcError) return other
    throw error
  })

const codeOf = ({ rpc }: CodeDeps, address: Address) => readOne(rpc, askCode(address))

const stockBeaconOf = ({ stocks }: ChainProfile): Address | null =>
  stocks.beacon === null ? null : lower(stocks.beacon)

/** The address in a word; null if zero or not an address. */
export function addressIn(word: Hex | undefined): Address | null {
  const digits = word?.slice(2).padStart(64, '0') ?? ''
  if (digits.length !== 64 || !digits.startsWith('0'.repeat(24)) || /^0+$/.test(digits)) return null
  return `0x${digits.slice(24).toLowerCase()}`
}
