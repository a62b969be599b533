import fc from 'fast-check'
import { numberToHex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { type Address, bytesToHex, type Hex } from '../bytes/hex.ts'
import { createCrypto } from '../crypto/createCrypto.ts'
import { delegationAddresses } from './addresses.ts'
import { decodeCaveat } from './caveats.ts'
import { describeCaveats } from './describe.ts'
import { delegationHash } from './hash.ts'
import { curveLeaf, feeLeaf, LEAF_TTL_S, leafId, payFee, readLeaf, sessionLeaf } from './leaf.ts'
import { buildRoot, readRoot, type SessionRoot } from './root.ts'
import { curveRoots, type RootRequest, rootDiffs, sessionRoot } from './sessionRoots.ts'
import { type Delegation, ENFORCERS } from './types.ts'

const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

vi.setConfig({ testTimeout: 60_000 })

const crypto = await createCrypto()
const addresses = delegationAddresses({
  chain_id: 4663,
  delegation: {
    delegation_manager: '0xdb9B1e94B5b69Df7e401DDbedE43491141047dB3',
    stateless_delegator: '0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B',
    enforcers: Object.fromEntries(
      ENFORCERS.map((name, i) => [`${name}Enforcer`, numberToHex(0xe0 + i, { size: 20 })]),
    ),
  },
})
const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const [ETH, USDG] = [at('0'), at('5')]
const NOW = 1_768_478_400
const binding: RootRequest['binding'] = {
  chain_id: 4663,
  wallet: at('1'),
  executor: at('2'),
  cosigner: at('3'),
  router: at('4'),
  tokens: [ETH, USDG],
  limits: { max_trades: 50 },
  expires_at: NOW + 86_400,
  fee: { recipient: at('6') },
}
const bindingHash: Hex = `0x0${'a'.repeat(63)}`
const eth = { dayWei: 10n ** 18n + 1n, tradeWei: 25n * 10n ** 16n }
const request: RootRequest = { binding, bindingHash, eth, nowS: NOW }
const curves = [at('9'), at('8')]

const rootOf = <Kind extends SessionRoot['kind']>(kind: Kind, delegation: Delegation) => {
  const root = readRoot(crypto, addresses, delegation)
  if (root?.kind !== kind) throw new Error(`read as ${root?.kind}`)
  return root as Extract<SessionRoot, { kind: Kind }>
}
const caveatsOf = ({ caveats }: Delegation) => caveats.map((caveat) => decodeCaveat(addresses, caveat))

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

describe('leaves', () => {
  const root = rootOf('router', sessionRoot(addresses, request))
  const roots = curveRoots(addresses, { ...request, curves, launchpads: ['pit'] })
  const [curve, fee] = [rootOf('curve', roots.curve), rootOf('fee', roots.fee)]
  const execution = { target: binding.router, valueWei: 5n, data: '0x3593564c11' as Hex }
  const leaf = sessionLeaf(addresses, { root, execution, sequence: 7, nowS: NOW })
  const buy = { target: at('8'), valueWei: 99n, data: '0x8945257c' as Hex }
  const trade = curveLeaf(addresses, {
    root: curve,
    feeRoot: fee,
    feeWei: 3n,
    execution: buy,
    sequence: 1,
    nowS: NOW,
  })
  const payment = [feeLeaf(crypto, addresses, { feeRoot: fee, leaf: trade, nowS: NOW }), roots.fee]

  it('are one call, for two minutes, once', () => {
    expect(leaf).toMatchObject({
      delegate: binding.executor,
      delegator: binding.cosigner,
      authority: root.hash,
    })
    expect(caveatsOf(leaf)).toEqual([
      { enforcer: 'ExactExecution', execution },
      { enforcer: 'Timestamp', afterS: 0, beforeS: NOW + 120 },
      { enforcer: 'Id', id: leafId(root.hash, 7) },
    ])
  })

  it('of curves also force their fee', () => {
    expect(caveatsOf(trade)[3]).toEqual({
      enforcer: 'NativeTokenPayment',
      recipient: binding.fee.recipient,
      amountWei: 3n,
    })
    expect(payment[0]!.delegate).toBe(addresses.enforcers.NativeTokenPayment)
    expect(caveatsOf(payment[0]!)[0]).toEqual({
      enforcer: 'ArgsEqualityCheck',
      delegationHash: delegationHash(crypto, trade),
      redeemer: binding.executor,
    })
    const paid = payFee(addresses, trade, payment)
    expect(delegationHash(crypto, paid)).toBe(delegationHash(crypto, trade))
    expect(paid.caveats[3]!.args).not.toBe('0x')
  })

  it('are read back as they were made', () => {
    const shared = { cosigner: binding.cosigner, expiresS: NOW + 120, executor: binding.executor }
    expect(readLeaf(addresses, leaf)).toEqual({
      ...shared,
      kind: 'router',
      rootHash: root.hash,
      execution,
      sequence: 7,
      payment: null,
    })
    const read = {
      ...shared,
      kind: 'curve',
      rootHash: curve.hash,
      execution: buy,
      sequence: 1,
      fee: { recipient: binding.fee.recipient, amountWei: 3n },
    }
    expect(readLeaf(addresses, trade)).toEqual({ ...read, payment: null })
    expect(readLeaf(addresses, payFee(addresses, trade, payment))).toEqual({ ...read, payment })
    expect(readLeaf(addresses, payment[0]!)).toEqual({
      ...shared,
      kind: 'fee',
      rootHash: fee.hash,
      paidFor: delegationHash(crypto, trade),
      payment: null,
    })
  })

  it('are not read when anything of them is another', () => {
    for (const one of [leaf, trade, payment[0]!]) {
      const { caveats } = one
      const others: Delegation[] = [
        { ...one, salt: 1n },
        { ...one, caveats: caveats.slice(1) },
        { ...one, caveats: [...caveats, caveats[0]!] },
        { ...one, caveats: [...caveats].reverse() },
        { ...one, caveats: caveats.with(0, { ...caveats[0]!, args: '0x01' }) },
        { ...one, caveats: caveats.with(-1, { ...caveats.at(-1)!, args: '0x01' }) },
      ]
      for (const other of others) expect(readLeaf(addresses, other)).toBeUndefined()
    }
    // The id is of its root.
    expect(readLeaf(addresses, { ...leaf, authority: curve.hash })).toBeUndefined()
    expect(readLeaf(addresses, { ...payment[0]!, delegate: binding.executor })).toBeUndefined()
    expect(readLeaf(addresses, sessionRoot(addresses, request))).toBeUndefined()
  })

  it('may end earlier, never later', () => {
    const until = (expiresS: number) =>
      sessionLeaf(addresses, { root, execution, sequence: 7, nowS: NOW, expiresS })
    expect(readLeaf(addresses, until(NOW + 30))?.expiresS).toBe(NOW + 30)
    expect(until(NOW + LEAF_TTL_S)).toEqual(leaf)
    expect(() => until(NOW + LEAF_TTL_S + 1)).toThrow('too long')
  })

  it('are made only for what their root allows', () => {
    const elsewhere = { ...execution, target: at('7') }
    expect(() => sessionLeaf(addresses, { root, execution: elsewhere, sequence: 1, nowS: NOW })).toThrow(
      'target',
    )
    expect(() =>
      curveLeaf(addresses, { root: curve, feeRoot: fee, feeWei: 1n, execution, sequence: 1, nowS: NOW }),
    ).toThrow('target')
  })

  it('of different roots never share an id', () => {
    expect(leafId(root.hash, 1)).not.toBe(leafId(curve.hash, 1))
    expect(leafId(root.hash, 2) - leafId(root.hash, 1)).toBe(1n)
    for (const bad of [-1, 0.5, 2 ** 32, Number.NaN]) expect(() => leafId(root.hash, bad)).toThrow(RangeError)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(), (hash, sequence) => {
        const id = leafId(bytesToHex(hash), sequence)
        expect(numberToHex(id, { size: 32 }).slice(0, 58)).toBe(bytesToHex(hash).slice(0, 58))
        expect(Number(id & 0xffffffffn)).toBe(sequence)
      }),
    )
  })
})

describe('caveats in words', () => {
  it('say what they bound', () => {
    const { curve, fee } = curveRoots(addresses, { ...request, curves, launchpads: ['pit'] })
    const feeRoot = rootOf('fee', fee)
    const execution = { target: at('8'), valueWei: 10n ** 17n, data: '0x8945257c' as Hex }
    const leaf = curveLeaf(addresses, {
      root: rootOf('curve', curve),
      feeRoot,
      feeWei: 1n,
      execution,
      sequence: 0,
      nowS: NOW,
    })
    const says = (one: Delegation) => describeCaveats(addresses, one.caveats).map((row) => row.says)
    expect(says(sessionRoot(addresses, request))).toEqual([
      `Only ${binding.executor} can use it.`,
      `It can call ${binding.router} and nothing else.`,
      'It can call execute(bytes,bytes[],uint256) and no other method.',
      'It ends at 2026-01-16T12:00:00Z.',
      'It works 50 times in all.',
      'At most 1.000000000000000001 ETH leave with its calls in each window of 86400 s, counted from ' +
        '2026-01-15T11:59:00Z.',
      'At most 0.25 ETH leave with one call.',
    ])
    expect(says(fee)[2]).toBe('It sends ETH and calls no method.')
    expect(says(leaf)[0]).toBe(`It allows one call only: ${at('8')} with 0.1 ETH and exactly this calldata.`)
    expect(says(leaf)[3]).toBe(
      `It works only when 0.000000000000000001 ETH are paid to ${binding.fee.recipient} with it.`,
    )
    expect(says(feeLeaf(crypto, addresses, { feeRoot, leaf, nowS: NOW }))[0]).toContain(binding.executor)
  })

  it('warn of what is not known', () => {
    const [row] = describeCaveats(addresses, [{ enforcer: at('d'), terms: '0x01', args: '0x' }])
    expect(row).toEqual({
      enforcer: undefined,
      address: at('d'),
      terms: '0x01',
      says: 'Not a caveat Pit uses: do not sign it.',
    })
  })
})
