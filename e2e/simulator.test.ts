import { afterAll, beforeAll } from 'vitest'
import { curvePlans } from './simulator/curvePlans.ts'
import { failedPlans } from './simulator/failedPlans.ts'
import { lentPlans } from './simulator/plansOfLentFunds.ts'
import { heldPlans } from './simulator/plansOfOwnFunds.ts'
import { walletReads } from './simulator/walletReads.ts'
import { openSimulatorWorld, type SimulatorWorld } from './simulator/world.ts'

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
