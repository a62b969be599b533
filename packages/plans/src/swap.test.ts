import {
  ADDRESS_THIS,
  type Address,
  CONTRACT_BALANCE,
  type FeeReading,
  MSG_SENDER,
  NATIVE,
  type RouterCommand,
  readSwap,
  type SwapReading,
} from '@pit/chain'
import { seeded } from '@pit/chain/test/randomPool'
import { feeOf } from '@pit/protocol'
import { describe, expect, it, vi } from 'vitest'
import { runOnModel } from '../test/modelRouter.ts'
import { randomPlan } from '../test/randomPlan.ts'
import { encodeExecute } from './encodeExecute.ts'
import { encodeSwap, paysCaller } from './encodeSwap.ts'
import type { PlanHop, SwapPlan } from './plan.ts'

// Thousands of plans; machines may be busy.
vi.setConfig({ testTimeout: 180_000 })

/** A rate that rounds to zero leaves no trace, and a tiny amount may match lower rates too. */
function expectedFee({ fee, amountIn }: SwapPlan): FeeReading | null {
  if (fee.side === 'output') return fee.bps > 0 ? { ...fee, side: 'output', amount: null } : null
  const amount = feeOf(amountIn, fee.bps)
  return amount > 0n ? { ...fee, side: 'input', amount } : null
}

function readingOf(plan: SwapPlan): Omit<SwapReading, 'commands'> {
  const { tokenIn, tokenOut, amountIn, amountOutMin, deadlineS, permit } = plan
  return {
    tokenIn,
    tokenOut,
    amountIn,
    valueWei: tokenIn === NATIVE ? amountIn : 0n,
    legs: plan.legs.map((leg) => ({
      amountIn: leg.amountIn,
      hops: leg.hops.map(({ pool: _, ...hop }) => hop),
    })),
    amountOutMin,
    // A plan whose last swap cannot pay the caller encodes the same either way.
    direct: paysCaller(plan),
    fee: expectedFee(plan),
    permit: permit ?? null,
    deadlineS,
  }
}

const PLANS = 5000 * Number(process.env['ROUNDS_SHARE'] ?? 1)
const plans = function* (seed: number, count = PLANS) {
  const random = seeded(seed)
  for (let i = 0; i < count; i++) yield { plan: randomPlan(random), random }
}

describe('a plan and its call', () => {
  it('round-trip unchanged', () => {
    const shapes = new Set<string>()
    for (const { plan } of plans(1)) {
      const { data, commands, valueWei } = encodeSwap(plan)
      expect(readSwap(data, plan)).toEqual({ ...readingOf(plan), commands })
      expect(valueWei).toBe(plan.tokenIn === NATIVE ? plan.amountIn : 0n)
      shapes.add(commands.map(({ command }) => command).join())
    }
    expect(shapes.size).toBeGreaterThan(PLANS / 5)
  })

  it('leave nothing in the router, pay the exact fee and the rest to the caller', () => {
    for (const { plan } of plans(2)) {
      // Model pools return what they take, so all of the input comes out.
      const { tokenIn, tokenOut, amountIn, fee } = plan
      const paidIn = fee.side === 'input' ? feeOf(amountIn, fee.bps) : 0n
      const paidOut = fee.side === 'output' ? feeOf(amountIn, fee.bps) : 0n
      const delivered = amountIn - paidIn - paidOut
      const { commands, valueWei } = encodeSwap({ ...plan, amountOutMin: delivered })
      const after = runOnModel(commands, { value: valueWei, weth: plan.weth })
      expect(after.left()).toBe(0n)
      expect(after.of(MSG_SENDER, tokenIn)).toBe(-amountIn)
      expect(after.of(MSG_SENDER, tokenOut)).toBe(delivered)
      expect(after.of(fee.recipient, tokenIn)).toBe(paidIn)
      expect(after.of(fee.recipient, tokenOut)).toBe(paidOut)
      // One atom more is impossible, however the trade is split.
      const greedy = encodeSwap({ ...plan, amountOutMin: delivered + 1n })
      expect(() => runOnModel(greedy.commands, { value: valueWei, weth: plan.weth })).toThrow('too little')
    }
  })

  it('refund what an exhausted v3 pool does not take', () => {
    let gaveBack = 0
    for (const { plan } of plans(3)) {
      const { commands, valueWei } = encodeSwap({ ...plan, amountOutMin: 0n })
      const after = runOnModel(commands, { value: valueWei, weth: plan.weth, runsOut: 7 })
      expect(after.left()).toBe(0n)
      expect(after.holders().every((who) => [MSG_SENDER, plan.fee.recipient].includes(who))).toBe(true)
      if (commands.at(-1)?.command === 'SWEEP') gaveBack++
    }
    expect(gaveBack).toBeGreaterThan(PLANS / 10)
  })
})

/** Every single change of a command. */
function changed(commands: readonly RouterCommand[], random: ReturnType<typeof seeded>, thief: Address) {
  const list: RouterCommand[] = structuredClone(commands) as RouterCommand[]
  const at = random.below(list.length)
  const one = list[at]! as Record<string, unknown> & RouterCommand
  const amounts = [0n, 1n, CONTRACT_BALANCE, 12_345n]
  const addresses = [thief, MSG_SENDER, ADDRESS_THIS, NATIVE]
  const holder = (one.command === 'V4_SWAP' ? one.actions[random.below(one.actions.length)]! : one) as Record<
    string,
    unknown
  >
  switch (random.below(5)) {
    case 0:
      list.splice(at, 1)
      break
    case 1:
      list.splice(at, 0, structuredClone(list[random.below(list.length)]!))
      break
    case 2:
      list.push({
        command: 'SWEEP',
        token: addresses[random.below(4)]!,
        recipient: addresses[random.below(4)]!,
        amountMin: 0n,
      })
      break
    default: {
      const fields = Object.keys(holder).filter((key) => !['command', 'action'].includes(key))
      const key = fields[random.below(fields.length)]!
      const value = holder[key]
      if (typeof value === 'bigint')
        holder[key] = random.below(3) ? value + 1n : amounts[random.below(amounts.length)]
      else if (typeof value === 'boolean') holder[key] = !value
      else if (typeof value === 'string' && value.length === 42) holder[key] = addresses[random.below(4)]
    }
  }
  return list
}

/** Undefined if a value does not fit its word. */
function tryEncode(commands: RouterCommand[], { deadlineS, layout }: SwapPlan) {
  try {
    return encodeExecute({ commands, deadlineS }, layout)
  } catch {
    return undefined
  }
}

describe('a call with something changed', () => {
  it('is rejected, or decoded as what it does', () => {
    const thief: Address = `0x${'bad0'.repeat(10)}`
    let refused = 0
    let read = 0
    for (const { plan, random } of plans(4)) {
      const { commands, data } = encodeSwap(plan)
      const lie = changed(commands, random, thief)
      const text = tryEncode(lie, plan)
      if (text === undefined || text === data) continue
      const reading = readSwap(text, plan)
      if ('fault' in reading) {
        refused++
        continue
      }
      read++
      const { commands: _, ...facts } = reading
      expect(facts).not.toEqual(readingOf(plan))
      // Executed on the model without a minimum: only the decoded transfers happen.
      const open = encodeSwap({
        ...reading,
        amountOutMin: 0n,
        fee: reading.fee ?? { ...plan.fee, bps: 0 },
        permit: undefined,
        weth: plan.weth,
      } as unknown as SwapPlan)
      const after = runOnModel(open.commands, { value: reading.valueWei, weth: plan.weth })
      const recipients = [MSG_SENDER, ...(reading.fee ? [reading.fee.recipient] : [])]
      expect(after.holders().filter((who) => !recipients.includes(who))).toEqual([])
      expect(after.of(MSG_SENDER, reading.tokenIn)).toBe(-reading.amountIn)
    }
    expect(refused).toBeGreaterThan(PLANS / 2)
    expect(read).toBeGreaterThan(PLANS / 50)
  })

  it('is rejected without a deadline, and under the other layout', () => {
    for (const { plan } of plans(5, 200)) {
      const { commands, data } = encodeSwap(plan)
      const timeless = encodeExecute({ commands, deadlineS: undefined }, plan.layout)
      expect(readSwap(timeless, plan)).toEqual({ fault: 'the call has no deadline' })
      const other = plan.layout === '2.1.0' ? '2.1.1' : '2.1.0'
      const swapped = readSwap(data, { weth: plan.weth, layout: other })
      // v4 swaps of several hops are identical in both.
      if (!('fault' in swapped)) expect(encodeSwap({ ...plan, layout: other }).data).toBe(data)
    }
    expect(readSwap('0x', { weth: `0x${'ee'.repeat(20)}` })).toEqual({ fault: 'SELECTOR' })
  })
})

describe('an invalid plan', () => {
  const [a, b, c, weth]: Address[] = ['a1', 'b1', 'c1', 'ee'].map((two) => `0x${two.repeat(20)}` as Address)
  const v3 = (tokenIn: Address, tokenOut: Address): PlanHop => ({
    version: 'v3',
    pool: a!,
    tokenIn,
    tokenOut,
    feePips: 500,
  })
  const good: SwapPlan = {
    tokenIn: a!,
    tokenOut: b!,
    amountIn: 10_000n,
    legs: [{ hops: [v3(a!, b!)], amountIn: 9_975n }],
    amountOutMin: 1n,
    direct: true,
    fee: { bps: 25, side: 'input', recipient: c! },
    deadlineS: 1n,
    weth: weth!,
  }
  const permit = {
    permit: {
      details: { token: a!, amount: 10_000n, expiration: 1, nonce: 0 },
      spender: c!,
      sigDeadline: 1n,
    },
    signature: '0x12' as const,
  }
  const leg = (...hops: PlanHop[]) => [{ hops, amountIn: 9_975n }]
  it('is valid on a chain without WETH', () => {
    const key = { currency0: NATIVE, currency1: b!, fee: 500, tickSpacing: 10, hooks: NATIVE }
    const hop: PlanHop = { version: 'v4', pool: '0x', tokenIn: NATIVE, tokenOut: b!, key }
    const plan: SwapPlan = { ...good, tokenIn: NATIVE, legs: leg(hop), weth: NATIVE }
    const { data, commands } = encodeSwap(plan)
    expect(commands.map(({ command }) => command)).toEqual(['TRANSFER', 'V4_SWAP'])
    expect(readSwap(data, { weth: NATIVE })).toEqual({ ...readingOf(plan), commands })
  })
  it('ends at the router unless it pays the caller directly', () => {
    for (const hop of [v3(a!, b!), { version: 'v2', pool: a!, tokenIn: a!, tokenOut: b! } as const]) {
      const { commands, data } = encodeSwap({ ...good, direct: false, legs: leg(hop) })
      expect(commands[1]).toMatchObject({ recipient: ADDRESS_THIS, amountOutMin: 0n })
      expect(commands.slice(2)).toEqual([
        { command: 'SWEEP', token: b, recipient: MSG_SENDER, amountMin: good.amountOutMin },
      ])
      expect(readSwap(data, good)).toMatchObject({ direct: false, amountOutMin: good.amountOutMin })
    }
    const { commands, data } = encodeSwap(good)
    expect(commands[1]).toMatchObject({ recipient: MSG_SENDER, amountOutMin: good.amountOutMin })
    expect(commands).toHaveLength(2)
    expect(readSwap(data, good)).toMatchObject({ direct: true })
  })
  it('is rejected, and a valid one is not', () => {
    expect(() => encodeSwap(good)).not.toThrow()
    expect(() => encodeSwap({ ...good, permit })).not.toThrow()
  })
  it.each<[string, Partial<SwapPlan>]>([
    ['legs short of the input', { legs: [{ hops: [v3(a!, b!)], amountIn: 9_974n }] }],
    ['legs past the input', { legs: [{ hops: [v3(a!, b!)], amountIn: 10_000n }] }],
    ['no leg', { legs: [] }],
    ['four legs', { amountIn: 4n, legs: [1, 2, 3, 4].map(() => ({ hops: [v3(a!, b!)], amountIn: 1n })) }],
    ['no hop', { legs: leg() }],
    ['a gap between hops', { legs: leg(v3(a!, c!), v3(weth!, b!)) }],
    ['a leg to another token', { legs: leg(v3(a!, c!)) }],
    ['a circular path', { legs: leg(v3(a!, c!), v3(c!, a!), v3(a!, b!)) }],
    ['ETH in a v3 pool', { tokenIn: NATIVE, legs: leg(v3(NATIVE, b!)) }],
    ['the same ends', { tokenOut: a! }],
    ['ether for ether', { tokenIn: NATIVE, tokenOut: weth!, legs: leg(v3(weth!, b!)) }],
    ['a fee to the caller', { fee: { ...good.fee, recipient: MSG_SENDER } }],
    ['a fee to the router', { fee: { ...good.fee, recipient: ADDRESS_THIS } }],
    ['a fee of a fraction', { fee: { ...good.fee, bps: 0.5 } }],
    [
      'a fee of all',
      {
        fee: { ...good.fee, side: 'output', bps: 10_000 },
        legs: [{ ...leg(v3(a!, b!))[0]!, amountIn: 10_000n }],
      },
    ],
    ['a negative minimum', { amountOutMin: -1n }],
    ['a minimum past 128 bits', { amountOutMin: 1n << 128n }],
    ['capitals in an address', { tokenOut: b!.toUpperCase().replace('0X', '0x') as Address }],
    [
      'a permit of another token',
      {
        permit: { ...permit, permit: { ...permit.permit, details: { ...permit.permit.details, token: b! } } },
      },
    ],
    [
      'a permit of less',
      {
        permit: {
          ...permit,
          permit: { ...permit.permit, details: { ...permit.permit.details, amount: 9_999n } },
        },
      },
    ],
    [
      'a key of other tokens',
      {
        legs: leg({
          version: 'v4',
          pool: '0x',
          tokenIn: a!,
          tokenOut: b!,
          key: { currency0: a!, currency1: c!, fee: 1, tickSpacing: 1, hooks: NATIVE },
        }),
      },
    ],
    [
      'a key in the wrong order',
      {
        legs: leg({
          version: 'v4',
          pool: '0x',
          tokenIn: a!,
          tokenOut: b!,
          key: { currency0: b!, currency1: a!, fee: 1, tickSpacing: 1, hooks: NATIVE },
        }),
      },
    ],
  ])('%s', (_, change) => {
    expect(() => encodeSwap({ ...good, ...change })).toThrow(RangeError)
  })
})
