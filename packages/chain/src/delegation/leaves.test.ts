import fc from 'fast-check'
import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  addresses,
  at,
  binding,
  caveatsOf,
  crypto,
  curves,
  NOW,
  request,
  rootOf,
} from '../../test/sessionRequest.ts'
import { bytesToHex, type Hex } from '../bytes/hex.ts'
import { describeCaveats } from './describe.ts'
import { delegationHash } from './hash.ts'
import { curveLeaf, feeLeaf, LEAF_TTL_S, leafId, payFee, readLeaf, sessionLeaf } from './leaf.ts'
import { curveRoots, sessionRoot } from './sessionRoots.ts'
import type { Delegation } from './types.ts'

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
