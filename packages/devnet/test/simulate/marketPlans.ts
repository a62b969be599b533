import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseSignature,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { publicAccounts } from '../../src/engine/accounts.ts'
import {
  ethKey,
  execute,
  payPortion,
  type Step,
  sweep,
  unwrap,
  v2Swap,
  v3Swap,
  v4Swap,
  wrap,
} from '../router.ts'
import type { TestWorld } from '../testWorld.ts'
import { amount, fresh, type Maker, type Making, type PlanSource, pick, upTo } from './plan.ts'

const ERC20 = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function nonces(address owner) view returns (uint256)',
  'function name() view returns (string)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])
const PERMIT2 = parseAbi([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
])
const CURVE = parseAbi([
  'function buy(uint256 amountIn, uint256 minTokensOut, address to, uint256 deadline) payable',
  'function sell(uint256 tokensIn, uint256 minPairOut, address to, uint256 deadline)',
])
const NEVER = 2n ** 47n
const FOREVER = 2n ** 256n - 1n

const traders = publicAccounts()
  .slice(1)
  .map(({ privateKey }) => privateKeyToAccount(privateKey))

/**
 * Trades on the real contracts: Universal Router over v2, v3, v4 and hooks, Permit2, curves, stocks, bad
 * tokens.
 */
export async function marketPlans(it: TestWorld): Promise<PlanSource> {
  const { contracts, fee_recipient } = it.world.profile
  const router = contracts.universal_router as Address
  const permit2 = contracts.permit2 as Address
  const feeTo = fee_recipient as Address
  const [weth, usdg] = [it.core('WETH'), it.core('USDG')]
  const curves = it.world.longTail.filter(({ curve, graduated }) => curve && !graduated).slice(0, 2)
  const specimens = Object.values(it.world.gallery).map(({ address }) => address)
  const stocks = Object.values(it.world.stocks)
  const usdgName = await it.read<string>({ to: usdg, abi: ERC20, functionName: 'name' })

  const swap = (from: Address, steps: Step[], value = 0n) => {
    const { to, abi, functionName, args } = execute(router, from, steps, value)
    return { to, data: encodeFunctionData({ abi, functionName, args }), value }
  }
  const key = (fee: number, tickSpacing: number, hooks: Address) => ({
    currency0: zeroAddress as Address,
    currency1: usdg,
    fee,
    tickSpacing,
    hooks,
  })
  const intoUsdg = (steps: (eth: bigint) => Step[]): Maker => {
    return async ({ random }, { address }) => {
      const eth = amount(random, 3n * 10n ** 18n) + 1n
      return swap(address, [...steps(eth), payPortion(usdg, feeTo, upTo(random, 100)), sweep(usdg)], eth)
    }
  }
  const outOfUsdg = (way: (atoms: bigint) => Step): Maker => {
    return async (making, sender) => {
      const atoms = amount(making.random, 5_000n * 10n ** 6n) + 1n
      const permit = making.random() < 0.5 ? [await permitStep(making, sender, atoms)] : []
      return swap(sender.address, [...permit, way(atoms), payPortion(weth, feeTo, 25), unwrap()])
    }
  }

  async function permitStep(
    { chain, random, permits }: Making,
    owner: (typeof traders)[number],
    atoms: bigint,
  ) {
    const id = owner.address.toLowerCase()
    const data = encodeFunctionData({
      abi: PERMIT2,
      functionName: 'allowance',
      args: [owner.address, usdg, router],
    })
    const onChain = await chain.request<Hex>('eth_call', [{ to: permit2, data }, 'latest'])
    const nonce = permits.get(id) ?? BigInt(`0x${onChain.slice(-64)}`)
    const wrong = random() < 0.1
    const details = { token: usdg, amount: atoms, expiration: Number(NEVER), nonce: Number(nonce) }
    const message = { details, spender: router, sigDeadline: FOREVER }
    const signature = await owner.signTypedData({
      domain: { name: 'Permit2', chainId: wrong ? 1 : 4663, verifyingContract: permit2 },
      types: {
        PermitSingle: [
          { name: 'details', type: 'PermitDetails' },
          { name: 'spender', type: 'address' },
          { name: 'sigDeadline', type: 'uint256' },
        ],
        PermitDetails: [
          { name: 'token', type: 'address' },
          { name: 'amount', type: 'uint160' },
          { name: 'expiration', type: 'uint48' },
          { name: 'nonce', type: 'uint48' },
        ],
      },
      primaryType: 'PermitSingle',
      message,
    })
    if (!wrong) permits.set(id, nonce + 1n)
    return {
      command: '0a',
      input: encodeAbiParameters([PERMIT_SINGLE, { type: 'bytes' }], [message, signature]),
    }
  }

  const call = (
    to: Address,
    abi: typeof ERC20,
    functionName: 'approve' | 'transfer',
    args: [Address, bigint],
  ) => ({
    to,
    data: encodeFunctionData({ abi, functionName, args }),
    value: 0n,
  })

  const makers: Record<string, Maker> = {
    v2: intoUsdg((eth) => [wrap(eth), v2Swap([weth, usdg], eth, false)]),
    v3: intoUsdg((eth) => [wrap(eth), v3Swap([weth, 500, usdg], eth, false)]),
    v3Deep: intoUsdg((eth) => [wrap(eth * 100n), v3Swap([weth, 3_000, usdg], eth, false)]),
    v4: intoUsdg((eth) => [v4Swap(key(500, 10, zeroAddress), true, eth)]),
    hooked: intoUsdg((eth) => [v4Swap(key(3_000, 60, it.world.hooks.counting), true, eth)]),
    dynamic: intoUsdg((eth) => [v4Swap(key(0x800000, 60, it.world.hooks.dynamicFee), true, eth)]),
    sellV3: outOfUsdg((atoms) => v3Swap([usdg, 500, weth], atoms, true)),
    sellV2: outOfUsdg((atoms) => v2Swap([usdg, weth], atoms, true)),
    approve: async ({ random }) => call(usdg, ERC20, 'approve', [permit2, random() < 0.8 ? FOREVER : 0n]),
    permit2Approve: async ({ random }) => ({
      to: permit2,
      data: encodeFunctionData({
        abi: PERMIT2,
        functionName: 'approve',
        args: [usdg, router, amount(random, 10n ** 12n), random() < 0.8 ? Number(NEVER) : 1],
      }),
      value: 0n,
    }),
    permit: async ({ chain, random, permits }) => {
      const owner = pick(random, traders)
      const id = `2612 ${owner.address}`
      const data = encodeFunctionData({ abi: ERC20, functionName: 'nonces', args: [owner.address] })
      const nonce =
        permits.get(id) ?? BigInt(await chain.request<Hex>('eth_call', [{ to: usdg, data }, 'latest']))
      permits.set(id, nonce + 1n)
      const message = { owner: owner.address, spender: permit2, value: FOREVER, nonce, deadline: FOREVER }
      const { r, s, yParity } = parseSignature(
        await owner.signTypedData({
          domain: { name: usdgName, version: '1', chainId: 4663, verifyingContract: usdg },
          types: {
            Permit: [
              'owner address',
              'spender address',
              'value uint256',
              'nonce uint256',
              'deadline uint256',
            ].map((field) => ({ name: field.split(' ')[0]!, type: field.split(' ')[1]! })),
          },
          primaryType: 'Permit',
          message,
        }),
      )
      const args = [owner.address, permit2, FOREVER, FOREVER, 27 + yParity, r, s] as const
      return { to: usdg, data: encodeFunctionData({ abi: ERC20, functionName: 'permit', args }), value: 0n }
    },
    stock: async ({ random }) =>
      call(pick(random, stocks), ERC20, 'transfer', [
        pick(random, traders).address,
        amount(random, 10n ** 18n),
      ]),
    badTransfer: async ({ random }) =>
      call(pick(random, specimens), ERC20, 'transfer', [fresh(random), amount(random, 10n ** 18n)]),
    badBuy: async ({ random }, { address }) => {
      const token = pick(random, specimens)
      const eth = amount(random, 10n ** 17n) + 1n
      return swap(address, [v4Swap(ethKey(token), true, eth), sweep(token)], eth)
    },
    curveBuy: async ({ random }, { address }) => {
      const { curve, pairs } = pick(random, curves)
      const inEth = pairs.includes('ETH')
      const spent = amount(random, inEth ? 10n ** 17n : 10n ** 8n) + 1n
      const args = [spent, 0n, address, FOREVER] as const
      const data = encodeFunctionData({ abi: CURVE, functionName: 'buy', args })
      return { to: curve!, data, value: inEth ? spent : 0n }
    },
    curveSell: async ({ random }, { address }) => {
      const { curve } = pick(random, curves)
      const args = [amount(random, 10n ** 18n) + 1n, 0n, address, FOREVER] as const
      return { to: curve!, data: encodeFunctionData({ abi: CURVE, functionName: 'sell', args }), value: 0n }
    },
    curveApprove: async ({ random }) => {
      const { address, curve } = pick(random, curves)
      return call(address, ERC20, 'approve', [curve!, FOREVER])
    },
    wethDeposit: async ({ random }) => ({ to: weth, data: '0xd0e30db0', value: amount(random, 10n ** 18n) }),
  }
  return {
    makers,
    senders: traders,
    tokens: [usdg, weth, ...stocks.slice(0, 1)],
    holders: [...traders.map(({ address }) => address), router, feeTo].map((one) => one.toLowerCase() as Hex),
  }
}

const PERMIT_SINGLE = {
  type: 'tuple',
  components: [
    {
      name: 'details',
      type: 'tuple',
      components: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint160' },
        { name: 'expiration', type: 'uint48' },
        { name: 'nonce', type: 'uint48' },
      ],
    },
    { name: 'spender', type: 'address' },
    { name: 'sigDeadline', type: 'uint256' },
  ],
} as const
