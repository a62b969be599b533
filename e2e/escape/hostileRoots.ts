import { type Delegation, delegationAddresses, encodeCaveat, signDelegation } from '@pit/chain'
import type { SessionBinding, SessionBindingV3 } from '@pit/protocol'
import { toWireDelegation } from '@pit/signer-wire'
import type { GrantChange, Granted, World } from './world.ts'

/** Registrations that would widen the owner's terms, or that the owner did not sign. */

const wire = ({ binding, root, curveRoots }: Pick<Granted, 'binding' | 'root' | 'curveRoots'>) => ({
  session_id: 'escape',
  binding,
  root: toWireDelegation(root),
  curve_roots: curveRoots.map(toWireDelegation),
})
/** Correctly signed by its owner; the content is wrong. */
const granted = (world: World, change: GrantChange) => wire(world.grant(change))
const nowS = (): number => Math.floor(Date.now() / 1000)
const stranger = ({ random }: World) => `0x${random.bytes(20).toString('hex')}` as const

function altered({ random }: World, { binding, root, curveRoots }: Granted) {
  const { limits } = binding
  const other = random.pick<Partial<SessionBinding>>([
    { limits: { ...limits, max_trade_micro_usd: limits.max_trade_micro_usd + 1 + random.below(1_000_000) } },
    { limits: { ...limits, max_day_micro_usd: limits.max_day_micro_usd - 1 - random.below(1_000_000) } },
    { limits: { ...limits, max_trades: 1 + random.below(9_999) } },
    { expires_at: binding.expires_at + 1 + random.below(1_000) },
    { tokens: binding.tokens.slice(1) as SessionBinding['tokens'] },
    { nonce: `0x${random.bytes(32).toString('hex')}` },
    { executor: `0x${random.bytes(20).toString('hex')}` },
  ])
  return wire({ binding: { ...binding, ...other } as SessionBinding, root, curveRoots })
}

/** One changed caveat, signed by an account that is not the owner. */
function resigned(world: World, grant: Granted, change: (root: Delegation) => Delegation) {
  const root = signDelegation(world.crypto, world.place, change(grant.root), world.keyOf())
  return wire({ ...grant, root })
}

export const hostileRoot: Record<string, (world: World, active: Granted) => unknown> = {
  'a root registered again': (_, active) => wire(active),
  'a binding changed under its root': (world) => altered(world, world.grant()),
  'an active session’s binding changed': altered,
  'a root signed by another account': (world) => granted(world, { signer: world.keyOf() }),
  'a root with a caveat missing'(world) {
    const at = world.random.below(7)
    return resigned(world, world.grant(), (root) => ({ ...root, caveats: root.caveats.toSpliced(at, 1) }))
  },
  'a root with a wider caveat'(world) {
    const wider = encodeCaveat(world.place, { enforcer: 'LimitedCalls', limit: 1_000_000 })
    return resigned(world, world.grant(), (root) => ({ ...root, caveats: root.caveats.with(4, wider) }))
  },
  'a root for another executor'(world) {
    const other = encodeCaveat(world.place, { enforcer: 'Redeemer', redeemers: [stranger(world)] })
    return resigned(world, world.grant(), (root) => ({ ...root, caveats: root.caveats.with(0, other) }))
  },
  'a root of another chain'(world) {
    const grant = world.grant()
    const on = { ...world.place, chainId: 1 + world.random.below(4_000) }
    const sign = (one: Delegation) => signDelegation(world.crypto, on, one, grant.walletKey)
    return wire({ ...grant, root: sign(grant.root), curveRoots: grant.curveRoots.map(sign) })
  },
  'a root of another manager'(world) {
    const grant = world.grant()
    const on = { ...delegationAddresses(world.profile), manager: stranger(world) }
    const sign = (one: Delegation) => signDelegation(world.crypto, on, one, grant.walletKey)
    return wire({ ...grant, root: sign(grant.root), curveRoots: grant.curveRoots.map(sign) })
  },
  'a binding of another chain': (world) =>
    wire({
      ...world.grant(),
      binding: { ...world.grant().binding, chain_id: 1 } as unknown as SessionBinding,
    }),
  'another co-signer': (world) => granted(world, { cosigner: stranger(world) }),
  'another router': (world) => granted(world, { router: stranger(world) }),
  'another fee recipient'(world) {
    const fee = { ...(world.grant().binding as { fee: object }).fee, recipient: stranger(world) }
    return granted(world, { fee } as GrantChange)
  },
  'a fee of zero'(world) {
    const fee = { ...(world.grant().binding as { fee: object }).fee, other_bps: 0, major_min_bps: 0 }
    return granted(world, { fee } as GrantChange)
  },
  'a session that lasts months': (world) =>
    granted(world, { expires_at: nowS() + 2_600_000 + world.random.below(10_000_000) }),
  'days with a feedless token': (world) =>
    granted(world, { expires_at: nowS() + 86_500 + world.random.below(1_000_000) }),
  'a feedless token without its mark'(world) {
    const { marks: _, ...binding } = world.grant().binding as SessionBinding & { marks?: unknown }
    const key = world.keyOf()
    const own = { ...binding, wallet: world.crypto.addressOf(key) } as SessionBinding
    return wire(world.signGrant(own, { walletKey: key, signer: key, curves: [] }))
  },
  'a mark in the place of a feed'(world) {
    const mark = { token: world.at.symbol('USDG'), decimals: 6, price_e18: '1' }
    const marks = [...world.marks, mark].sort((a, b) => (a.token < b.token ? -1 : 1))
    return granted(world, { marks })
  },
  'a mark of other decimals'(world) {
    const marks = world.marks.map((mark) => ({ ...mark, decimals: world.random.below(18) }))
    return granted(world, { marks })
  },
  'a mark far from its curve'(world) {
    const times = BigInt(world.random.pick([2, 10, 1_000]))
    const far = (mark: (typeof world.marks)[number]) => ({
      ...mark,
      price_e18: (BigInt(mark.price_e18) * times).toString(),
    })
    return granted(world, {
      marks: world.marks.map((mark) => (mark.token === world.curve.token ? far(mark) : mark)),
    })
  },
  'a binding of an older version'(world) {
    const { fee: _, risk: __, marks: ___, ...common } = world.grant().binding as SessionBindingV3
    const key = world.keyOf()
    const fee = { schedule: 1, recipient: world.at.feeRecipient, fee_bps: world.random.below(50) } as const
    const own = { ...common, version: 1, fee, wallet: world.crypto.addressOf(key) } as SessionBinding
    return wire(world.signGrant(own, { walletKey: key, signer: key, curves: [] }))
  },
  'limits over every range'(world) {
    const limits = world.random.pick([
      { max_trade_micro_usd: 1_000_000_001, max_day_micro_usd: 2_000_000_000, max_trades: 10 },
      { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 2_500_000_001, max_trades: 10 },
      { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 25_000_000, max_trades: 10_001 },
    ])
    return granted(world, { limits })
  },
  'curves the launchpad did not make': (world) =>
    granted(world, { curves: [world.curve.address, stranger(world)] }),
  'a curve whose token is not bound'(world) {
    const { curve } = world
    const tokens = [...world.tokens.keys()].filter((token) => token !== curve.token).sort()
    const marks = world.marks.filter(({ token }) => token !== curve.token)
    return granted(world, { tokens, marks })
  },
  'a session of the past': (world) =>
    granted(world, { expires_at: nowS() - 1 - world.random.below(100_000) }),
}
