import fc from 'fast-check'
import {
  type AbiParameter,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  hashTypedData,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { type Address, bytesToHex, type Hex } from '../bytes/hex.ts'
import { createCrypto } from '../crypto/createCrypto.ts'
import { ACTION_BYTE, COMMAND_BYTE } from './constants.ts'
import { decodeExecute } from './decodeExecute.ts'
import { encodeExecute } from './encodeExecute.ts'
import { encodeErc20Approve, encodeErc20Transfer } from './erc20.ts'
import { encodePermit2Approve, hashPermit, permitTypedData } from './permit2.ts'
import { poolIdOf } from './poolId.ts'
import type { PathKey, PoolKey, RouterCall, RouterCommand, RouterLayout, V4Action } from './types.ts'

// Thousands of inputs through viem, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const crypto = await createCrypto()

const address = () => fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b) => bytesToHex(b) as Address)
const bytes = (maxLength = 100) => fc.uint8Array({ maxLength }).map((b) => bytesToHex(b))
const uint = (bits: bigint) =>
  fc.oneof(fc.constantFrom(0n, 1n, (1n << bits) - 1n, 1n << (bits - 1n)), fc.bigInt(0n, (1n << bits) - 1n))
const uint24 = () => fc.integer({ min: 0, max: 0xffffff })
const int24 = () =>
  fc.oneof(fc.constantFrom(-8388608, -1, 0, 8388607), fc.integer({ min: -8388608, max: 8388607 }))
const uint48 = () => fc.oneof(fc.constant(2 ** 48 - 1), fc.nat())

const poolKey = (): fc.Arbitrary<PoolKey> =>
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
const permit = () =>
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
const call = (): fc.Arbitrary<RouterCall> =>
  fc.record({
    commands: fc.array(command(), { maxLength: 6 }),
    deadlineS: fc.option(uint(256n), { nil: undefined }),
  })

/** The same layouts in viem's words, taken from the contracts. */
const KEY = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks)'
const HOP = '(address intermediateCurrency, uint24 fee, int24 tickSpacing, address hooks, bytes hookData)'
const abi = (text: string): readonly AbiParameter[] => parseAbiParameters(text) as readonly AbiParameter[]
const SHAPES = {
  '2.1.0': {
    single: abi(`(${KEY} poolKey, bool zeroForOne, uint128 amountIn, uint128 amountOutMin, bytes hookData)`),
    v3: abi('address, uint256, uint256, bytes, bool'),
    v2: abi('address, uint256, uint256, address[], bool'),
  },
  '2.1.1': {
    single: abi(
      `(${KEY} poolKey, bool zeroForOne, uint128 amountIn, uint128 amountOutMin, uint256 floor, bytes hookData)`,
    ),
    v3: abi('address, uint256, uint256, bytes, bool, uint256[]'),
    v2: abi('address, uint256, uint256, address[], bool, uint256[]'),
  },
}
const MULTI = abi(
  `(address currencyIn, ${HOP}[] path, uint256[] floors, uint128 amountIn, uint128 amountOutMin)`,
)
const ROUTER = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
  'function execute(bytes commands, bytes[] inputs) payable',
])
const join = (parts: string[]): Hex => `0x${parts.join('')}`

function actionByViem(a: V4Action, layout: RouterLayout): Hex {
  switch (a.action) {
    case 'SWAP_EXACT_IN_SINGLE':
      return encodeAbiParameters(SHAPES[layout].single, [{ ...a, floor: 0n }])
    case 'SWAP_EXACT_IN':
      return encodeAbiParameters(MULTI, [{ ...a, floors: [] }])
    case 'SETTLE':
      return encodeAbiParameters(abi('address, uint256, bool'), [a.currency, a.amount, a.payerIsUser])
    case 'SETTLE_ALL':
      return encodeAbiParameters(abi('address, uint256'), [a.currency, a.amountMax])
    case 'TAKE':
      return encodeAbiParameters(abi('address, address, uint256'), [a.currency, a.recipient, a.amount])
    case 'TAKE_ALL':
      return encodeAbiParameters(abi('address, uint256'), [a.currency, a.amountMin])
    case 'TAKE_PORTION':
      return encodeAbiParameters(abi('address, address, uint256'), [a.currency, a.recipient, a.bips])
  }
}

function commandByViem(c: RouterCommand, layout: RouterLayout): Hex {
  const floors = layout === '2.1.1' ? [[]] : []
  switch (c.command) {
    case 'V3_SWAP_EXACT_IN': {
      const path = encodePacked(
        c.path.tokens.flatMap((_, i) => (i === 0 ? ['address'] : ['uint24', 'address'])),
        c.path.tokens.flatMap((token, i) => (i === 0 ? [token] : [c.path.fees[i - 1]!, token])),
      )
      return encodeAbiParameters(SHAPES[layout].v3, [
        c.recipient,
        c.amountIn,
        c.amountOutMin,
        path,
        c.payerIsUser,
        ...floors,
      ])
    }
    case 'V2_SWAP_EXACT_IN':
      return encodeAbiParameters(SHAPES[layout].v2, [
        c.recipient,
        c.amountIn,
        c.amountOutMin,
        c.path,
        c.payerIsUser,
        ...floors,
      ])
    case 'V4_SWAP':
      return encodeAbiParameters(abi('bytes, bytes[]'), [
        join(c.actions.map((a) => ACTION_BYTE[a.action])),
        c.actions.map((a) => actionByViem(a, layout)),
      ])
    case 'PERMIT2_PERMIT':
      return encodeAbiParameters(
        abi(
          '((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline), bytes',
        ),
        [c.permit, c.signature],
      )
    case 'PERMIT2_TRANSFER_FROM':
      return encodeAbiParameters(abi('address, address, uint160'), [c.token, c.recipient, c.amount])
    case 'SWEEP':
      return encodeAbiParameters(abi('address, address, uint256'), [c.token, c.recipient, c.amountMin])
    case 'TRANSFER':
      return encodeAbiParameters(abi('address, address, uint256'), [c.token, c.recipient, c.amount])
    case 'PAY_PORTION':
      return encodeAbiParameters(abi('address, address, uint256'), [c.token, c.recipient, c.bips])
    case 'WRAP_ETH':
      return encodeAbiParameters(abi('address, uint256'), [c.recipient, c.amount])
    case 'UNWRAP_WETH':
      return encodeAbiParameters(abi('address, uint256'), [c.recipient, c.amountMin])
  }
}

function callByViem({ commands, deadlineS }: RouterCall, layout: RouterLayout): Hex {
  const names = join(commands.map((c) => COMMAND_BYTE[c.command]))
  const inputs = commands.map((c) => commandByViem(c, layout))
  if (deadlineS === undefined)
    return encodeFunctionData({ abi: ROUTER, functionName: 'execute', args: [names, inputs] })
  return encodeFunctionData({ abi: ROUTER, functionName: 'execute', args: [names, inputs, deadlineS] })
}

describe.each<RouterLayout>(['2.1.0', '2.1.1'])('calldata of router %s', (layout) => {
  it('is what viem encodes, and reads back as it went in', () => {
    fc.assert(
      fc.property(call(), (plan) => {
        const data = encodeExecute(plan, layout)
        expect(data).toBe(callByViem(plan, layout))
        expect(decodeExecute(data, layout)).toEqual({ ok: true, call: plan })
        expect(decodeExecute(`0x${data.slice(2).toUpperCase()}`, layout)).toEqual({ ok: true, call: plan })
      }),
      { numRuns: 2000 },
    )
  })

  it('never has two texts for one meaning', () => {
    let refused = 0
    let other = 0
    fc.assert(
      fc.property(
        call(),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 15 })), { minLength: 40, maxLength: 40 }),
        (plan, flips) => {
          const data = encodeExecute(plan, layout)
          for (const [where, by] of flips) {
            const at = 2 + (where % (data.length - 2))
            const digit = (Number.parseInt(data[at]!, 16) ^ by).toString(16)
            const changed = data.slice(0, at) + digit + data.slice(at + 1)
            const result = decodeExecute(changed, layout)
            if (!result.ok) refused++
            else {
              expect(result.call).not.toEqual(plan)
              other++
            }
          }
        },
      ),
      { numRuns: 300 },
    )
    expect(refused).toBeGreaterThan(1000)
    expect(other).toBeGreaterThan(1000)
  })
})

describe('a call said another way', () => {
  const token: Address = `0x${'11'.repeat(20)}`
  const me: Address = `0x${'22'.repeat(20)}`
  const plan: RouterCall = {
    commands: [
      {
        command: 'V3_SWAP_EXACT_IN',
        recipient: me,
        amountIn: 5n,
        amountOutMin: 4n,
        path: { tokens: [token, me], fees: [500] },
        payerIsUser: true,
      },
      { command: 'SWEEP', token, recipient: me, amountMin: 4n },
    ],
    deadlineS: 99n,
  }
  const data = encodeExecute(plan)
  const words = (data.slice(10).match(/.{64}/g) ?? []) as string[]
  const build = (list: string[]): Hex => `0x3593564c${list.join('')}`
  const number = (n: number): string => n.toString(16).padStart(64, '0')

  it('is taken as built', () => {
    expect(build(words)).toBe(data)
    expect(decodeExecute(data)).toEqual({ ok: true, call: plan })
  })
  it.each<[string, string[]]>([
    ['a word after the end', [...words, number(0)]],
    ['a word of padding gone', words.slice(0, -1)],
    ['a dirty byte after the commands', words.map((w, i) => (i === 4 ? `${w.slice(0, 62)}01` : w))],
    ['a deadline read elsewhere', words.map((w, i) => (i === 0 ? number(0x61) : w))],
    ['both inputs at one offset', words.map((w, i) => (i === 7 ? words[6]! : w))],
    ['an offset past the end', words.map((w, i) => (i === 1 ? number(0xffffff) : w))],
    ['an offset of 2^255', words.map((w, i) => (i === 1 ? `8${w.slice(1)}` : w))],
    ['a count past the end', words.map((w, i) => (i === 5 ? number(1000) : w))],
    ['one input too few', words.map((w, i) => (i === 5 ? number(1) : w))],
    [
      'a gap before the inputs',
      [...words.slice(0, 1), number(0xc0), ...words.slice(2, 5), number(0), ...words.slice(5)],
    ],
  ])('%s is refused', (_, list) => {
    expect(list.join('')).not.toBe(words.join(''))
    expect(decodeExecute(build(list))).toEqual({ ok: false, why: 'NOT_CANONICAL' })
  })
  it('is not read twice over: items that share their bytes are refused before they are copied', () => {
    const word = (n: number) => n.toString(16).padStart(64, '0')
    const many = 900
    // Every input is the same large one.
    const inputs = word(many) + word(32 * many).repeat(many) + word(30_000) + '00'.repeat(30_016)
    const commands = word(many) + '05'.repeat(Math.ceil(many / 32) * 32)
    const head = word(0x60) + word(0x60 + commands.length / 2) + word(9)
    expect(decodeExecute(`0x3593564c${head}${commands}${inputs}`)).toEqual({
      ok: false,
      why: 'NOT_CANONICAL',
    })
  })

  it('has its own names for what is not ours', () => {
    expect(decodeExecute('0x')).toEqual({ ok: false, why: 'SELECTOR' })
    expect(decodeExecute('0x3593564')).toEqual({ ok: false, why: 'NOT_HEX' })
    expect(decodeExecute(`0xdeadbeef${data.slice(10)}`)).toEqual({ ok: false, why: 'SELECTOR' })
    for (const byte of ['01', '03', '07', '09', '0d', '0e', '21', '40', '80', '8a', '84']) {
      const swapped = build(words.map((w, i) => (i === 4 ? `00${byte}${w.slice(4)}` : w)))
      expect(decodeExecute(swapped)).toEqual({ ok: false, why: 'UNKNOWN_COMMAND' })
    }
  })
  it('cannot be read under the other release of the router', () => {
    expect(decodeExecute(data, '2.1.1').ok).toBe(false)
    expect(decodeExecute(encodeExecute(plan, '2.1.1'), '2.1.0').ok).toBe(false)
  })
  it('is never truncated to fit', () => {
    const sweep = (amountMin: bigint) => () =>
      encodeExecute({ commands: [{ command: 'SWEEP', token, recipient: me, amountMin }], deadlineS: 1n })
    expect(sweep(2n ** 160n - 1n)).not.toThrow()
    expect(sweep(2n ** 160n)).toThrow(RangeError)
    expect(sweep(-1n)).toThrow(RangeError)
    const path = (fee: number, who: Address) => () =>
      encodeExecute({
        commands: [{ ...plan.commands[0]!, path: { tokens: [token, who], fees: [fee] } } as RouterCommand],
        deadlineS: 1n,
      })
    expect(path(2 ** 24, me)).toThrow(RangeError)
    expect(path(0.5, me)).toThrow(RangeError)
    expect(path(500, '0x12')).toThrow(TypeError)
    expect(path(500, `0x${'zz'.repeat(20)}`)).toThrow(TypeError)
  })
})

describe('around the router', () => {
  it('hashes a permit as viem does', () => {
    fc.assert(
      fc.property(permit(), address(), fc.nat(), (message, permit2, chainId) => {
        const typed = permitTypedData({ chainId, permit2 }, message)
        expect(hashPermit(crypto, { chainId, permit2 }, message)).toBe(hashTypedData(typed))
      }),
      { numRuns: 300 },
    )
  })

  it('encodes approvals and transfers as viem does', () => {
    const all = parseAbi([
      'function approve(address, uint256)',
      'function transfer(address, uint256)',
      'function approve(address, address, uint160, uint48)',
    ])
    fc.assert(
      fc.property(
        address(),
        address(),
        uint(256n),
        uint(160n),
        uint48(),
        (token, who, atoms, amount, expiration) => {
          expect(encodeErc20Approve(who, atoms)).toBe(
            encodeFunctionData({ abi: all, functionName: 'approve', args: [who, atoms] }),
          )
          expect(encodeErc20Transfer(who, atoms)).toBe(
            encodeFunctionData({ abi: all, functionName: 'transfer', args: [who, atoms] }),
          )
          expect(encodePermit2Approve({ token, spender: who, amount, expiration })).toBe(
            encodeFunctionData({ abi: all, functionName: 'approve', args: [token, who, amount, expiration] }),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('names v4 pools as the pool manager does', () => {
    fc.assert(
      fc.property(poolKey(), (key) => {
        expect(poolIdOf(crypto, key)).toBe(keccak256(encodeAbiParameters(abi(KEY), [key])))
      }),
    )
  })
})
