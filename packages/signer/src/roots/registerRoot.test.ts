import {
  type Address,
  curveRoots,
  type Delegation,
  encodeCaveat,
  type Hex,
  NATIVE,
  signDelegation,
} from '@pit/chain'
import { type Rpc, RpcError } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { bindingHash, type PitError, SESSION, type SessionBinding } from '@pit/protocol'
import type { SignerCheck } from '@pit/signer-wire'
import { encodeFunctionResult, parseAbi, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  CAPS,
  CURVE,
  crypto,
  E18,
  ETH_PRICE,
  FEE_RECIPIENT,
  type Granted,
  grant,
  JUNK,
  JUNK_MARK,
  KEYS,
  keyOf,
  makeBinding,
  NOW_S,
  ownPrice,
  PARTNER,
  PINS,
  STRANGER,
  storedOf,
  USDG,
  WETH,
  WHO,
} from '../../test/kit.ts'
import type { Ledger } from '../ledger/openLedger.ts'
import type { RegisterOutcome } from '../ledger/types.ts'
import type { Pins } from '../pins.ts'
import type { OwnPrice } from '../prices/followPrices.ts'
import { type RegisterDeps, registerRoot } from './registerRoot.ts'

type Change = {
  isChainRead?: boolean
  own?: (token: Address) => OwnPrice
  isSanctioned?: (address: string) => boolean
  outcome?: RegisterOutcome
  frozen?: boolean
  hosted?: { owner: Address; closedAtMs: number | null }
  rpc?: Rpc
  exchanges?: Pins['exchanges']
}

const deps = (change: Change = {}): RegisterDeps => ({
  crypto,
  clock: { nowMs: () => NOW_S * 1000 },
  rpc: change.rpc ?? launchpad({ [CURVE]: JUNK }),
  pins: { ...PINS, exchanges: change.exchanges ?? PINS.exchanges },
  prices: {
    own: change.own ?? ownPrice,
    isChainRead: () => change.isChainRead ?? true,
    baseFeeWei: () => 1n,
    unpriced: () => 0,
    last: () => null,
    headS: () => NOW_S,
  },
  ledger: {
    isFrozen: async () => change.frozen ?? false,
    register: async () => change.outcome ?? 'registered',
    hostedExecutor: async () => change.hosted ?? null,
  } as unknown as Ledger,
  isSanctioned: change.isSanctioned ?? (() => false),
})

/** JUNK has 18 decimals, and its curve sells one for a tenth of a cent: 1 ETH for 2,500,000. */
const words = (...values: bigint[]): Hex =>
  `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`
const JUNK_STATE = { decimals: 18n, state: [E18, 2_500_000n * E18, 1n, 0n, 0n] }
const CHAIN_MEMORY = [PINS.addresses.enforcers.LimitedCalls, PINS.addresses.manager]
/** Responses of a launchpad that created these curves. */
function launchpad(
  curves: Record<Address, Address>,
  pair: Address = NATIVE,
  junk: typeof JUNK_STATE = JUNK_STATE,
): Rpc {
  const termsAbi = parseAbi([
    'struct Terms { address token; address pair; address creator; uint128 virtualPair; uint128 virtualToken; uint128 saleSupply; uint128 poolSupply; uint16 curveFeeBps; uint16 creatorTaxBps; uint16 snipeStartBps; uint16 snipeSeconds; uint48 launchedAt; uint8 poolVersion; }',
    'function terms() view returns (Terms terms)',
  ])
  const ownerAbi = parseAbi(['function curveOf(address token) view returns (address curve)'])
  return rpcOf(async (_, [call]) => {
    const { to, data } = call as { to: Address; data: Hex }
    if (data === '0x313ce567') return words(junk.decimals)
    if (CHAIN_MEMORY.includes(to)) return words(0n)
    if (data === toFunctionSelector('state()')) return words(...junk.state)
    if (to !== PINS.launchpads[0]!.factory) {
      const zeros = { virtualPair: 0n, virtualToken: 0n, saleSupply: 0n, poolSupply: 0n }
      const more = { curveFeeBps: 0, creatorTaxBps: 0, snipeStartBps: 0, snipeSeconds: 0, launchedAt: 0 }
      const result = { token: JUNK, pair, creator: STRANGER, ...zeros, ...more, poolVersion: 3 }
      return encodeFunctionResult({ abi: termsAbi, functionName: 'terms', result })
    }
    const token = `0x${data.slice(-40)}`
    const curve = Object.entries(curves).find(([, of]) => of === token)?.[0] ?? NATIVE
    return encodeFunctionResult({ abi: ownerAbi, functionName: 'curveOf', result: curve as Address })
  })
}

const ask = ({ binding, root, curveRoots: pair }: Granted) => ({
  sessionId: 's1',
  binding,
  root,
  curveRoots: pair,
})
async function refused(input: Granted | ReturnType<typeof ask>, change?: Change): Promise<string[]> {
  const request = 'sessionId' in input ? input : ask(input)
  try {
    await registerRoot(deps(change), request)
    return []
  } catch (error) {
    const { code, extras } = error as PitError
    const rules = (extras['signer_checks'] as SignerCheck[] | undefined)?.map(({ rule }) => rule) ?? [code]
    expect(rules[0]).toBe(code)
    return rules
  }
}
const signed = (delegation: Delegation, key: Hex = KEYS.wallet) =>
  signDelegation(crypto, PINS.addresses, delegation, key)

describe('a root its owner signed', () => {
  it('is registered by its hash', async () => {
    const granted = grant()
    expect(await registerRoot(deps(), ask(granted))).toBe(storedOf(granted).hash)
  })

  it.each([
    ['without ETH', makeBinding({ tokens: [USDG, PARTNER].sort() })],
    ['of thirty days', makeBinding({ expires_at: NOW_S + SESSION.expiresInSMax })],
    [
      'of a day with a token that has only a pool',
      makeBinding({ tokens: [NATIVE, PARTNER].sort(), expires_at: NOW_S + 86_400 }),
    ],
    ['with an owner’s mark', makeBinding({ tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK] })],
  ])('%s', async (_, binding) => expect(await refused(grant(binding))).toEqual([]))

  it('to a hosted executor of its owner', async () => {
    const hosted = { owner: WHO.wallet, closedAtMs: null }
    expect(await refused(grant(), { hosted })).toEqual([])
  })

  it('with curve roots', async () => {
    const binding = makeBinding({ tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK] })
    expect(await refused(grant(binding, { curves: [CURVE] }))).toEqual([])
  })
})

describe('a root is refused', () => {
  const good = makeBinding()
  const rows: [string, Granted | ReturnType<typeof ask>, Change, string[]][] = [
    ['while frozen', grant(), { frozen: true }, ['SIGNER_FROZEN']],
    ['for a sanctioned wallet', grant(), { isSanctioned: (a) => a === WHO.wallet }, ['SANCTIONED']],
    ['for a sanctioned executor', grant(), { isSanctioned: (a) => a === WHO.executor }, ['SANCTIONED']],
    [
      'with a nonce of no form',
      { ...ask(grant()), binding: { ...good, nonce: '0x01' } as never },
      {},
      ['BINDING_NONCE'],
    ],
    [
      'with a field beside',
      { ...ask(grant()), binding: { ...good, extra: 1 } as never },
      {},
      ['BINDING_TERMS'],
    ],
    ['with no binding', { ...ask(grant()), binding: null as never }, {}, ['BINDING_TERMS']],
    ['for another co-signer', grant(makeBinding({ cosigner: STRANGER })), {}, ['BINDING_TERMS']],
    ['for another router', grant(makeBinding({ router: STRANGER })), {}, ['BINDING_TERMS']],
    [
      'with another fee recipient',
      grant(makeBinding({ fee: { ...good.fee, recipient: STRANGER } })),
      {},
      ['BINDING_TERMS'],
    ],
    ['with a lower fee', grant(makeBinding({ fee: { ...good.fee, other_bps: 0 } })), {}, ['BINDING_TERMS']],
    ['that lasts too long', grant(makeBinding({ expires_at: NOW_S + 2_592_031 })), {}, ['BINDING_TERMS']],
    [
      'without the mark of a feedless token',
      grant(makeBinding({ tokens: [NATIVE, JUNK].sort() })),
      {},
      ['BINDING_TERMS'],
    ],
    [
      'with a mark of a token that has a feed',
      grant(makeBinding({ marks: [{ ...JUNK_MARK, token: USDG }] })),
      {},
      ['BINDING_TERMS'],
    ],
    ['that has ended', grant(makeBinding({ expires_at: NOW_S })), {}, ['SESSION_EXPIRED']],
    [
      'over a day with a token that has only a pool',
      grant(makeBinding({ tokens: [NATIVE, PARTNER].sort(), expires_at: NOW_S + 86_431 })),
      {},
      ['NO_FEED_SESSION'],
    ],
    ['when the chain is silent', grant(), { isChainRead: false }, ['CHAIN_UNAVAILABLE']],
    [
      'without a price of ETH',
      grant(),
      { own: () => ({ kind: 'none', why: 'stale' }) },
      ['PRICE_UNAVAILABLE'],
    ],
    ['signed by another key', grant(good, { signer: keyOf('mallory') }), {}, ['BAD_SIGNATURE']],
    ['registered before', grant(), { outcome: 'reused' }, ['ROOT_REUSED']],
    ['revoked before it came', grant(), { outcome: 'revoked' }, ['SESSION_REVOKED']],
    ['with a nonce used before', grant(), { outcome: 'nonce used' }, ['BINDING_NONCE']],
    ['when frozen meanwhile', grant(), { outcome: 'frozen' }, ['SIGNER_FROZEN']],
    [
      'to a hosted executor of another wallet',
      grant(),
      { hosted: { owner: STRANGER, closedAtMs: null } },
      ['EXECUTOR_OWNER'],
    ],
    [
      'to a hosted executor that is closed',
      grant(),
      { hosted: { owner: WHO.wallet, closedAtMs: 1 } },
      ['EXECUTOR_CLOSED'],
    ],
    ['to an executor closed meanwhile', grant(), { outcome: 'closed' }, ['EXECUTOR_CLOSED']],
  ]
  it.each(rows)('%s', async (_, given, change, rules) => expect(await refused(given, change)).toEqual(rules))

  it('when its salt is not the hash of the limits it comes with', async () => {
    const { root, curveRoots: pair } = grant(good)
    const limits: [string, SessionBinding][] = [
      ['trade', { ...good, limits: { ...good.limits, max_trade_micro_usd: 26_000_000 } }],
      ['day', { ...good, limits: { ...good.limits, max_day_micro_usd: 101_000_000 } }],
      ['trades', { ...good, limits: { ...good.limits, max_trades: 51 } }],
      ['end', { ...good, expires_at: good.expires_at + 1 }],
      ['tokens', { ...good, tokens: [NATIVE, WETH, USDG].sort() }],
      ['executor', { ...good, executor: STRANGER }],
      ['shield', { ...good, risk: { ...good.risk, shield: true } }],
    ]
    for (const [what, binding] of limits) {
      expect({ [what]: await refused({ binding, root, curveRoots: pair }) }).toEqual({
        [what]: ['ROOT_BINDS_LIMITS'],
      })
    }
    const stranger = { ...good, wallet: STRANGER }
    expect(await refused({ binding: stranger, root, curveRoots: pair })).toEqual([
      'ROOT_BINDS_LIMITS',
      'BAD_SIGNATURE',
    ])
  })

  it('when a caveat is missing, doubled, widened or in another order, however well it is signed', async () => {
    const { root } = grant(good)
    const { addresses } = PINS
    const wider = encodeCaveat(addresses, { enforcer: 'LimitedCalls', limit: 51 })
    const changes: Record<string, Delegation> = {
      double: { ...root, caveats: [...root.caveats, root.caveats[0]!] },
      order: { ...root, caveats: [...root.caveats].reverse() },
      wider: { ...root, caveats: root.caveats.with(4, wider) },
      args: { ...root, caveats: root.caveats.with(0, { ...root.caveats[0]!, args: '0x00' }) },
      delegate: { ...root, delegate: WHO.executor },
      authority: { ...root, authority: `0x${'0'.repeat(64)}` },
      salt: { ...root, salt: root.salt ^ 1n },
    }
    root.caveats.forEach((_, i) => {
      // The sixth is the day's cap, which has its own rule.
      if (i !== 5) changes[`without ${i}`] = { ...root, caveats: root.caveats.toSpliced(i, 1) }
    })
    for (const [what, changed] of Object.entries(changes)) {
      const rules = await refused({ binding: good, root: signed(changed), curveRoots: [] })
      expect({ [what]: rules }).toEqual({ [what]: ['ROOT_BINDS_LIMITS'] })
    }
    const capless = signed({ ...root, caveats: root.caveats.toSpliced(5, 1) })
    expect(await refused({ binding: good, root: capless, curveRoots: [] })).toEqual([
      'ROOT_DAY_CAP',
      'ROOT_BINDS_LIMITS',
    ])
  })

  it('when its caps in ETH are far from its dollars', async () => {
    const scaled = (bps: bigint) => ({
      dayWei: (CAPS.dayWei * bps) / 10_000n,
      tradeWei: (CAPS.tradeWei * bps) / 10_000n,
    })
    expect(await refused(grant(makeBinding(), { caps: scaled(11_000n) }))).toEqual([])
    expect(await refused(grant(makeBinding(), { caps: scaled(9_000n) }))).toEqual([])
    expect(await refused(grant(makeBinding(), { caps: scaled(11_001n) }))).toEqual(['CAP_PRICE'])
    expect(await refused(grant(makeBinding(), { caps: scaled(8_999n) }))).toEqual(['CAP_PRICE'])
    const dear = (token: Address): OwnPrice =>
      token === NATIVE ? { kind: 'fresh', priceE18: 2n * ETH_PRICE, by: 'feed' } : ownPrice(token)
    expect(await refused(grant(), { own: dear })).toEqual(['CAP_PRICE'])
    expect(await refused(grant(makeBinding(), { caps: { ...CAPS, dayWei: E18 } }))).toEqual(['CAP_PRICE'])
  })

  it('of an older version, which only stored roots may have', async () => {
    const { fee: _, risk: __, ...common } = makeBinding()
    const fee = { schedule: 1, recipient: FEE_RECIPIENT, fee_bps: 30 } as const
    expect(await refused(grant({ ...common, version: 1, fee }))).toEqual(['BINDING_TERMS'])
    const risk = { accept_risks: [], shield: true }
    const second = grant({ ...common, version: 2, fee, risk, unverified_tokens: [] })
    expect(await refused(second)).toEqual(['BINDING_TERMS'])
  })

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
      const asks = (weiPerMillion: bigint): Change => at({ state: [weiPerMillion, 10n ** 24n, 1n, 0n, 0n] })
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
      const pays = (cents: bigint): Change => ({
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

  it('when its first window lies ahead', async () => {
    expect(await refused(grant(makeBinding(), { nowS: NOW_S + 91 }))).toEqual(['ROOT_BINDS_LIMITS'])
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
