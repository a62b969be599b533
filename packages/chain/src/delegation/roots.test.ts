import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  addresses,
  at,
  binding,
  bindingHash,
  caveatsOf,
  crypto,
  curves,
  eth,
  NOW,
  request,
  rootOf,
  USDG,
} from '../../test/sessionRequest.ts'
import type { Hex } from '../bytes/hex.ts'
import { delegationHash } from './hash.ts'
import { buildRoot, readRoot } from './root.ts'
import { curveRoots, type RootRequest, rootDiffs, sessionRoot } from './sessionRoots.ts'
import type { Delegation } from './types.ts'

const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

vi.setConfig({ testTimeout: 60_000 })

describe('roots', () => {
  const root = sessionRoot(addresses, request)
  const { curve, fee } = curveRoots(addresses, { ...request, curves, launchpads: ['pit'] })
  const shared = {
    wallet: binding.wallet,
    cosigner: binding.cosigner,
    salt: bindingHash,
    expiresS: binding.expires_at,
    maxTrades: 50,
    nonce: null,
  }

  it('for router calls has the caveats of the design, in order', () => {
    expect(root).toMatchObject({
      delegate: binding.cosigner,
      delegator: binding.wallet,
      authority: `0x${'f'.repeat(64)}`,
      salt: BigInt(bindingHash),
      signature: '0x',
    })
    expect(caveatsOf(root)).toEqual([
      { enforcer: 'Redeemer', redeemers: [binding.executor] },
      { enforcer: 'AllowedTargets', targets: [binding.router] },
      { enforcer: 'AllowedMethods', selectors: ['0x3593564c'] },
      { enforcer: 'Timestamp', afterS: 0, beforeS: binding.expires_at },
      { enforcer: 'LimitedCalls', limit: 50 },
      { enforcer: 'NativeTokenPeriodTransfer', amountWei: eth.dayWei, periodS: 86_400, startS: NOW - 60 },
      { enforcer: 'ValueLte', valueWei: eth.tradeWei },
    ])
  })

  it('lets no ETH out when ETH is not bound', () => {
    const tokens = [USDG, at('7')]
    const without = sessionRoot(addresses, { ...request, binding: { ...binding, tokens }, eth: null })
    expect(caveatsOf(without).slice(5)).toEqual([{ enforcer: 'ValueLte', valueWei: 0n }])
    expect(rootOf('router', without).eth).toBeNull()
    expect(() => sessionRoot(addresses, { ...request, eth: null })).toThrow('ETH caps')
    expect(() => sessionRoot(addresses, { ...request, binding: { ...binding, tokens } })).toThrow('ETH caps')
    expect(() =>
      curveRoots(addresses, {
        ...request,
        binding: { ...binding, tokens },
        eth: null,
        curves,
        launchpads: ['pit'],
      }),
    ).toThrow('ETH')
    expect(() => sessionRoot(addresses, { ...request, eth: { ...eth, dayWei: 0n } })).toThrow(RangeError)
  })

  it('for curves has one for their calls and one that can only pay the fee', () => {
    expect(caveatsOf(curve).slice(0, 3)).toEqual([
      { enforcer: 'Redeemer', redeemers: [binding.executor] },
      { enforcer: 'AllowedTargets', targets: [at('8'), at('9')] },
      { enforcer: 'AllowedMethods', selectors: ['0x8945257c', '0x8a038a54'] },
    ])
    expect(caveatsOf(fee)).toEqual([
      { enforcer: 'Redeemer', redeemers: [addresses.enforcers.NativeTokenPayment] },
      { enforcer: 'AllowedTargets', targets: [binding.fee.recipient] },
      { enforcer: 'ExactCalldata', data: '0x' },
      { enforcer: 'Timestamp', afterS: 0, beforeS: binding.expires_at },
      { enforcer: 'LimitedCalls', limit: 50 },
      {
        enforcer: 'NativeTokenPeriodTransfer',
        amountWei: 10n ** 16n + 1n,
        periodS: 86_400,
        startS: NOW - 60,
      },
    ])
  })

  it('are read back as they were made', () => {
    const caps = { ...eth, startS: NOW - 60 }
    const { executor, router } = binding
    expect(readRoot(crypto, addresses, root)).toEqual({
      ...shared,
      kind: 'router',
      executor,
      router,
      eth: caps,
      hash: delegationHash(crypto, root),
    })
    expect(readRoot(crypto, addresses, curve)).toMatchObject({
      ...shared,
      kind: 'curve',
      executor,
      curves: [at('8'), at('9')],
      eth: caps,
    })
    expect(readRoot(crypto, addresses, { ...fee, signature: '0x11' })).toMatchObject({
      ...shared,
      kind: 'fee',
      recipient: binding.fee.recipient,
      eth: { dayWei: 10n ** 16n + 1n, startS: NOW - 60 },
    })
  })

  it('with controls repeat the wallet’s nonce, all of them', () => {
    const controlled = { ...request, binding: { ...binding, controls: {} }, nonce: 7n }
    const pair = curveRoots(addresses, { ...controlled, curves, launchpads: ['pit'] })
    for (const one of [sessionRoot(addresses, controlled), pair.curve, pair.fee]) {
      expect(caveatsOf(one).at(-1)).toEqual({ enforcer: 'Nonce', nonce: 7n })
      const read = readRoot(crypto, addresses, one)!
      expect(read.nonce).toBe(7n)
      expect(rootDiffs(read, controlled.binding, bindingHash)).toEqual([])
      expect(rootDiffs(read, binding, bindingHash)).toEqual(['nonce'])
    }
    expect(() => sessionRoot(addresses, { ...controlled, nonce: null })).toThrow('controls')
    expect(() => sessionRoot(addresses, { ...request, nonce: 7n })).toThrow('controls')
  })

  it('are not read when anything of them is another', () => {
    for (const one of [root, curve, fee]) {
      const { caveats } = one
      const others: Delegation[] = [
        { ...one, authority: delegationHash(crypto, one) },
        { ...one, caveats: [] },
        { ...one, caveats: caveats.slice(1) },
        { ...one, caveats: caveats.slice(0, -1) },
        { ...one, caveats: [...caveats, caveats[0]!] },
        { ...one, caveats: [...caveats].reverse() },
        ...caveats.map((_, i) => ({ ...one, caveats: caveats.filter((_, j) => j !== i) })),
        ...caveats.map((caveat, i) => ({
          ...one,
          caveats: caveats.with(i, { ...caveat, args: '0x01' as const }),
        })),
        ...caveats.map((caveat, i) => ({
          ...one,
          caveats: caveats.with(i, { ...caveat, enforcer: addresses.manager }),
        })),
        ...caveats.map((caveat, i) => ({
          ...one,
          caveats: caveats.with(i, { ...caveat, terms: `${caveat.terms}00` as Hex }),
        })),
      ]
      for (const other of others) expect(readRoot(crypto, addresses, other)).toBeUndefined()
    }
  })

  it('whatever the bytes, what is read builds the same bytes again', () => {
    const base = [root, curve, fee]
    fc.assert(
      fc.property(
        fc.nat(2),
        fc.nat(6),
        fc.nat(200),
        fc.integer({ min: 1, max: 15 }),
        (which, c, digit, flip) => {
          const one = base[which]!
          const caveat = one.caveats[c % one.caveats.length]!
          const i = 2 + (digit % Math.max(1, caveat.terms.length - 2))
          const other = (Number.parseInt(caveat.terms[i] ?? '0', 16) ^ flip).toString(16)
          const terms = (caveat.terms.slice(0, i) + other + caveat.terms.slice(i + 1)) as Hex
          const changed = { ...one, caveats: one.caveats.with(c % one.caveats.length, { ...caveat, terms }) }
          const read = readRoot(crypto, addresses, changed)
          if (read) expect(buildRoot(addresses, read)).toEqual(changed)
        },
      ),
      { numRuns: 2_000 * SHARE },
    )
  })

  it('are refused if a key could exceed them', () => {
    const bound = (change: Partial<RootRequest['binding']>) => () =>
      sessionRoot(addresses, { ...request, binding: { ...binding, ...change } })
    expect(bound({ router: binding.wallet })).toThrow('its own wallet')
    expect(bound({ router: addresses.manager })).toThrow('the manager')
    expect(bound({ executor: binding.wallet })).toThrow('executor')
    expect(bound({ executor: binding.cosigner })).toThrow('executor')
    expect(bound({ chain_id: 1 })).toThrow('another chain')
    for (const bad of [binding.wallet, addresses.manager])
      expect(() =>
        curveRoots(addresses, { ...request, curves: [at('8'), bad], launchpads: ['pit'] }),
      ).toThrow('escapes')
    expect(() => curveRoots(addresses, { ...request, curves: [], launchpads: ['pit'] })).toThrow(RangeError)
  })

  it('tell where they differ from a binding', () => {
    for (const one of [root, curve, fee]) {
      const read = readRoot(crypto, addresses, one)!
      expect(rootDiffs(read, binding, bindingHash)).toEqual([])
      expect(rootDiffs(read, { ...binding, tokens: [USDG, at('7')] }, bindingHash)).toEqual(['eth'])
      expect(rootDiffs(read, { ...binding, wallet: at('7') }, bindingHash)).toEqual(['wallet'])
      expect(rootDiffs(read, { ...binding, cosigner: at('7') }, `0x${'b'.repeat(64)}`)).toEqual([
        'cosigner',
        'salt',
      ])
      expect(rootDiffs(read, { ...binding, limits: { max_trades: 51 }, expires_at: 1 }, bindingHash)).toEqual(
        ['expires_at', 'max_trades'],
      )
    }
    const other = { ...binding, executor: at('7'), router: at('7'), fee: { recipient: at('7') } }
    expect(rootDiffs(rootOf('router', root), other, bindingHash)).toEqual(['executor', 'router'])
    expect(rootDiffs(rootOf('curve', curve), other, bindingHash)).toEqual(['executor'])
    expect(rootDiffs(rootOf('fee', fee), other, bindingHash)).toEqual(['fee_recipient'])
  })
})
