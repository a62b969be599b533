import { launchpadOf } from '@pit/chain'
import type { Chain, Hex } from '../engine/types.ts'
import type { Wish } from './crowd.ts'
import { call, type ReadCall, readMany, word } from './multicall.ts'
import { poolReads, stateOfPool } from './pools.ts'
import type { MarketAccount, MarketTx } from './sender.ts'
import { approveTx, curveTx, routerApprovals, swapTx } from './swapTx.ts'
import { type MarketWorld, NATIVE } from './types.ts'

/** A wish as calls of one account. */
export interface CrowdOrder {
  account: MarketAccount
  txs: MarketTx[]
}

/** Maximum of the money side in one trade, whatever the depth. */
const MAX_ETH = 2n * 10n ** 18n
const MAX_USDG = 5_000n * 10n ** 6n
/** ETH an account reserves for gas. */
const GAS_RESERVE = 10n ** 18n
const NO_CAP = 1n << 120n

interface Side {
  token: Hex
  depth: bigint
  /** The account's spendable amount. */
  funds: bigint
  approved: boolean
}

const part = (depth: bigint, fraction: number) =>
  (depth * BigInt(Math.round(fraction * 1e9))) / 1_000_000_000n

function least(first: bigint, ...rest: bigint[]): bigint {
  let low = first
  for (const value of rest) if (value < low) low = value
  return low
}

/** Reads everything about the wishes' venues and accounts in one call. */
export async function crowdOrders(
  chain: Chain,
  world: MarketWorld,
  accounts: MarketAccount[],
  wishes: Wish[],
): Promise<CrowdOrder[]> {
  const plans = wishes.flatMap((wish) => {
    const account = accounts[wish.account]
    return account ? [planOf(world, wish, account)] : []
  })
  const answers = await readMany(
    chain,
    world.contracts.multicall3,
    plans.flatMap((plan) => plan.reads),
  )
  let at = 0
  return plans.flatMap(({ reads, account, build }) => {
    const txs = build(answers.slice(at, at + reads.length))
    at += reads.length
    return txs.length > 0 ? [{ account, txs }] : []
  })
}

interface Plan {
  account: MarketAccount
  reads: ReadCall[]
  build(answers: (Hex | undefined)[]): MarketTx[]
}

const planOf = (world: MarketWorld, wish: Wish, account: MarketAccount): Plan =>
  wish.venue.kind === 'pool' ? planPool(world, wish, account) : planCurve(world, wish, account)

function planPool(world: MarketWorld, wish: Wish, account: MarketAccount): Plan {
  if (wish.venue.kind !== 'pool') throw new TypeError('not a pool')
  const { pool, base } = wish.venue
  const wraps = pool.version === 4 ? 'as it is' : 'wraps'
  const tokens = [moneyOf(world, pool.currency0, wraps), moneyOf(world, pool.currency1, wraps)] as const
  const reads = [
    ...poolReads(pool, world.contracts.v4StateView),
    ...tokens.flatMap((token) => fundsReads(world, account, token, 'router')),
  ]
  return {
    account,
    reads,
    build(answers) {
      const state = stateOfPool(pool, answers[0], answers[1])
      if (!state) return []
      const sides = tokens.map(
        (token, i): Side => ({
          token,
          depth: i === 0 ? state.depth0 : state.depth1,
          ...fundsOf(token, answers.slice(2 + 3 * i, 5 + 3 * i)),
        }),
      ) as [Side, Side]
      const [money, other] = base === 0 ? [sides[0], sides[1]] : [sides[1], sides[0]]
      const chosen = choose(world, wish, money, other)
      if (!chosen) return []
      const zeroForOne = chosen.side === sides[0]
      const approvals = chosen.side.approved ? [] : routerApprovals(world, chosen.side.token)
      return [...approvals, swapTx(world, { pool, zeroForOne, amountIn: chosen.amountIn })]
    },
  }
}

function planCurve(world: MarketWorld, wish: Wish, account: MarketAccount): Plan {
  if (wish.venue.kind !== 'curve') throw new TypeError('not a curve')
  const { curve } = wish.venue
  const { reserveCalls, reservesIn } = launchpadOf(curve.launchpad)
  const state = reserveCalls.map((data) => ({ target: curve.address, data }))
  // The amount for sale is a state word of the first launchpad, and a call of the second.
  const left = curve.launchpad === 'pit' ? 'curveState' : 'sellableTokens'
  const reads = [
    ...state,
    call(curve.address, left),
    ...fundsReads(world, account, curve.pair, curve.address),
    ...fundsReads(world, account, curve.token, curve.address),
  ]
  return {
    account,
    reads,
    build(answers) {
      const own = answers.slice(0, state.length)
      const reserves = own.includes(undefined) ? null : reservesIn(own as Hex[])
      if (!reserves) return []
      const { x, y } = reserves
      const sellable = word(answers[state.length], curve.launchpad === 'pit' ? 2 : 0)
      const funds = answers.slice(state.length + 1)
      const money: Side = { token: curve.pair, depth: x, ...fundsOf(curve.pair, funds.slice(0, 3)) }
      const other: Side = {
        token: curve.token,
        depth: y,
        ...fundsOf(curve.token, funds.slice(3, 6)),
      }
      const chosen = choose(world, wish, money, other)
      if (!chosen) return []
      const side = chosen.side === money ? 'buy' : 'sell'
      // The last tokens for sale cost at most this; a buy near it opens a pool too.
      const effort =
        side === 'buy' && ((y * chosen.amountIn) / (x + chosen.amountIn)) * 2n >= sellable
          ? 'graduating'
          : 'usual'
      const approvals = chosen.side.approved ? [] : [approveTx(chosen.side.token, curve.address)]
      return [...approvals, curveTx(curve, side, chosen.amountIn, account.address, effort)]
    },
  }
}

/** Sells the holding; an account without one buys. */
function choose(
  world: MarketWorld,
  wish: Wish,
  money: Side,
  other: Side,
): { side: Side; amountIn: bigint } | undefined {
  const sellable = least(part(other.depth, wish.fraction), other.funds)
  const sells = wish.side === 'sell' && sellable * 10n >= part(other.depth, wish.fraction) && sellable > 0n
  if (sells) return { side: other, amountIn: least(sellable, capOf(world, other.token)) }
  const amountIn = least(part(money.depth, wish.fraction), money.funds / 4n, capOf(world, money.token))
  return amountIn > 0n ? { side: money, amountIn } : undefined
}

/** If the router wraps and unwraps, WETH is paid and received as ETH; a v4 pool of WETH needs WETH itself. */
function moneyOf(world: MarketWorld, token: Hex, wraps: 'wraps' | 'as it is'): Hex {
  const isWeth = token.toLowerCase() === world.contracts.weth.toLowerCase()
  return isWeth && wraps === 'wraps' ? NATIVE : token
}

function capOf(world: MarketWorld, token: string): bigint {
  if (token === NATIVE || token.toLowerCase() === world.contracts.weth.toLowerCase()) return MAX_ETH
  return token.toLowerCase() === world.contracts.usdg.toLowerCase() ? MAX_USDG : NO_CAP
}

/** Three reads a side: funds, the token's allowance, Permit2's allowance to the router. */
function fundsReads(
  world: MarketWorld,
  account: MarketAccount,
  token: Hex,
  spender: Hex | 'router',
): ReadCall[] {
  const { multicall3, permit2, universalRouter } = world.contracts
  const eth = call(multicall3, 'getEthBalance', account.address)
  if (token === NATIVE) return [eth, eth, eth]
  const allowance = call(token, 'allowance', account.address, spender === 'router' ? permit2 : spender)
  return [
    call(token, 'balanceOf', account.address),
    allowance,
    spender === 'router'
      ? call(permit2, 'permit2Allowance', account.address, token, universalRouter)
      : allowance,
  ]
}

function fundsOf(token: Hex, [funds, first, second]: (Hex | undefined)[]) {
  if (token !== NATIVE) return { funds: word(funds), approved: word(first) > 0n && word(second) > 0n }
  const held = word(funds)
  return { funds: held > GAS_RESERVE ? held - GAS_RESERVE : 0n, approved: true }
}
