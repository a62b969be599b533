import fc from 'fast-check'
import { type Address, bytesToHex } from '../src/bytes/hex.ts'
import type { PathKey, PoolKey, RouterCall, RouterCommand, V4Action } from '../src/router/types.ts'

/** Router calls of every command and action. */

export const address = () =>
  fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b) => bytesToHex(b) as Address)
const bytes = (maxLength = 100) => fc.uint8Array({ maxLength }).map((b) => bytesToHex(b))
export const uint = (bits: bigint) =>
  fc.oneof(fc.constantFrom(0n, 1n, (1n << bits) - 1n, 1n << (bits - 1n)), fc.bigInt(0n, (1n << bits) - 1n))
const uint24 = () => fc.integer({ min: 0, max: 0xffffff })
const int24 = () =>
  fc.oneof(fc.constantFrom(-8388608, -1, 0, 8388607), fc.integer({ min: -8388608, max: 8388607 }))
export const uint48 = () => fc.oneof(fc.constant(2 ** 48 - 1), fc.nat())

export const poolKey = (): fc.Arbitrary<PoolKey> =>
  fc.record({
    currency0: address(),
    currency1: address(),
    fee: uint24(),
    tickSpacing: int24(),
    hooks: address(),
  })
const pathKey = (): fc.Arbitrary<PathKey> =>
  fc.record({
    intermediateCurrency: address(),
    fee: uint24(),
    tickSpacing: int24(),
    hooks: address(),
    hookData: bytes(),
  })
const amounts128 = { amountIn: uint(128n), amountOutMin: uint(128n) }
const action = (): fc.Arbitrary<V4Action> =>
  fc.oneof(
    fc.record({
      action: fc.constant('SWAP_EXACT_IN_SINGLE' as const),
      poolKey: poolKey(),
      zeroForOne: fc.boolean(),
      ...amounts128,
      hookData: bytes(),
    }),
    fc.record({
      action: fc.constant('SWAP_EXACT_IN' as const),
      currencyIn: address(),
      path: fc.array(pathKey(), { minLength: 1, maxLength: 3 }),
      ...amounts128,
    }),
    fc.record({
      action: fc.constant('SETTLE' as const),
      currency: address(),
      amount: uint(256n),
      payerIsUser: fc.boolean(),
    }),
    fc.record({ action: fc.constant('SETTLE_ALL' as const), currency: address(), amountMax: uint(256n) }),
    fc.record({
      action: fc.constant('TAKE' as const),
      currency: address(),
      recipient: address(),
      amount: uint(256n),
    }),
    fc.record({ action: fc.constant('TAKE_ALL' as const), currency: address(), amountMin: uint(256n) }),
    fc.record({
      action: fc.constant('TAKE_PORTION' as const),
      currency: address(),
      recipient: address(),
      bips: uint(256n),
    }),
  )
const swap = {
  recipient: address(),
  amountIn: uint(256n),
  amountOutMin: uint(256n),
  payerIsUser: fc.boolean(),
}
const v3Path = () =>
  fc.integer({ min: 1, max: 3 }).chain((hops) =>
    fc.record({
      tokens: fc.array(address(), { minLength: hops + 1, maxLength: hops + 1 }),
      fees: fc.array(uint24(), { minLength: hops, maxLength: hops }),
    }),
  )
export const permit = () =>
  fc.record({
    details: fc.record({ token: address(), amount: uint(160n), expiration: uint48(), nonce: uint48() }),
    spender: address(),
    sigDeadline: uint(256n),
  })
const to = { token: address(), recipient: address() }
const command = (): fc.Arbitrary<RouterCommand> =>
  fc.oneof(
    fc.record({ command: fc.constant('V3_SWAP_EXACT_IN' as const), ...swap, path: v3Path() }),
    fc.record({
      command: fc.constant('V2_SWAP_EXACT_IN' as const),
      ...swap,
      path: fc.array(address(), { minLength: 2, maxLength: 4 }),
    }),
    fc.record({ command: fc.constant('V4_SWAP' as const), actions: fc.array(action(), { maxLength: 4 }) }),
    fc.record({ command: fc.constant('PERMIT2_PERMIT' as const), permit: permit(), signature: bytes() }),
    fc.record({ command: fc.constant('PERMIT2_TRANSFER_FROM' as const), ...to, amount: uint(160n) }),
    fc.record({ command: fc.constant('SWEEP' as const), ...to, amountMin: uint(160n) }),
    fc.record({ command: fc.constant('TRANSFER' as const), ...to, amount: uint(256n) }),
    fc.record({ command: fc.constant('PAY_PORTION' as const), ...to, bips: uint(256n) }),
    fc.record({ command: fc.constant('WRAP_ETH' as const), recipient: address(), amount: uint(256n) }),
    fc.record({ command: fc.constant('UNWRAP_WETH' as const), recipient: address(), amountMin: uint(256n) }),
  )
export const call = (): fc.Arbitrary<RouterCall> =>
  fc.record({
    commands: fc.array(command(), { maxLength: 6 }),
    deadlineS: fc.option(uint(256n), { nil: undefined }),
  })
