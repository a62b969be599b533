import { type Address, curveRoots, type Delegation, type Hex, NATIVE } from '@pit/chain'
import { RpcError } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { bindingHash } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import {
  CAPS,
  CURVE,
  crypto,
  E18,
  grant,
  JUNK,
  JUNK_MARK,
  keyOf,
  makeBinding,
  NOW_S,
  PINS,
  STRANGER,
  USDG,
} from '../../test/kit.ts'
import {
  CHAIN_MEMORY,
  JUNK_STATE,
  launchpad,
  type RootChange,
  refused,
  signed,
  words,
} from '../../test/rootKit.ts'

describe('a root is refused', () => {
  describe('for a mark its owner signs', () => {
    const binding = makeBinding({ tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK] })
    const at = (junk: Partial<typeof JUNK_STATE>) => ({
      rpc: launchpad({ [CURVE]: JUNK }, NATIVE, { ...JUNK_STATE, ...junk }),
    })

    it('with other decimals than the token has, or of a contract that is not a token', async () => {
      expect(await refused(grant(binding), at({ decimals: 6n }))).toEqual(['BINDING_TERMS'])
      const reverts = new RpcError('eth_call', 3, 'reverted', '0x')
      const rpc = rpcOf(() => Promise.reject(reverts))
      expect(await refused(grant(binding), { rpc })).toEqual(['BINDING_TERMS'])
    })

    it('far from the price of the session’s curve, unless the curve no longer sells', async () => {
      const granted = grant(binding, { curves: [CURVE] })
      const asks = (weiPerMillion: bigint): RootChange =>
        at({ state: [weiPerMillion, 10n ** 24n, 1n, 0n, 0n] })
      expect(await refused(granted, asks((E18 * 4n) / 10n))).toEqual([])
      expect(await refused(granted, asks((E18 * 4n) / 8n))).toEqual([])
      expect(await refused(granted, asks((E18 * 4n) / 7n))).toEqual(['CAP_PRICE'])
      expect(await refused(granted, asks((E18 * 4n) / 13n))).toEqual(['CAP_PRICE'])
      const sold = at({ state: [1n, 10n ** 24n, 0n, 0n, 1n] })
      expect(await refused(granted, sold)).toEqual([])
    })

    it('far below the token’s price in a pool', async () => {
      const exchanges = { v2Factory: null, v3Quoter: STRANGER, v4Quoter: null }
      /** For ten dollars at the mark, in cents of USDG; nothing in ETH. */
      const pays = (cents: bigint): RootChange => ({
        exchanges,
        rpc: rpcOf(async (_, [call]) => {
          const { to, data } = call as { to: Address; data: Hex }
          if (CHAIN_MEMORY.includes(to)) return words(0n)
          if (to !== STRANGER) return words(18n)
          return words(data.includes(USDG.slice(2)) ? cents * 10_000n : 0n, 0n, 0n, 0n)
        }),
      })
      for (const cents of [0n, 900n, 1_250n]) expect(await refused(grant(binding), pays(cents))).toEqual([])
      expect(await refused(grant(binding), pays(1_251n))).toEqual(['CAP_PRICE'])
    })

    it('that the chain does not answer for', async () => {
      const rpc = rpcOf(() => Promise.reject(new Error('silent')))
      expect(await refused(grant(binding), { rpc })).toEqual(['CHAIN_UNAVAILABLE'])
    })
  })

  describe('for its curves', () => {
    const binding = makeBinding({ tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK] })
    const granted = grant(binding, { curves: [CURVE] })

    it('that the launchpad did not create', async () => {
      expect(await refused(grant(binding, { curves: [STRANGER] }))).toEqual(['ROOT_BINDS_LIMITS'])
      expect(await refused(grant(binding, { curves: [CURVE, STRANGER] }))).toEqual(['ROOT_BINDS_LIMITS'])
      expect(await refused(granted, { rpc: launchpad({}) })).toEqual(['ROOT_BINDS_LIMITS'])
    })

    it('with methods that none of them has', async () => {
      const both = grant(binding, { curves: [CURVE], launchpads: ['pit', 'pons'] })
      expect(await refused(both)).toEqual(['ROOT_BINDS_LIMITS'])
      expect(await refused(grant(binding, { curves: [CURVE], launchpads: ['pons'] }))).toEqual([
        'ROOT_BINDS_LIMITS',
      ])
    })

    it('that trade against something else, or a token outside', async () => {
      expect(await refused(granted, { rpc: launchpad({ [CURVE]: JUNK }, USDG) })).toEqual([
        'ROOT_BINDS_LIMITS',
      ])
      const outside = grant(makeBinding({ tokens: [NATIVE, USDG] }), { curves: [CURVE] })
      expect(await refused(outside)).toEqual(['ROOT_BINDS_LIMITS'])
    })

    it('that the chain does not answer for', async () => {
      const rpc = rpcOf(() => Promise.reject(new Error('silent')))
      expect(await refused(granted, { rpc })).toEqual(['CHAIN_UNAVAILABLE'])
    })

    it('with roots that are not the binding’s, alone, or signed by another', async () => {
      const [curve, fee] = granted.curveRoots as [Delegation, Delegation]
      const other = { binding, bindingHash: bindingHash(crypto.keccakText, binding), nowS: NOW_S }
      const wide = curveRoots(PINS.addresses, {
        ...other,
        eth: { ...CAPS, dayWei: 2n * CAPS.dayWei },
        curves: [CURVE],
        launchpads: ['pit'],
      })
      expect(await refused({ ...granted, curveRoots: [curve] })).toEqual(['ROOT_BINDS_LIMITS'])
      expect(await refused({ ...granted, curveRoots: [fee, curve] })).toEqual([])
      expect(await refused({ ...granted, curveRoots: [curve, curve] })).toEqual(['ROOT_BINDS_LIMITS'])
      expect(await refused({ ...granted, curveRoots: [signed(wide.curve), fee] })).toEqual([
        'ROOT_BINDS_LIMITS',
      ])
      expect(await refused({ ...granted, curveRoots: [curve, signed(wide.fee)] })).toEqual([
        'ROOT_BINDS_LIMITS',
      ])
      const forged = [curve, signed(fee, keyOf('mallory'))]
      expect(await refused({ ...granted, curveRoots: forged })).toEqual(['BAD_SIGNATURE'])
    })
  })
})
