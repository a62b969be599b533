import { readFileSync } from 'node:fs'
import {
  type Address,
  curveRoots,
  delegationHash,
  delegationTypedData,
  NATIVE,
  sessionRoot,
} from '@pit/chain'
import { atomsDown, bindingHash, createBinding, markPrice, type SessionBindingV3 } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '../errors.ts'
import type { OwnCurve } from '../own/curves.ts'
import type { OwnMarks } from '../own/marks.ts'
import { pinsOf } from '../pins.ts'
import { checkRoots, hashing, type Pending } from './grant.ts'

const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')))
const NOW_S = 1_800_000_000
const LASTS_S = 3_600
const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const USDG = [...pins.tokens].find(([, { core }]) => core === 'USDG')![0]
const marks: OwnMarks = new Map([
  [NATIVE, { priceE18: 2_500n * 10n ** 18n, decimals: 18, source: 'oracle_feed' as const }],
])
const CURVE: OwnCurve = { id: at('c'), launchpad: 'pit' }

const binding: SessionBindingV3 = createBinding({
  wallet: at('1'),
  executor: at('2'),
  cosigner: at('3'),
  router: pins.router,
  feeRecipient: pins.feeRecipient,
  tokens: [NATIVE, USDG],
  limits: { max_trade_micro_usd: 10_000_000, max_day_micro_usd: 20_000_000, max_trades: 5 },
  expires_at: NOW_S + LASTS_S,
  nonce: `0x${'4'.repeat(64)}`,
  risk: { accept_risks: [], shield: false, policies: [] },
})

interface Built {
  dayUsd?: bigint
  nowS?: number
  curves?: readonly OwnCurve[]
}

/** The answer of an honest service, or of one that builds with other values. */
function answerOf({ dayUsd = 20n, nowS = NOW_S, curves = [] }: Built = {}): Pending['sign'] {
  const price = markPrice(2_500n * 10n ** 18n, 18)
  const eth = {
    dayWei: atomsDown(dayUsd * 1_000_000n, price),
    tradeWei: atomsDown(10_000_000n, price),
  }
  const params = { binding, bindingHash: bindingHash(hashing.keccakText, binding), eth, nowS }
  const shown = (delegation: ReturnType<typeof sessionRoot>) => ({
    typed_data: delegationTypedData(pins.addresses, delegation),
  })
  const built =
    curves.length > 0 &&
    curveRoots(pins.addresses, { ...params, curves: curves.map(({ id }) => id), launchpads: ['pit'] })
  const roots = built ? [built.curve, built.fee] : []
  return {
    delegation: { ...shown(sessionRoot(pins.addresses, params)), binding },
    authorization: null,
    curve_roots: Object.fromEntries(roots.map((root) => [delegationHash(hashing, root), shown(root)])),
  } as never
}

const check = (sign: Pending['sign'], curves: readonly OwnCurve[] = []) =>
  checkRoots({ pins, binding, marks, lastsS: LASTS_S, curves }, { sign } as Pending)

function ruleOf(work: () => unknown): string | undefined {
  try {
    work()
  } catch (error) {
    if (isRefusal(error)) return error.rule
    throw error
  }
  return undefined
}

describe('the roots of a grant', () => {
  it('are one for the router, and with a curve one for its calls and one for its fees', () => {
    expect(check(answerOf()).roots.map(({ kind }) => kind)).toEqual(['router'])
    const onCurve = check(answerOf({ curves: [CURVE] }), [CURVE])
    expect(onCurve.roots.map(({ kind }) => kind)).toEqual(['router', 'curve', 'fee'])
  })

  it.each<[string, Built, readonly OwnCurve[], string]>([
    ['curve roots without a curve token', { curves: [CURVE] }, [], 'GRANT_BINDING'],
    ['no curve roots for a curve token', {}, [CURVE], 'GRANT_BINDING'],
    ['roots of another curve', { curves: [{ ...CURVE, id: at('d') }] }, [CURVE], 'GRANT_BINDING'],
    [
      'a curve beside the tokens’ own',
      { curves: [CURVE, { ...CURVE, id: at('d') }] },
      [CURVE],
      'GRANT_BINDING',
    ],
    ['a day cap far above the binding’s dollars', { dayUsd: 40n }, [], 'GRANT_CAPS'],
    ['a window that starts at another time', { nowS: NOW_S - 86_000 }, [], 'GRANT_CAPS'],
  ])('are refused with %s', (_, built, curves, rule) => {
    expect(ruleOf(() => check(answerOf(built), curves))).toBe(rule)
  })

  it('are refused when any single digit of a curve root differs', () => {
    const honest = answerOf({ curves: [CURVE] })
    const texts = JSON.stringify(honest.curve_roots, (_, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
    const places = [...texts.matchAll(/"(?:terms|enforcer|delegate|delegator)":"0x([0-9a-f]+)"/g)]
    for (const { index, 0: whole, 1: digits } of places) {
      const end = index + whole.length - 2
      const at = end - (digits!.length % 7)
      const digit = texts[at] === '7' ? '8' : '7'
      const curve_roots = JSON.parse(`${texts.slice(0, at)}${digit}${texts.slice(at + 1)}`)
      expect(
        ruleOf(() => check({ ...honest, curve_roots }, [CURVE])),
        whole,
      ).toBe('GRANT_BINDING')
    }
    expect(places.length).toBeGreaterThan(15)
  })

  it('are refused when one is there twice under another name', () => {
    const honest = answerOf({ curves: [CURVE] })
    const [[, root]] = Object.entries(honest.curve_roots as object) as [[string, unknown]]
    const curve_roots = { ...(honest.curve_roots as object), [`0x${'5'.repeat(64)}`]: root }
    expect(ruleOf(() => check({ ...honest, curve_roots } as never, [CURVE]))).toBe('GRANT_BINDING')
  })
})
