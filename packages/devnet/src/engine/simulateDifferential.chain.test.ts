import { expect, test } from 'vitest'
import { holdToReality, type Tally } from '../../test/simulate/holdToReality.ts'
import { marketPlans } from '../../test/simulate/marketPlans.ts'
import { seededRandom } from '../../test/simulate/plan.ts'
import { probePlans } from '../../test/simulate/probePlans.ts'
import { buildProbeWorld } from '../../test/simulate/probeWorld.ts'
import { openTestWorld } from '../../test/testWorld.ts'
import { openChain } from './chain.ts'
import { createSimulate } from './simulate.ts'

const PLANS = Number(process.env['SIM_PLANS'] ?? 60)
const SEED = Number(process.env['SIM_SEED'] ?? 4663)

test(`${PLANS} random plans on small contracts match their simulation on the chain`, async () => {
  const chain = await openChain()
  try {
    const source = probePlans(await buildProbeWorld(chain))
    const simulate = createSimulate(chain, { stateRoot: 'after' })
    proves(await holdToReality({ chain, simulate, source }, seededRandom(SEED), PLANS))
  } finally {
    await chain.close()
  }
}, 600_000)

test(`${PLANS} random plans on the real contracts match their simulation on the chain`, async () => {
  const it = await openTestWorld({ longTail: 12, curves: 6, graduated: 0, historyS: 200 })
  const { chain } = it
  try {
    const source = await marketPlans(it)
    const simulate = createSimulate(chain, { stateRoot: 'after' })
    proves(await holdToReality({ chain, simulate, source }, seededRandom(SEED + 1), PLANS))
  } finally {
    await chain.close()
  }
}, 600_000)

/** Meaningless if everything succeeded, or nothing did. */
function proves(tally: Tally): void {
  if (process.env['SIM_PLANS']) console.log(JSON.stringify(Object.fromEntries(tally)))
  const rows = [...tally.values()]
  expect(rows.reduce((sum, { good }) => sum + good, 0)).toBeGreaterThan(PLANS / 2)
  expect(rows.reduce((sum, { bad }) => sum + bad, 0)).toBeGreaterThan(PLANS / 10)
}
