import type { GasCost } from '@pit/chain'
import type { Found } from './found.ts'
import { netOf } from './measure.ts'

/** A route without severe risks of its own comes first unless it gives so much less. */
const WORTH_A_RISK_PERCENT = 3n

/**
 * Best first by output net of gas, what can be built before what cannot at the same output. A route that adds a severe
 * risk (a hook nobody has read) goes behind every one that adds none and gives nearly as much: otherwise anyone could
 * put his pool in front of a pair by offering a little more.
 */
export function rank(found: readonly Found[], cost: GasCost | undefined): Found[] {
  const rated = found
    .map((route) => ({ route, net: netOf(route, cost) }))
    .sort((a, b) => compare(b.net, a.net) || order(a.route) - order(b.route) || a.route.gas - b.route.gas)
  const best = rated.find(({ route }) => route.way !== null)?.net ?? 0n
  const nearly = (net: bigint) => best <= 0n || net * 100n >= best * (100n - WORTH_A_RISK_PERCENT)
  const first = ({ route, net }: (typeof rated)[number]) => !isRisky(route) && nearly(net)
  return [...rated.filter(first), ...rated.filter((one) => !first(one))].map(({ route }) => route)
}

const isRisky = ({ risks }: Found) => risks.some(({ severity }) => severity === 'severe')
const order = ({ way }: Found) => (way === null ? 1 : 0)
const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
