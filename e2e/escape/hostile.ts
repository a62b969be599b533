import { randomBytes } from 'node:crypto'
import { type Address, type Execution, type Hex, NATIVE } from '@pit/chain'
import { encodeCurveTrade, encodeSwap } from '@pit/plans'
import { feeOf, type LaunchpadKind } from '@pit/protocol'
import { CALL_HEADERS } from '@pit/signer-wire'
import { deadline, type Honest, honestCurve, honestSwap } from './honest.ts'
import { HOSTILE_CALLS } from './hostileCalls.ts'
import { HOSTILE_EXECUTORS, type Hosted } from './hostileExecutors.ts'
import { hostileRoot } from './hostileRoots.ts'
import { type Intent, leafIntent } from './intent.ts'
import { flipBit } from './mutate.ts'
import type { Granted, World } from './world.ts'

/** Sessions in every state in which a trade must be refused. */
export interface Sessions {
  active: Granted
  /** Only ETH and USDG, with small caps. */
  narrow: Granted
  expired: Granted
  revoked: Granted
  /** Signed by its owner but not registered with the signer. */
  unregistered: Granted
  /** Its only trade is used. */
  usedUp: Granted
  /** All but five dollars of its daily cap are spent. */
  spent: Granted
  hosted: Hosted
}

type Make = (world: World, sessions: Sessions) => Intent | undefined | Promise<Intent | undefined>

const bodyOf = (honest: Honest) => ({
  rootHash: honest.session.rootHash,
  execution: honest.execution,
  ...(honest.kind === 'curve' && { curveFeeWei: honest.feeWei }),
})
export const honestIntent = (honest: Honest): Intent =>
  leafIntent(`honest ${honest.kind} trade`, bodyOf(honest))

/** An honest trade, requested under another session. */
const under = (kind: string, session: Granted, honest: Honest, more: object = {}): Intent =>
  leafIntent(kind, { ...bodyOf(honest), rootHash: session.rootHash }, more)

/** ETH for USDG of this size in micro-dollars, otherwise honest. */
export function plainSwap(world: World, session: Granted, microUsd: number): Honest {
  const { at, tokens } = world
  const amountIn = world.weiOf(microUsd)
  const [tokenIn, tokenOut] = [tokens.get(NATIVE)!, tokens.get(at.symbol('USDG'))!]
  const hop = { version: 'v3', tokenIn: at.weth, tokenOut: tokenOut.address, feePips: 500 } as const
  const path = {
    tokenIn: NATIVE,
    tokenOut: tokenOut.address,
    amountIn,
    legs: [{ hops: [hop], amountIn: amountIn - feeOf(amountIn, 25) }],
    amountOutMin: BigInt(Math.floor(microUsd * 0.98)),
    direct: true,
    fee: { bps: 25, side: 'input', recipient: at.feeRecipient },
    deadlineS: deadline(),
    weth: at.weth,
  } as const
  const { data, valueWei } = encodeSwap(path)
  return {
    kind: 'router',
    session,
    path,
    tokenIn,
    tokenOut,
    bps: 25,
    execution: { target: at.router, valueWei, data },
  }
}

/** Number of leaves of the active session that can be replayed. */
export const FIRST_OF_ACTIVE = 3

/** The owner's own first trades use the sessions up. */
export const firstTrades = (world: World, { active, usedUp, spent }: Sessions): Intent[] => [
  ...Array.from({ length: FIRST_OF_ACTIVE }, () => honestIntent(honestSwap(world, active))),
  honestIntent(plainSwap(world, usedUp, 10_000_000)),
  honestIntent(plainSwap(world, spent, 195_000_000)),
]

function curveCall(
  world: World,
  { active }: Sessions,
  change: {
    recipient?: Address
    target?: Address
    minimum?: bigint
    value?: bigint
    fee?: (wei: bigint) => bigint
    launchpad?: LaunchpadKind
  },
) {
  const wei = world.weiOf(20_000_000)
  const feeWei = change.fee?.(wei) ?? feeOf(wei, 50)
  const amountIn = wei - feeOf(wei, 50)
  const atoms = (20n * 10n ** 36n) / world.tokens.get(world.curve.token)!.priceE18
  const data = encodeCurveTrade({
    launchpad: change.launchpad ?? 'pit',
    side: 'buy',
    amountIn,
    amountOutMin: change.minimum ?? (atoms * 98n) / 100n,
    recipient: change.recipient ?? active.binding.wallet,
    deadlineS: deadline(),
  })
  const execution: Execution = {
    target: change.target ?? world.curve.address,
    valueWei: change.value ?? amountIn,
    data,
  }
  return { rootHash: active.rootHash, execution, curveFeeWei: feeWei }
}
const stranger = ({ random }: World): Address => `0x${random.bytes(20).toString('hex')}`

const OTHERS: Record<string, Make> = {
  'one bit of the call': (world, { active }) => {
    const honest = honestSwap(world, active)
    const execution = flipBit(world, honest)
    return execution && leafIntent('one bit of the call', { rootHash: active.rootHash, execution })
  },
  'a session that ended': (world, s) => under('a session that ended', s.expired, honestSwap(world, s.active)),
  'a session that was revoked': (world, s) =>
    under('a session that was revoked', s.revoked, honestSwap(world, s.active)),
  'an unregistered root': (world, s) =>
    under('an unregistered root', s.unregistered, honestSwap(world, s.active)),
  'a root at random': (world, { active }) => {
    const rootHash: Hex = `0x${world.random.bytes(32).toString('hex')}`
    return leafIntent('a root at random', { ...bodyOf(honestSwap(world, active)), rootHash })
  },
  'a session whose trades are used up': (world, s) =>
    under('a session whose trades are used up', s.usedUp, plainSwap(world, s.usedUp, 5_000_000)),
  'a session whose day is spent': (world, s) => {
    const microUsd = 5_200_000 + world.random.below(180_000_000)
    return under('a session whose day is spent', s.spent, plainSwap(world, s.spent, microUsd))
  },
  'a narrow session’s tokens': (world, s) => {
    const honest = honestSwap(world, s.active)
    const ends = [honest.path.tokenIn, honest.path.tokenOut]
    if (ends.every((token) => (s.narrow.binding.tokens as Address[]).includes(token))) return undefined
    return under('a narrow session’s tokens', s.narrow, honest)
  },
  'a narrow session’s caps': (world, s) => {
    const microUsd = 5_050_000 + world.random.below(100_000_000)
    return under('a narrow session’s caps', s.narrow, plainSwap(world, s.narrow, microUsd))
  },
  'a curve of another session': (world, s) =>
    under('a curve of another session', s.narrow, honestCurve(world, s.active)),
  'a leaf replayed by its number': (world, { active }) => {
    const sequence = world.random.below(FIRST_OF_ACTIVE + 1)
    return leafIntent('a leaf replayed by its number', bodyOf(honestSwap(world, active)), { sequence })
  },
  'a leaf ahead of its turn': (world, { active }) => {
    const sequence = 1_000_000 + world.random.below(1_000_000)
    return leafIntent('a leaf ahead of its turn', bodyOf(honestSwap(world, active)), { sequence })
  },
  'a declared fee not allowed': (world, { active }) => {
    const more = { fee_bps: world.random.pick([0, 1, 24, 26, 49, 51, 100, 10_000]) }
    return leafIntent('a declared fee not allowed', bodyOf(honestSwap(world, active)), more)
  },
  'declared slippage over the maximum': (world, { active }) => {
    const more = { slippage_bps: 1_001 + world.random.below(8_999) }
    return leafIntent('declared slippage over the maximum', bodyOf(honestSwap(world, active)), more)
  },
  'a field beside': (world, { active }) => {
    const more = world.random.pick([
      { price: '1' },
      { executor: stranger(world) },
      { binding: active.binding },
      { force: true },
    ])
    return leafIntent('a field beside', bodyOf(honestSwap(world, active)), more)
  },
  'a curve’s fee on a router call': (world, { active }) =>
    leafIntent('a curve’s fee on a router call', { ...bodyOf(honestSwap(world, active)), curveFeeWei: 1n }),
  'a curve trade for another recipient': (world, s) =>
    leafIntent('a curve trade for another recipient', curveCall(world, s, { recipient: stranger(world) })),
  'an address that is not a curve': (world, s) =>
    leafIntent('an address that is not a curve', curveCall(world, s, { target: stranger(world) })),
  'a curve trade at any price': (world, s) =>
    leafIntent(
      'a curve trade at any price',
      curveCall(world, s, { minimum: BigInt(1 + world.random.below(1_000)) }),
    ),
  'a curve trade encoded for another launchpad': (world, s) =>
    leafIntent('a curve trade encoded for another launchpad', curveCall(world, s, { launchpad: 'pons' })),
  'a curve trade with other value': (world, s) =>
    leafIntent(
      'a curve trade with other value',
      curveCall(world, s, { value: BigInt(world.random.below(2 ** 40)) }),
    ),
  'a curve trade with another fee': (world, s) => {
    const fee = (wei: bigint) => (wei * BigInt(world.random.pick([0, 1, 25, 49, 51, 100, 9_000]))) / 10_000n
    return leafIntent('a curve trade with another fee', curveCall(world, s, { fee }))
  },
  'a curve trade without its fee': (world, s) => {
    const { curveFeeWei: _, ...params } = curveCall(world, s, {})
    return leafIntent('a curve trade without its fee', params)
  },
  'a curve call cut or longer': (world, s) => {
    const request = curveCall(world, s, {})
    const { data } = request.execution
    const other = world.random.chance(0.5) ? data.slice(0, -2) : `${data}00`
    return leafIntent('a curve call cut or longer', {
      ...request,
      execution: { ...request.execution, data: other as Hex },
    })
  },
  'another secret': (world, { active }) => ({
    ...honestIntent(honestSwap(world, active)),
    kind: 'another secret',
    secret: randomBytes(32).toString('hex'),
  }),
  'a call not signed': (world, { active }) => ({
    ...honestIntent(honestSwap(world, active)),
    kind: 'a call not signed',
    headers: () => ({ 'content-type': 'application/json' }),
  }),
  'a call of another time': (world, { active }) => ({
    ...honestIntent(honestSwap(world, active)),
    kind: 'a call of another time',
    headers: (signed) => ({ ...signed, [CALL_HEADERS.time]: String(Date.now() - 60_000) }),
  }),
  'a call with another nonce': (world, { active }) => ({
    ...honestIntent(honestSwap(world, active)),
    kind: 'a call with another nonce',
    headers: (signed) => ({ ...signed, [CALL_HEADERS.nonce]: randomBytes(16).toString('hex') }),
  }),
}

/** Every kind of hostile intent there is. */
export const HOSTILE_KINDS: Record<string, Make> = {
  ...Object.fromEntries(
    Object.entries(HOSTILE_CALLS).map(([kind, make]): [string, Make] => [
      kind,
      async (world, { active }) => {
        const execution = await make(world, honestSwap(world, active))
        return execution && leafIntent(kind, { rootHash: active.rootHash, execution })
      },
    ]),
  ),
  ...OTHERS,
  ...Object.fromEntries(
    Object.entries(hostileRoot).map(([kind, make]): [string, Make] => [
      kind,
      (world, { active }) => ({ kind, path: '/roots', body: make(world, active) }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(HOSTILE_EXECUTORS).map(([kind, make]): [string, Make] => [
      kind,
      (world, { hosted }) => make(world, hosted),
    ]),
  ),
}
