import { type Address, NATIVE, v3QuoterAbi, v4QuoterAbi } from '@pit/chain'
import { RpcError } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { decodeFunctionData, type Hex, numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { E18, JUNK, JUNK_MARK, PINS as KIT_PINS, USDG, WETH } from '../../test/kit.ts'
import { readOffers } from './readOffers.ts'

const at = (n: number): Address => numberToHex(n, { size: 20 })
const [V2_FACTORY, V3_QUOTER, V4_QUOTER, PAIR] = [at(0x2f), at(0x3f), at(0x4f), at(0xaa)]
const PINS = {
  weth: WETH,
  tokens: KIT_PINS.tokens,
  exchanges: { v2Factory: V2_FACTORY, v3Quoter: V3_QUOTER, v4Quoter: V4_QUOTER },
}
const words = (...values: bigint[]): Hex =>
  `0x${values.map((value) => numberToHex(value, { size: 32 }).slice(2)).join('')}`
/** Ten dollars at a tenth of a cent. */
const TEN_DOLLARS = 10_000n * E18

/** One pool of each version; all others revert, as quoters do. */
const rpc = rpcOf(async (method, [call]) => {
  const { to, data } = call as { to: Address; data: Hex }
  if (to === V2_FACTORY) return words(data.endsWith(USDG.slice(2)) ? BigInt(PAIR) : 0n)
  // JUNK is the smaller address: a dollar for 500 of them.
  if (to === PAIR) return words(500_000_000n * E18, 1_000_000n * 10n ** 6n, 1n)
  if (to === V3_QUOTER) {
    const [request] = decodeFunctionData({ abi: v3QuoterAbi, data }).args as unknown as [
      { tokenOut: Address; fee: number },
    ]
    if (request.fee === 3_000 && request.tokenOut.toLowerCase() === WETH) return words(E18 / 100n, 0n, 0n, 0n)
  }
  if (to === V4_QUOTER) {
    const [request] = decodeFunctionData({ abi: v4QuoterAbi, data }).args as unknown as [
      { poolKey: { currency0: Address; fee: number; tickSpacing: number }; zeroForOne: boolean },
    ]
    const { currency0, fee, tickSpacing } = request.poolKey
    if (currency0 === NATIVE && fee === 500 && tickSpacing === 10 && !request.zeroForOne)
      return words(E18 / 200n, 0n)
  }
  throw new RpcError(method, 3, 'reverted', '0x')
})

it('quotes ten dollars at the mark in the pools of every version', async () => {
  const offers = await readOffers(rpc, PINS, [JUNK_MARK])
  expect(offers.get(JUNK)).toEqual([
    { atomsIn: TEN_DOLLARS, payIn: NATIVE, atomsOut: E18 / 200n },
    { atomsIn: TEN_DOLLARS, payIn: WETH, atomsOut: E18 / 100n },
    // 20 dollars, less the fee and the price impact.
    { atomsIn: TEN_DOLLARS, payIn: USDG, atomsOut: 19_939_602n },
  ])
})

it('finds none if the profile has no exchange, and throws if the chain does not answer', async () => {
  const none = { ...PINS, exchanges: { v2Factory: null, v3Quoter: null, v4Quoter: null } }
  expect(await readOffers(rpc, none, [JUNK_MARK])).toEqual(new Map([[JUNK, []]]))
  const silent = rpcOf(() => Promise.reject(new Error('silent')))
  await expect(readOffers(silent, PINS, [JUNK_MARK])).rejects.toThrow('silent')
})
