import { readFileSync } from 'node:fs'
import { type Address, delegationTypedData, NATIVE, sessionRoot } from '@pit/chain'
import {
  atomsDown,
  type BindingControls,
  bindingHash,
  createBinding,
  markPrice,
  type SessionBindingV3,
} from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '../errors.ts'
import type { OwnMarks } from '../own/marks.ts'
import { pinsOf } from '../pins.ts'
import { checkBinding, checkRoots, type GrantParams, hashing, type Pending } from './grant.ts'

const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')), { cosigner: at('3') })
const NOW_S = 1_800_000_000
const LASTS_S = 86_400
const USDG = [...pins.tokens].find(([, { core }]) => core === 'USDG')![0]
const PRICE_E18 = 2_500n * 10n ** 18n
const marks: OwnMarks = new Map([
  [NATIVE, { priceE18: PRICE_E18, decimals: 18, source: 'oracle_feed' as const }],
])
const request: GrantParams = {
  executor: at('2'),
  controls: {
    signature_above_usd: 10,
    breakers: [{ max_fall_usd: 20, window_s: null, cool_down_s: 3_600 }],
  },
}
const HONEST: BindingControls = {
  signature_above_micro_usd: 10_000_000,
  breakers: [{ max_fall_micro_usd: 20_000_000, window_s: null, cool_down_s: 3_600 }],
}

const bindingWith = (controls: BindingControls | undefined): SessionBindingV3 =>
  createBinding({
    wallet: at('1'),
    executor: at('2'),
    cosigner: at('3'),
    router: pins.router,
    feeRecipient: pins.feeRecipient,
    tokens: [NATIVE, USDG],
    limits: { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 50 },
    expires_at: NOW_S + LASTS_S,
    nonce: `0x${'4'.repeat(64)}`,
    risk: { accept_risks: [], shield: false, policies: [] },
    ...(controls && { controls }),
  })

function answerOf(binding: SessionBindingV3, nonce: bigint | null): Pending {
  const price = markPrice(PRICE_E18, 18)
  const eth = { dayWei: atomsDown(100_000_000n, price), tradeWei: atomsDown(25_000_000n, price) }
  const root = sessionRoot(pins.addresses, {
    binding,
    bindingHash: bindingHash(hashing.keccakText, binding),
    eth,
    nonce,
    nowS: NOW_S,
  })
  const typed_data = delegationTypedData(pins.addresses, root)
  return { sign: { delegation: { typed_data, binding }, curve_roots: null } } as unknown as Pending
}

function ruleOf(work: () => unknown): string | undefined {
  try {
    work()
  } catch (error) {
    if (isRefusal(error)) return error.rule
    throw error
  }
  return undefined
}

describe('the controls of a grant', () => {
  const check = (controls: BindingControls | undefined) =>
    ruleOf(() =>
      checkBinding({ pins, wallet: at('1'), request, nowS: NOW_S }, {
        sign: { delegation: { binding: bindingWith(controls) } },
      } as unknown as Pending),
    )

  it('are the ones requested', () => {
    expect(check(HONEST)).toBeUndefined()
  })

  it.each<[string, BindingControls | undefined]>([
    ['drops them', undefined],
    ['empties them', {}],
    ['raises the amount without a signature', { ...HONEST, signature_above_micro_usd: 10_000_001 }],
    ['widens a breaker', { ...HONEST, breakers: [{ ...HONEST.breakers![0]!, max_fall_micro_usd: 21e6 }] }],
    ['shortens the cool-down', { ...HONEST, breakers: [{ ...HONEST.breakers![0]!, cool_down_s: 60 }] }],
  ])('are refused from a server that %s', (_, controls) => {
    expect(check(controls)).toBe('GRANT_BINDING')
  })

  it('are refused if none were requested', () => {
    const plain = { ...request }
    delete plain.controls
    const pending = { sign: { delegation: { binding: bindingWith(HONEST) } } } as unknown as Pending
    const own = { pins, wallet: at('1'), request: plain, nowS: NOW_S }
    expect(ruleOf(() => checkBinding(own, pending))).toBe('GRANT_BINDING')
  })
})

describe('the nonce of a root', () => {
  const check = (served: bigint | null, own: bigint | null) => {
    const controls = own === null ? undefined : HONEST
    const binding = bindingWith(controls)
    const params = { pins, binding, marks, lastsS: LASTS_S, curves: [], nonce: own }
    return ruleOf(() => checkRoots(params, answerOf(binding, served)))
  }

  it('is the wallet’s by the client’s own node', () => {
    expect(check(7n, 7n)).toBeUndefined()
    expect(check(null, null)).toBeUndefined()
  })

  it.each([6n, 8n])('is refused if it is %s instead of 7', (served) => {
    expect(check(served, 7n)).toBe('GRANT_CAPS')
  })
})
