import {
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  parseSignature,
  type SignedAuthorization,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { publicAccounts } from './accounts.ts'
import { FOREVER, type SimulateWorld } from './simulateWorld.ts'
import type { Chain } from './types.ts'

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

/** mulberry32: small, and the same everywhere. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Making {
  world: SimulateWorld
  chain: Chain
  random: Random
  /** Nonces that the plan's own transactions will have used up. */
  nonces: Map<string, number>
  permits: Map<string, bigint>
}

type Maker = (
  making: Making,
  sender: PrivateKeyAccount,
) => Promise<Omit<PlannedCall, 'kind' | 'sender' | 'gas' | 'nonce'>>

const traders = publicAccounts().map(({ privateKey }) => privateKeyToAccount(privateKey))
// Their delegations come and go; keys of small numbers are as public as any.
const delegators = [1, 2, 3].map((key) => privateKeyToAccount(`0x${key.toString(16).padStart(64, '0')}`))
export const planAccounts = [...traders, ...delegators]

const upTo = (random: Random, most: number) => Math.floor(random() * most)
const pick = <T>(random: Random, list: readonly T[]): T => list[upTo(random, list.length)]!
const amount = (random: Random, most: bigint) => (most * BigInt(upTo(random, 1_000_000))) / 1_000_000n
const fresh = (random: Random): Hex =>
  `0x${Array.from({ length: 40 }, () => upTo(random, 16).toString(16)).join('')}`

const on = (
  world: SimulateWorld,
  name: 'weth' | 'token' | 'router' | 'probe',
  functionName: string,
  args: unknown[],
  value = 0n,
) => ({ to: world[name], data: encodeFunctionData({ abi: world.abi[name], functionName, args }), value })

const MAKERS: Record<string, Maker> = {
  ethTransfer: async ({ random }) => ({
    to: random() < 0.5 ? fresh(random) : (pick(random, planAccounts).address as Hex),
    data: '0x',
    value: amount(random, 10n ** 18n),
  }),
  ethToContract: async ({ world, random }) => ({
    to: random() < 0.5 ? world.probe : world.router,
    data: '0x',
    value: amount(random, 10n ** 18n),
  }),
  bigData: async ({ random }) => ({
    to: fresh(random),
    data: `0x${'00ff7a'.repeat(upTo(random, 2_000))}`,
    value: 0n,
  }),
  tokenTransfer: async ({ world, random }) =>
    on(world, 'token', 'transfer', [
      pick(random, planAccounts).address,
      random() < 0.2 ? 10n ** 29n : amount(random, 10n ** 21n),
    ]),
  approve: async ({ world, random }) =>
    on(world, 'token', 'approve', [
      random() < 0.7 ? world.router : pick(random, traders).address,
      random() < 0.3 ? 0n : random() < 0.5 ? FOREVER : amount(random, 10n ** 21n),
    ]),
  transferFrom: async ({ world, random }) =>
    on(world, 'token', 'transferFrom', [
      pick(random, traders).address,
      pick(random, traders).address,
      amount(random, 10n ** 18n),
    ]),
  permit: makePermit,
  deposit: async ({ world, random }) => on(world, 'weth', 'deposit', [], amount(random, 10n ** 18n)),
  withdraw: async ({ world, random }) => on(world, 'weth', 'withdraw', [amount(random, 10n ** 17n)]),
  buy: async ({ world, random }, sender) =>
    on(
      world,
      'router',
      'swapExactETHForTokens',
      [
        random() < 0.2 ? 10n ** 28n : 0n,
        [world.weth, world.token],
        random() < 0.3 ? fresh(random) : sender.address,
        FOREVER,
      ],
      amount(random, 10n ** 18n) + 1n,
    ),
  sell: async ({ world, random }, sender) =>
    on(world, 'router', 'swapExactTokensForETH', [
      amount(random, 10n ** 21n) + 1n,
      random() < 0.2 ? 10n ** 24n : 0n,
      [world.token, world.weth],
      sender.address,
      random() < 0.1 ? 1n : FOREVER,
    ]),
  fail: async ({ world, random }) =>
    on(world, 'probe', 'fail', [BigInt(upTo(random, 7))], amount(random, 10n ** 15n)),
  tries: async ({ world, random }) =>
    on(world, 'probe', 'tries', [BigInt(upTo(random, 7))], amount(random, 10n ** 15n)),
  write: async ({ world, random }) =>
    on(world, 'probe', 'write', [
      BigInt(upTo(random, 6)),
      BigInt(upTo(random, 6)),
      random() < 0.5 ? 0n : BigInt(upTo(random, 1_000)),
    ]),
  create: async ({ world, random }) =>
    on(
      world,
      'probe',
      'create',
      [`0x${BigInt(upTo(random, 1_000_000)).toString(16).padStart(64, '0')}`, fresh(random)],
      amount(random, 10n ** 16n),
    ),
  context: async ({ world }) => on(world, 'probe', 'context', []),
  burn: async ({ world }) => on(world, 'probe', 'burn', []),
  forward: async ({ world, random }) =>
    on(
      world,
      'probe',
      'forward',
      [random() < 0.3 ? world.router : pick(random, planAccounts).address],
      amount(random, 10n ** 16n),
    ),
  deploy: async ({ world, random }) => ({
    data: encodeDeployData({
      abi: world.abi.weth,
      bytecode: random() < 0.2 ? '0x60006000fd' : '0x600a600c600039600a6000f3602a60005260206000f3',
    }),
    value: 0n,
  }),
  delegate: makeDelegation,
  callDelegator: async ({ world, random }) => ({
    ...on(world, 'probe', 'context', []),
    to: pick(random, delegators).address as Hex,
  }),
}

async function makePermit({ world, chain, random, permits }: Making, sender: PrivateKeyAccount) {
  const owner = pick(random, traders)
  const key = owner.address.toLowerCase()
  const onChain = BigInt(
    await chain.request<Hex>('eth_call', [on(world, 'token', 'nonces', [owner.address]), 'latest']),
  )
  const nonce = permits.get(key) ?? onChain
  const value = amount(random, 10n ** 21n)
  const spender = random() < 0.5 ? world.router : sender.address
  const stale = random() < 0.15
  const signature = parseSignature(
    await owner.signTypedData({
      domain: { name: 'Uniswap V2', version: '1', chainId: 4663, verifyingContract: world.token },
      types: {
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'Permit',
      message: { owner: owner.address, spender, value, nonce: stale ? nonce + 7n : nonce, deadline: FOREVER },
    }),
  )
  if (!stale) permits.set(key, nonce + 1n)
  return on(world, 'token', 'permit', [
    owner.address,
    spender,
    value,
    FOREVER,
    Number(signature.v ?? 27n + BigInt(signature.yParity)),
    signature.r,
    signature.s,
  ])
}

async function makeDelegation({ world, chain, random, nonces }: Making, sender: PrivateKeyAccount) {
  const authority = random() < 0.3 ? sender : pick(random, delegators)
  const key = authority.address.toLowerCase()
  const known =
    nonces.get(key) ??
    Number(await chain.request<Hex>('eth_getTransactionCount', [authority.address, 'latest']))
  // A sender's own transaction is counted before its authorization is read.
  const nonce = known + (authority === sender ? 1 : 0)
  const wrong = random() < 0.15
  const authorization = await authority.signAuthorization({
    address: random() < 0.3 ? '0x0000000000000000000000000000000000000000' : world.probe,
    chainId: random() < 0.2 ? 0 : 4663,
    nonce: wrong ? nonce + 5 : nonce,
  })
  if (!wrong) nonces.set(key, authority === sender ? known + 1 : nonce + 1)
  const target = random() < 0.5 ? authority.address : world.probe
  return {
    ...on(world, 'probe', 'context', []),
    to: target as Hex,
    authorizationList: [authorization],
  }
}

/** A plan of one to five transactions that a real sender could sign in one block. */
export async function randomPlan(world: SimulateWorld, chain: Chain, random: Random): Promise<PlannedCall[]> {
  const making: Making = { world, chain, random, nonces: new Map(), permits: new Map() }
  const senders = [pick(random, traders), pick(random, traders)]
  const plan: PlannedCall[] = []
  for (let left = 1 + upTo(random, 5); left > 0; left -= 1) {
    const sender = pick(random, senders)
    const kind = pick(random, Object.keys(MAKERS))
    const key = sender.address.toLowerCase()
    if (!making.nonces.has(key))
      making.nonces.set(
        key,
        Number(await chain.request<Hex>('eth_getTransactionCount', [sender.address, 'latest'])),
      )
    const nonce = making.nonces.get(key)!
    const made = await MAKERS[kind]!(making, sender)
    making.nonces.set(key, making.nonces.get(key)! + 1)
    plan.push({
      kind,
      sender,
      nonce,
      ...made,
      gas: gasOf(kind, made.data, random),
      ...(random() < 0.15 ? { accessList: [{ address: world.token, storageKeys: [] }] } : {}),
    })
    // The pool holds back what follows an own delegation in the same block: it knows only the state before.
    if (making.nonces.get(key) !== nonce + 1) break
  }
  return plan
}

function gasOf(kind: string, data: Hex, random: Random): bigint {
  const floor = 60_000n + BigInt(data.length * 22)
  if (kind !== 'burn' && random() > 0.12) return floor + 1_500_000n
  // Often too little: the call runs out somewhere in the middle.
  return floor + BigInt(upTo(random, 120_000))
}
