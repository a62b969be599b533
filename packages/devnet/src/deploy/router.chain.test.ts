import { type Address, encodeAbiParameters, type Hex, keccak256, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  execute,
  payPortion,
  type Step,
  sweep,
  unwrap,
  v2Swap,
  v3Swap,
  v4Swap,
  wrap,
} from '../../test/router.ts'
import { openTestWorld, type TestWorld } from '../../test/testWorld.ts'
import { npmArtifact } from './npmArtifacts.ts'
import { operate } from './operate.ts'

let it: TestWorld
let router: Address
let wallet: Address
let recipient: Address
beforeAll(async () => {
  it = await openTestWorld({ longTail: 0, curves: 0, graduated: 0, historyS: 200 })
  router = it.world.profile.contracts.universal_router as Address
  recipient = it.world.profile.fee_recipient as Address
  wallet = it.accounts[1]!
})
afterAll(() => it?.chain.close())

const erc20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address, uint256) returns (bool)',
])
const permit2 = parseAbi([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
])
const balance = (token: Address, who: Address): Promise<bigint> =>
  token === zeroAddress
    ? it.chain.request<Hex>('eth_getBalance', [who, 'latest']).then(BigInt)
    : it.read<bigint>({ to: token, abi: erc20, functionName: 'balanceOf', args: [who] })

/** Runs a swap into USDG and returns what wallet and recipient received. */
async function swapForUsdg(steps: Step[], value: bigint, bps: number) {
  const usdg = it.core('USDG')
  const before = [await balance(usdg, wallet), await balance(usdg, recipient)] as const
  await it.must(execute(router, wallet, [...steps, payPortion(usdg, recipient, bps), sweep(usdg)], value))
  const got = (await balance(usdg, wallet)) - before[0]
  const fee = (await balance(usdg, recipient)) - before[1]
  expect(await balance(usdg, router)).toBe(0n)
  return { got, fee, out: got + fee }
}

const oneEth = 10n ** 18n
const v4Pins = () => {
  const { ETH, USDG } = { ETH: zeroAddress, USDG: it.core('USDG') }
  const key = (fee: number, tickSpacing: number, hooks: Address = zeroAddress) => ({
    currency0: ETH,
    currency1: USDG,
    fee,
    tickSpacing,
    hooks,
  })
  return {
    plain: key(500, 10),
    counting: key(3000, 60, it.world.hooks.counting),
    dynamic: key(0x800000, 60, it.world.hooks.dynamicFee),
  }
}

test.each([1, 25, 33, 100])('a v2, v3 and v4 swap each pay exactly %i bps of their output', async (bps) => {
  const [weth, usdg] = [it.core('WETH'), it.core('USDG')]
  const ways: Record<string, Step[]> = {
    v2: [wrap(oneEth), v2Swap([weth, usdg], oneEth, false)],
    v3: [wrap(oneEth), v3Swap([weth, 500, usdg], oneEth, false)],
    v4: [v4Swap(v4Pins().plain, true, oneEth)],
    hooked: [v4Swap(v4Pins().counting, true, oneEth)],
    dynamic: [v4Swap(v4Pins().dynamic, true, oneEth)],
  }
  for (const [name, steps] of Object.entries(ways)) {
    const { out, fee } = await swapForUsdg(steps, oneEth, bps)
    expect(fee, name).toBe((out * BigInt(bps)) / 10_000n)
    expect(Number(out) / 1e6, name).toBeGreaterThan(2_400)
    expect(Number(out) / 1e6, name).toBeLessThan(2_510)
  }
})

test('quoters predict v3 and v4 outputs to the atom', async () => {
  const { v3_quoter, v4_quoter } = it.world.profile.contracts
  const [weth, usdg] = [it.core('WETH'), it.core('USDG')]
  for (const amountIn of [1n, 10n ** 15n, oneEth, 300n * oneEth]) {
    const [v3Out] = await it.read<[bigint]>({
      to: v3_quoter as Address,
      abi: npmArtifact.v3Quoter().abi,
      functionName: 'quoteExactInputSingle',
      args: [{ tokenIn: weth, tokenOut: usdg, amountIn, fee: 500, sqrtPriceLimitX96: 0n }],
    })
    const v3 = await swapForUsdg([wrap(amountIn), v3Swap([weth, 500, usdg], amountIn, false)], amountIn, 25)
    expect(v3.out).toBe(v3Out)
    const poolKey = v4Pins().counting
    const [v4Out] = await it.read<[bigint]>({
      to: v4_quoter as Address,
      abi: npmArtifact.v4Quoter().abi,
      functionName: 'quoteExactInputSingle',
      args: [{ poolKey, zeroForOne: true, exactAmount: amountIn, hookData: '0x' }],
    })
    expect((await swapForUsdg([v4Swap(poolKey, true, amountIn)], amountIn, 25)).out).toBe(v4Out)
  }
})

test('USDG becomes ETH through Permit2, fee in WETH', async () => {
  const [weth, usdg] = [it.core('WETH'), it.core('USDG')]
  const to = it.world.profile.contracts.permit2 as Address
  const amount = 5_000n * 10n ** 6n
  await it.must({ to: usdg, abi: erc20, functionName: 'approve', args: [to, amount] })
  await it.must({ to, abi: permit2, functionName: 'approve', args: [usdg, router, amount, 2 ** 47] })
  const fees = await balance(weth, recipient)
  const eth = await balance(zeroAddress, wallet)
  const steps = [v3Swap([usdg, 500, weth], amount, true), payPortion(weth, recipient, 25), unwrap()]
  await it.must(execute(router, wallet, steps))
  const fee = (await balance(weth, recipient)) - fees
  const got = (await balance(zeroAddress, wallet)) - eth
  expect(got).toBeGreaterThan((19n * oneEth) / 10n)
  // The wallet's change includes gas; the fee is a portion of the whole.
  expect(fee).toBeGreaterThan((got * 25n) / 10_000n)
  expect(fee).toBeLessThan((got * 26n) / 10_000n)
})

test('the counting hook counts and the operator sets the dynamic fee', async () => {
  const { v4_pool_manager, v4_state_view } = it.world.profile.contracts
  expect(v4_pool_manager).not.toBeNull()
  const hook = it.abi('CountingHook')
  const idOf = (key: ReturnType<typeof v4Pins>['plain']) =>
    keccak256(
      encodeAbiParameters(
        [
          { type: 'address' },
          { type: 'address' },
          { type: 'uint24' },
          { type: 'int24' },
          { type: 'address' },
        ],
        [key.currency0, key.currency1, key.fee, key.tickSpacing, key.hooks],
      ),
    )
  const counting = idOf(v4Pins().counting)
  const done = () =>
    it.read<bigint>({ to: it.world.hooks.counting, abi: hook, functionName: 'swapsDone', args: [counting] })
  const before = await done()
  await swapForUsdg([v4Swap(v4Pins().counting, true, oneEth)], oneEth, 25)
  expect(await done()).toBe(before + 1n)

  const slot0 = () =>
    it.read<[bigint, number, number, number]>({
      to: v4_state_view as Address,
      abi: npmArtifact.v4StateView().abi,
      functionName: 'getSlot0',
      args: [idOf(v4Pins().dynamic)],
    })
  expect((await slot0())[3]).toBe(2_500)
  await operate(it.chain, it.world, [
    {
      contract: 'DynamicFeeHook',
      target: it.world.hooks.dynamicFee,
      functionName: 'setFee',
      args: [v4Pins().dynamic, 700],
    },
  ])
  expect((await slot0())[3]).toBe(700)
})
