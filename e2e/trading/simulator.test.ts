import { afterAll, beforeAll } from 'vitest'
import { curvePlans } from './simulatorCurvePlans.ts'
import { failedPlans } from './simulatorFailedPlans.ts'
import { heldPlans } from './simulatorHeldPlans.ts'
import { lentPlans } from './simulatorLentPlans.ts'
import { walletReads } from './simulatorWalletReads.ts'
import { openSimulatorWorld, type SimulatorWorld } from './simulatorWorld.ts'

/** The simulator against a real node: its predictions match the mined results, to the atom. */

let world: SimulatorWorld
beforeAll(async () => {
  world = await openSimulatorWorld()
})
afterAll(() => world?.close())

heldPlans(() => world)
lentPlans(() => world)
failedPlans(() => world)
curvePlans(() => world)
walletReads(() => world)
