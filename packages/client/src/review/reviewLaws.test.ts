import { type Address, encodeDisable, endAllCall, type Hex, NATIVE } from '@pit/chain'
import { type Random, seeded } from '@pit/chain/test/randomPool'
import {
  encodeErc20Approve,
  encodeErc20Transfer,
  encodeExecute,
  encodeLockdown,
  encodePermit2Approve,
  encodeSwap,
  type SwapPlan,
} from '@pit/plans'
import { runOnModel } from '@pit/plans/test/modelRouter'
import { randomPlan } from '@pit/plans/test/randomPlan'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  at,
  batch,
  buy,
  type Call,
  CURVES,
  ETH_CURVE,
  ETHER,
  onUsdgCurve,
  pins,
  RETURN,
  reviewCallOf,
  root,
  swap,
  THIEF,
  TOKEN,
  USDG,
  USDG_CURVE,
  WALLET,
} from '../../test/reviewKit.ts'
import { pinsOf } from '../pins.ts'
import type { Effect } from './effects.ts'
import { SigningRefused } from './terms.ts'

/** Share of the random rounds to run: npm test runs a fifth of them. */
const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

describe('random calls', () => {
  const HONEST: Call[] = [
    swap(),
    { to: ETH_CURVE.id, data: buy(), value: 5n * ETHER },
    { to: USDG_CURVE.id, data: onUsdgCurve('buy') },
    { to: USDG_CURVE.id, data: onUsdgCurve('sell') },
    { to: pins.addresses.manager, data: encodeDisable(root) },
    { to: USDG, data: encodeErc20Approve(pins.permit2, 1n) },
    { to: USDG, data: encodeErc20Transfer(RETURN, 1n) },
    { to: pins.permit2, data: encodeLockdown([{ token: USDG, spender: THIEF }]) },
    endAllCall(pins.addresses),
    batch(swap()),
    {
      to: pins.permit2,
      data: encodePermit2Approve({ token: USDG, spender: pins.router, amount: 9n, expiration: 9 }),
    },
  ]
  const SELECTORS = HONEST.map(({ data }) => data.slice(0, 10))
  const CALLEES = [
    ...[
      pins.router,
      pins.permit2,
      pins.weth,
      USDG,
      TOKEN,
      ETH_CURVE.id,
      USDG_CURVE.id,
      WALLET,
      RETURN,
      THIEF,
    ],
    ...[NATIVE, pins.feeRecipient, pins.multicall3, ...pins.launchpads.map(({ factory }) => factory)],
    ...[pins.addresses.manager, pins.addresses.delegator, ...Object.values(pins.addresses.enforcers)],
  ]
  const word = fc.oneof(
    fc.constantFrom(...CALLEES.map((one) => one.slice(2).padStart(64, '0'))),
    fc.constantFrom(0n, 1n, 32n, 64n, 96n, 1n << 255n).map((n) => n.toString(16).padStart(64, '0')),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
  )
  /** An honest call of which callee, selector, value and words are exchanged. */
  const call = fc
    .record({
      honest: fc.constantFrom(...HONEST),
      to: fc.option(fc.constantFrom(...CALLEES)),
      selector: fc.option(fc.constantFrom(...SELECTORS, '0xdeadbeef'), { freq: 2 }),
      value: fc.option(fc.constantFrom(0n, 1n, ETHER), { freq: 2 }),
      changes: fc.array(fc.tuple(fc.nat({ max: 60 }), word), { maxLength: 2 }),
    })
    .map(({ honest, to, selector, value, changes }): Call => {
      const words = honest.data.slice(10).match(/.{1,64}/g) ?? []
      for (const [i, text] of changes) if (words.length > 0) words[i % words.length] = text
      return {
        to: to ?? honest.to,
        data: `${selector ?? honest.data.slice(0, 10)}${words.join('')}` as Hex,
        value: value ?? honest.value ?? 0n,
      }
    })

  it('are unknown or refused outside the allow-list, and give strangers nothing without a confirmation', () => {
    const counts = { known: 0, unknown: 0, refused: 0 }
    fc.assert(
      fc.property(call, (one) => {
        const reviewed = reviewOrNull(one)
        if (!reviewed) return void counts.refused++
        const { effects, confirmAddresses } = reviewed
        const isUnknown = effects[0]!.kind === 'unknown_call'
        counts[isUnknown ? 'unknown' : 'known']++
        if (isUnknown) {
          expect(confirmAddresses).toEqual([one.to])
          expect(() => reviewCallOf(one)).toThrow(SigningRefused)
          return
        }
        expect(isListed(one)).toBe(true)
        for (const stranger of gaining(effects)) expect(confirmAddresses).toContain(stranger)
      }),
      { numRuns: Math.ceil(20_000 * SHARE) },
    )
    expect(counts.known).toBeGreaterThan(500 * SHARE)
    expect(counts.unknown).toBeGreaterThan(2_000 * SHARE)
  })

  const reviewOrNull = (one: Call) => {
    try {
      return reviewCallOf(one, { allowsUnknownCalls: true })
    } catch (error) {
      expect(error).toBeInstanceOf(SigningRefused)
      return null
    }
  }
  /** The allow-list, written a second time. */
  const isListed = ({ to, data }: Call): boolean => {
    const [
      router,
      ethBuy,
      usdgBuy,
      usdgSell,
      disable,
      approve,
      transfer,
      lockdown,
      endAll,
      execute,
      permit2,
    ] = SELECTORS
    const is = (...selectors: (string | undefined)[]) => selectors.includes(data.slice(0, 10))
    if (to === WALLET) return is(execute)
    if (to === pins.router) return is(router)
    if (to === ETH_CURVE.id) return is(ethBuy)
    if (to === USDG_CURVE.id) return is(usdgBuy, usdgSell)
    if (to === pins.permit2) return is(permit2, lockdown)
    if (to === pins.addresses.manager) return is(disable)
    if (to === pins.addresses.enforcers.Nonce) return is(endAll)
    const tokens: Address[] = [USDG, TOKEN, pins.weth, RETURN, THIEF, pins.feeRecipient]
    return tokens.includes(to) && is(approve, transfer)
  }
})

const gaining = (effects: readonly Effect[]): Address[] =>
  effects
    .flatMap((effect) => {
      if (effect.kind === 'allows') return [effect.spender]
      return effect.kind === 'leaves' ? [effect.to] : []
    })
    .filter(
      (one) =>
        ![pins.router, pins.permit2, pins.feeRecipient, RETURN, ...CURVES.map(({ id }) => id)].includes(one),
    )

describe('trades of every shape, each field changed', () => {
  const { profile } = pins
  it('never take more nor give less on an independent model than their review says', () => {
    const counts = { honest: 0, reviewed: 0, refused: 0, ran: 0 }
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const random = seeded(seed)
        const plan = withRouter(randomPlan(random))
        const own = {
          ...pinsOf(profile),
          weth: plan.weth,
          layout: plan.layout!,
          feeRecipient: plan.fee.recipient,
        }
        const { commands, valueWei } = encodeSwap(plan)
        for (let i = 0; i < 12; i++) {
          const changed = i === 0 ? commands : changedIn(random, commands)
          const value = random.below(12) === 0 ? valueWei + 1n : valueWei
          const data = encoded(changed, plan)
          if (data === null) continue
          let effects: readonly Effect[]
          try {
            ;({ effects } = reviewCallOf({ to: pins.router, data, value }, { pins: own }))
          } catch (error) {
            expect(error).toBeInstanceOf(SigningRefused)
            counts.refused++
            continue
          }
          counts[i === 0 ? 'honest' : 'reviewed']++
          for (const runsOut of [0, 30])
            if (isBounded(effects, changed, { value, weth: plan.weth, runsOut })) counts.ran++
        }
      }),
      { numRuns: Math.ceil(1_000 * SHARE) },
    )
    expect(counts.honest).toBeGreaterThan(800 * SHARE)
    expect(counts.reviewed).toBeGreaterThan(500 * SHARE)
    expect(counts.refused).toBeGreaterThan(3_000 * SHARE)
    expect(counts.ran).toBeGreaterThan(800 * SHARE)
  })

  const withRouter = (plan: SwapPlan): SwapPlan =>
    plan.permit
      ? { ...plan, permit: { ...plan.permit, permit: { ...plan.permit.permit, spender: pins.router } } }
      : plan
  type Commands = ReturnType<typeof encodeSwap>['commands']
  const encoded = (commands: Commands, { deadlineS, layout }: SwapPlan): Hex | null => {
    try {
      return encodeExecute({ commands, deadlineS }, layout)
    } catch {
      return null
    }
  }
  const pick = <T>(random: Random, list: readonly T[]): T => list[random.below(list.length)]!
  /** One field of one command, or a command left out, doubled or moved. */
  function changedIn(random: Random, commands: Commands): Commands {
    const list = structuredClone(commands) as Record<string, unknown>[]
    const index = random.below(list.length)
    if (random.below(6) === 0) {
      const [one] = list.splice(index, 1)
      for (let n = random.below(3); n > 0; n--) list.splice(random.below(list.length + 1), 0, one!)
      return list as Commands
    }
    let place = list[index]!
    for (;;) {
      const key = pick(
        random,
        Object.keys(place).filter((one) => !['command', 'action', 'signature'].includes(one)),
      )
      const value = place[key]
      if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
        place = value as Record<string, unknown>
        continue
      }
      place[key] = otherOf(random, value)
      return list as Commands
    }
  }
  const otherOf = (random: Random, value: unknown): unknown => {
    switch (typeof value) {
      case 'bigint':
        return pick(random, [0n, 1n, value + 1n, value > 0n ? value - 1n : 2n, value * 2n, 1n << 255n])
      case 'number':
        return pick(random, [0, 1, value + 1])
      case 'boolean':
        return !value
      default:
        return pick(random, [THIEF, NATIVE, at('0').replace(/.$/, '1'), at('0').replace(/.$/, '2')])
    }
  }
  /** False if the model reverts. */
  function isBounded(
    effects: readonly Effect[],
    commands: Commands,
    terms: { value: bigint; weth: Address; runsOut: number },
  ): boolean {
    const caller = at('0').replace(/.$/, '1') as Address
    let ledger: ReturnType<typeof runOnModel>
    try {
      ledger = runOnModel(commands, terms)
    } catch (error) {
      if ((error as Error).message.startsWith('reverted')) return false
      throw error
    }
    const tokens = new Set(effects.flatMap((effect) => ('token' in effect ? [effect.token] : [])))
    for (const token of tokens) {
      const sum = (kind: 'leaves' | 'arrives') =>
        effects.reduce((total, effect) => {
          if (effect.kind !== kind || effect.token !== token) return total
          return (
            total +
            (effect.kind === 'leaves' ? effect.atMost : effect.kind === 'arrives' ? effect.atLeast : 0n)
          )
        }, 0n)
      expect(ledger.of(caller, token)).toBeGreaterThanOrEqual(sum('arrives') - sum('leaves'))
    }
    const payees = [caller, ...effects.flatMap((effect) => (effect.kind === 'leaves' ? [effect.to] : []))]
    expect(ledger.left()).toBe(0n)
    // A fee of the output is a part of what would arrive, not of what leaves.
    for (const holder of ledger.holders())
      if (!payees.includes(holder))
        expect(commands).toContainEqual(
          expect.objectContaining({ command: 'PAY_PORTION', recipient: holder }),
        )
    return true
  }
})
