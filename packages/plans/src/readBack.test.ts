import {
  ADDRESS_THIS,
  type Address,
  CONTRACT_BALANCE,
  type Hex,
  MSG_SENDER,
  NATIVE,
  type RouterCommand,
  readCurveCall,
  readSwap,
} from '@pit/chain'
import { address, uint } from '@pit/chain/test/randomCall'
import { type Random, seeded } from '@pit/chain/test/randomPool'
import { LAUNCHPAD_KINDS } from '@pit/protocol'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { randomPlan } from '../test/randomPlan.ts'
import { encodeCurveTrade } from './encodeCalls.ts'
import { encodeExecute } from './encodeExecute.ts'
import { type EncodedSwap, encodeSwap } from './encodeSwap.ts'
import type { SwapPlan } from './plan.ts'

const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

// The reader shares no code with the builder. Here the builder is its oracle: a changed call is rejected, or
// the decoded plan builds identical bytes. The round trip of unchanged plans is in swap.test.ts.
vi.setConfig({ testTimeout: 180_000 })

const ROUNDS = 600 * SHARE
const CHANGES_EACH = 12

type Kind = 'refused' | 'read' | 'none'

function judge(text: Hex | undefined, plan: SwapPlan): Kind {
  if (text === undefined) return 'none'
  const { weth, layout } = plan
  const reading = readSwap(text, plan)
  if ('fault' in reading) return 'refused'
  const { fee, permit, ...rest } = reading
  const none = { bps: 0, side: 'input', recipient: NATIVE } as const
  const again = { ...rest, weth, fee: fee ?? none, ...(layout && { layout }), ...(permit && { permit }) }
  expect(encodeSwap(again).data).toBe(text)
  return 'read'
}

type Honest = EncodedSwap & { plan: SwapPlan; random: Random; others: readonly RouterCommand[] }

/** Checks many changes of many plans against the builder; `change` returns a changed call. */
function judgeAll(change: (honest: Honest) => Hex | undefined): Record<Kind, number> {
  const counts = { refused: 0, read: 0, none: 0 }
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const random = seeded(seed)
      const plan = randomPlan(random)
      const others = encodeSwap(randomPlan(random)).commands
      const honest = { ...encodeSwap(plan), plan, random, others }
      for (let i = 0; i < CHANGES_EACH; i++) counts[judge(change(honest), plan)]++
    }),
    { numRuns: ROUNDS },
  )
  return counts
}

const pick = <T>(random: Random, list: readonly T[]): T => list[random.below(list.length)]!
const word = (value: bigint): string => (value & ((1n << 256n) - 1n)).toString(16).padStart(64, '0')

it('rejects changed digits and words, or decodes them exactly', () => {
  const { refused, read } = judgeAll(({ data, random }) => {
    const words = data.slice(10).match(/.{64}/g) as string[]
    const at = random.below(words.length)
    switch (random.below(5)) {
      case 0: {
        const digit = 2 + random.below(data.length - 2)
        return `${data.slice(0, digit)}${random.below(16).toString(16)}${data.slice(digit + 1)}` as Hex
      }
      case 1:
        words[at] = pick(random, [...words, ...[0n, 1n, 2n, -1n, CONTRACT_BALANCE].map(word)])
        break
      case 2:
        words[at] = word(BigInt(`0x${words[at]}`) + pick(random, [1n, -1n, 32n, -32n]))
        break
      case 3:
        words.splice(at, random.below(3), ...(random.below(2) ? [pick(random, words)] : []))
        break
      default:
        return data.slice(0, 2 + 2 * random.below(data.length / 2)) as Hex
    }
    return `${data.slice(0, 10)}${words.join('')}` as Hex
  })
  expect(refused).toBeGreaterThan(2_000 * SHARE)
  expect(read).toBeGreaterThan(200 * SHARE)
})

it('rejects changed commands, or decodes them exactly', () => {
  const { refused, read } = judgeAll(({ commands, plan, random, others }) => {
    const list = [...commands]
    for (let changes = 1 + random.below(3); changes > 0 && list.length > 0; changes--) {
      const at = random.below(list.length)
      switch (random.below(5)) {
        case 0:
          list.splice(at, 1)
          break
        case 1:
          list.splice(at, random.below(2), pick(random, list))
          break
        case 2:
          list.splice(at, random.below(2), pick(random, others))
          break
        case 3:
          list.splice(random.below(list.length + 1), 0, strayCommand(plan, random))
          break
        default:
          list[at] = changed(list[at]!, plan, random)
      }
    }
    return tryEncode(list, plan)
  })
  expect(refused).toBeGreaterThan(2_000 * SHARE)
  expect(read).toBeGreaterThan(200 * SHARE)
})

/** A valid command in a place where it is not allowed. */
function strayCommand(
  { tokenIn, tokenOut, fee, legs, amountOutMin }: SwapPlan,
  random: Random,
): RouterCommand {
  const recipient = pick(random, [MSG_SENDER, ADDRESS_THIS, fee.recipient])
  const amount = pick(random, [1n, legs[0]!.amountIn, CONTRACT_BALANCE])
  return pick<RouterCommand>(random, [
    { command: 'SWEEP', token: tokenOut, recipient, amountMin: pick(random, [0n, amountOutMin]) },
    { command: 'WRAP_ETH', recipient, amount },
    { command: 'UNWRAP_WETH', recipient, amountMin: pick(random, [0n, amount]) },
    { command: 'PAY_PORTION', token: tokenOut, recipient, bips: pick(random, [0n, 25n, 10_000n]) },
    { command: 'TRANSFER', token: NATIVE, recipient, amount },
    { command: 'PERMIT2_TRANSFER_FROM', token: tokenIn, recipient, amount },
  ])
}

/** The same value with one nested change. */
function changed<T>(value: T, plan: SwapPlan, random: Random): T {
  const { amountIn, legs, weth, tokenIn, tokenOut, fee } = plan
  const addresses: Address[] = [NATIVE, MSG_SENDER, ADDRESS_THIS, weth, tokenIn, tokenOut, fee.recipient]
  const change = (one: unknown): unknown => {
    if (typeof one === 'bigint')
      return pick(random, [one + 1n, 0n, 1n, CONTRACT_BALANCE, 1n << 128n, amountIn, legs[0]!.amountIn])
    if (typeof one === 'boolean') return !one
    if (typeof one === 'number') return one ^ 1
    if (typeof one === 'string') return one.length === 42 ? pick(random, addresses) : '0x00'
    const entries = Object.entries(one as object).filter(([key]) => key !== 'command' && key !== 'action')
    const [key, inner] = pick(random, entries)
    if (Array.isArray(one)) return one.map((item, i) => (String(i) === key ? change(item) : item))
    return { ...(one as object), [key]: change(inner) }
  }
  return change(value) as T
}

/** Undefined if a value does not fit its word. */
function tryEncode(commands: RouterCommand[], { deadlineS, layout }: SwapPlan): Hex | undefined {
  try {
    return encodeExecute({ commands, deadlineS }, layout)
  } catch {
    return undefined
  }
}

it('decodes curve trades exactly, and rejects other calldata', () => {
  const trade = fc.record({
    amountIn: uint(256n),
    amountOutMin: uint(256n),
    recipient: address(),
    deadlineS: uint(256n),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    launchpad: fc.constantFrom(...LAUNCHPAD_KINDS),
  })
  fc.assert(
    fc.property(trade, fc.nat(), (terms, seed) => {
      const data = encodeCurveTrade(terms)
      const deadlineS = terms.launchpad === 'pons' ? null : terms.deadlineS
      expect(readCurveCall(data)).toEqual({ ...terms, deadlineS })
      const random = seeded(seed)
      for (let i = 0; i < CHANGES_EACH; i++) {
        const at = 2 + random.below(data.length - 2)
        const digit = pick(random, ['0', '1', 'f', 'F', 'g', '', '00'])
        const text = `${data.slice(0, at)}${digit}${data.slice(at + 1)}`
        const reading = readCurveCall(text as Hex)
        if (!reading) continue
        expect(encodeCurveTrade({ ...reading, deadlineS: reading.deadlineS ?? 0n })).toBe(text)
      }
    }),
    { numRuns: 500 },
  )
})
