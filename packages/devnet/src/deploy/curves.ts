import { type Address, maxUint256, zeroAddress } from 'viem'
import type { Acts } from './acts.ts'
import type { Assets } from './coreTokens.ts'
import type { Exchanges } from './exchanges.ts'
import { cloneAddress, type LongTailToken, nameToken } from './longTail.ts'
import type { Random } from './random.ts'

export interface LaunchpadAt {
  launchpad: Address
  graduator: Address
  curveCode: Address
}

/** A launch request of the launchpad. */
interface Launch {
  name: string
  symbol: string
  pair: Address
  creator: Address
  virtualPair: bigint
  creatorTaxBps: number
  snipeStartBps: number
  snipeSeconds: number
  poolVersion: number
}

export const SNIPE = { snipeStartBps: 8_000, snipeSeconds: 20 }
/** Virtual pair reserves of a new curve: it graduates at three times that. */
export const VIRTUAL_PAIR = { eth: 4n * 10n ** 18n, usdg: 10_000n * 10n ** 6n }

export function queueLaunchpad(
  acts: Acts,
  world: { assets: Assets; exchanges: Exchanges; tokenCode: Address; treasury: Address },
): LaunchpadAt {
  const { weth, v2_factory, v3_factory } = world.exchanges
  const graduator = acts.deploy('Graduator', [weth, v2_factory, v3_factory])
  const curveCode = acts.deploy('Curve')
  const args = [world.tokenCode, curveCode, graduator, world.treasury, world.assets.USDG.address]
  return { launchpad: acts.deploy('Launchpad', args), graduator, curveCode }
}

interface PlannedCurve extends LongTailToken {
  launch: Launch
  /** Amount already spent on it by the crowd; some have graduated. */
  spend: bigint
}

/** Queues `count` launches; their buys follow by `queueCurveBuys`, in a later block. */
export function queueCurves(
  acts: Acts,
  world: { assets: Assets; tokenCode: Address; random: Random; at: LaunchpadAt; creators: Address[] },
  count: number,
  graduates: number,
): PlannedCurve[] {
  const { assets, random, at, creators } = world
  return Array.from({ length: count }, (_, index) => {
    const { name, symbol } = nameToken(random, 10_000 + index)
    const isEth = random.chance(60)
    const scale = BigInt(25 + random.below(200))
    const virtualPair = ((isEth ? VIRTUAL_PAIR.eth : VIRTUAL_PAIR.usdg) * scale) / 100n
    const graduated = index < graduates
    const launch: Launch = {
      name,
      symbol,
      pair: isEth ? zeroAddress : assets.USDG.address,
      creator: random.pick(creators),
      virtualPair,
      creatorTaxBps: random.pick([0, 0, 50, 100, 300]),
      ...SNIPE,
      poolVersion: index % 2 === 0 ? 2 : 3,
    }
    acts.call('Launchpad', at.launchpad, 'launch', [launch], 800_000n)
    const raised = graduated ? 400n : BigInt(random.pick([0, 1, 10, 40, 100, 180, 260]) + random.below(20))
    return {
      address: cloneAddress(at.launchpad, world.tokenCode, BigInt(index)),
      symbol,
      name,
      venues: ['curve'],
      pairs: [isEth ? 'ETH' : 'USDG'],
      depth_usd: 0,
      curve: cloneAddress(at.launchpad, at.curveCode, BigInt(index)),
      graduated,
      launch,
      spend: (virtualPair * raised) / 100n,
    }
  })
}

/** Queues the crowd's buys on each curve, after the snipe tax has ended. */
export function queueCurveBuys(acts: Acts, curves: PlannedCurve[]): LongTailToken[] {
  return curves.map(({ launch, spend, ...token }) => {
    const curve = token.curve!
    const isEth = launch.pair === zeroAddress
    if (spend > 0n) {
      if (!isEth) acts.call('USDG', launch.pair, 'approve', [curve, spend], 60_000n)
      const gas = token.graduated ? 6_500_000n : 260_000n
      acts.call('Curve', curve, 'buy', [spend, 0n, acts.builder, maxUint256], gas, isEth ? spend : 0n)
    }
    const venues: LongTailToken['venues'] = token.graduated
      ? [launch.poolVersion === 3 ? 'v3' : 'v2']
      : ['curve']
    return { ...token, venues }
  })
}
