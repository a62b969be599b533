import { type Address, type Hex, launchpadOf, NATIVE, type PinnedLaunchpad } from '@pit/chain'
import { askCall, readAll } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { LaunchpadKind } from '@pit/protocol'

/** A curve as its launchpad reports it. */
export interface LaunchedCurve {
  token: Address
  launchpad: LaunchpadKind
}

/**
 * Each curve with its token, if a pinned launchpad deployed all of them and they trade for ETH; undefined
 * otherwise, because a contract that only looks like a curve could keep the funds. Throws if the chain does
 * not answer.
 */
export async function readCurves(
  { rpc, launchpads }: { rpc: Pick<Rpc, 'batch'>; launchpads: readonly PinnedLaunchpad[] },
  curves: readonly Address[],
): Promise<Record<Address, LaunchedCurve> | undefined> {
  if (curves.length === 0) return {}
  if (launchpads.length === 0) return undefined
  const claims = await readClaims({ rpc, launchpads }, curves)
  const owners = await readAll(
    rpc,
    claims.map(({ at: { kind, factory }, token }) =>
      askCall({ to: factory, data: launchpadOf(kind).askCurve(token) }),
    ),
  )
  const launched: Record<Address, LaunchedCurve> = {}
  for (const [i, { at, curve, token }] of claims.entries()) {
    const answer = owners[i]
    if (answer && launchpadOf(at.kind).curveIn(answer) === curve)
      launched[curve] = { token, launchpad: at.kind }
  }
  return curves.every((curve) => launched[curve]) ? launched : undefined
}

interface Claim {
  at: PinnedLaunchpad
  curve: Address
  token: Address
}

/** The token each contract reports, by the methods of each launchpad. */
async function readClaims(
  { rpc, launchpads }: { rpc: Pick<Rpc, 'batch'>; launchpads: readonly PinnedLaunchpad[] },
  curves: readonly Address[],
): Promise<Claim[]> {
  const lookups = launchpads.flatMap((at) => curves.map((curve) => ({ at, curve })))
  const answers = await readAll(
    rpc,
    lookups.flatMap(({ at, curve }) =>
      launchpadOf(at.kind).endsCalls.map((data) => askCall({ to: curve, data })),
    ),
  )
  let next = 0
  return lookups.flatMap(({ at, curve }) => {
    const { endsCalls, endsIn } = launchpadOf(at.kind)
    const own = answers.slice(next, next + endsCalls.length)
    next += endsCalls.length
    const ends = own.includes(undefined) ? undefined : endsIn(own as Hex[])
    return ends && ends.pair === NATIVE ? [{ at, curve, token: ends.token }] : []
  })
}
