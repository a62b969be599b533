import { encodeDeployData, encodeFunctionData, type Hex, parseSignature } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { publicAccounts } from '../../src/engine/accounts.ts'
import { amount, fresh, type Maker, type Making, nonceOf, type PlanSource, pick, upTo } from './plan.ts'
import { FOREVER, type ProbeWorld } from './probeWorld.ts'

const traders = publicAccounts().map(({ privateKey }) => privateKeyToAccount(privateKey))
// Their delegations are set and removed; keys of small numbers are public anyway.
const delegators = [1, 2, 3].map((key) => privateKeyToAccount(`0x${key.toString(16).padStart(64, '0')}`))
const everyone = [...traders, ...delegators]

const on = (
  world: ProbeWorld,
  name: 'weth' | 'token' | 'router' | 'probe',
  functionName: string,
  args: unknown[],
  value = 0n,
) => ({ to: world[name], data: encodeFunctionData({ abi: world.abi[name], functionName, args }), value })

const makersOf = (world: ProbeWorld): Record<string, Maker> => ({
  ethTransfer: async ({ random }) => ({
    to: random() < 0.5 ? fresh(random) : (pick(random, everyone).address as Hex),
    data: '0x',
    value: amount(random, 10n ** 18n),
  }),
  ethToContract: async ({ random }) => ({
    to: random() < 0.5 ? world.probe : world.router,
    data: '0x',
    value: amount(random, 10n ** 18n),
  }),
  bigData: async ({ random }) => ({
    to: fresh(random),
    data: `0x${'00ff7a'.repeat(upTo(random, 2_000))}`,
    value: 0n,
  }),
  tokenTransfer: async ({ random }) =>
    on(world, 'token', 'transfer', [
      pick(random, everyone).address,
      random() < 0.2 ? 10n ** 29n : amount(random, 10n ** 21n),
    ]),
  approve: async ({ random }) =>
    on(world, 'token', 'approve', [
      random() < 0.7 ? world.router : pick(random, traders).address,
      random() < 0.3 ? 0n : random() < 0.5 ? FOREVER : amount(random, 10n ** 21n),
    ]),
  transferFrom: async ({ random }) =>
    on(world, 'token', 'transferFrom', [
      pick(random, traders).address,
      pick(random, traders).address,
      amount(random, 10n ** 18n),
    ]),
  permit: (making, sender) => makePermit(world, making, sender),
  deposit: async ({ random }) => on(world, 'weth', 'deposit', [], amount(random, 10n ** 18n)),
  withdraw: async ({ random }) => on(world, 'weth', 'withdraw', [amount(random, 10n ** 17n)]),
  buy: async ({ random }, sender) =>
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
  sell: async ({ random }, sender) =>
    on(world, 'router', 'swapExactTokensForETH', [
      amount(random, 10n ** 21n) + 1n,
      random() < 0.2 ? 10n ** 24n : 0n,
      [world.token, world.weth],
      sender.address,
      random() < 0.1 ? 1n : FOREVER,
    ]),
  fail: async ({ random }) =>
    on(world, 'probe', 'fail', [BigInt(upTo(random, 7))], amount(random, 10n ** 15n)),
  tries: async ({ random }) =>
    on(world, 'probe', 'tries', [BigInt(upTo(random, 7))], amount(random, 10n ** 15n)),
  write: async ({ random }) =>
    on(world, 'probe', 'write', [
      BigInt(upTo(random, 6)),
      BigInt(upTo(random, 6)),
      random() < 0.5 ? 0n : BigInt(upTo(random, 1_000)),
    ]),
  create: async ({ random }) =>
    on(
      world,
      'probe',
      'create',
      [`0x${BigInt(upTo(random, 1_000_000)).toString(16).padStart(64, '0')}`, fresh(random)],
      amount(random, 10n ** 16n),
    ),
  context: async () => on(world, 'probe', 'context', []),
  burn: async () => on(world, 'probe', 'burn', []),
  forward: async ({ random }) =>
    on(
      world,
      'probe',
      'forward',
      [random() < 0.3 ? world.router : pick(random, everyone).address],
      amount(random, 10n ** 16n),
    ),
  deploy: async ({ random }) => ({
    data: encodeDeployData({
      abi: world.abi.weth,
      bytecode: random() < 0.2 ? '0x60006000fd' : '0x600a600c600039600a6000f3602a60005260206000f3',
    }),
    value: 0n,
  }),
  delegate: (making, sender) => makeDelegation(world, making, sender),
  callDelegator: async ({ random }) => ({
    ...on(world, 'probe', 'context', []),
    to: pick(random, delegators).address as Hex,
  }),
})

async function makePermit(world: ProbeWorld, { chain, random, permits }: Making, sender: PrivateKeyAccount) {
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

async function makeDelegation(
  world: ProbeWorld,
  { chain, random, nonces }: Making,
  sender: PrivateKeyAccount,
) {
  const authority = random() < 0.3 ? sender : pick(random, delegators)
  const key = authority.address.toLowerCase()
  const ownNonce = nonces.get(key) ?? (await nonceOf(chain, authority.address))
  // A sender's own transaction is counted before its authorization is read.
  const nonce = ownNonce + (authority === sender ? 1 : 0)
  const wrong = random() < 0.15
  const delegated = (await chain.request<Hex>('eth_getCode', [authority.address, 'latest'])) !== '0x'
  const authorization = await authority.signAuthorization({
    address: random() < (delegated ? 0.7 : 0.1) ? '0x0000000000000000000000000000000000000000' : world.probe,
    chainId: random() < 0.2 ? 0 : 4663,
    nonce: wrong ? nonce + 5 : nonce,
  })
  if (!wrong) nonces.set(key, authority === sender ? nonce + 1 : nonce + 1)
  const target = random() < 0.5 ? authority.address : world.probe
  return {
    ...on(world, 'probe', 'context', []),
    to: target as Hex,
    authorizationList: [authorization],
  }
}

export const probePlans = (world: ProbeWorld): PlanSource => ({
  makers: makersOf(world),
  senders: traders,
  tokens: [world.token, world.weth],
  holders: [...everyone.map(({ address }) => address.toLowerCase() as Hex), world.probe, world.router],
})
