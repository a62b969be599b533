import { randomUUID } from 'node:crypto'
import type { PitClient } from '@pit/client'
import { SidecarFault } from './fault.ts'

type Verified = Awaited<ReturnType<PitClient['plan']>>

/** Verified plans that wait for `send`, each for one use. */
export interface Plans {
  add(plan: Verified): string
  take(planId: string): Verified
}

const LIFETIME_MS = 120_000
const MAX_WAITING = 100

export function createPlans(nowMs: () => number): Plans {
  const waiting = new Map<string, { plan: Verified; untilMs: number }>()
  return {
    add(plan) {
      for (const [id, { untilMs }] of waiting)
        if (untilMs < nowMs() || waiting.size >= MAX_WAITING) waiting.delete(id)
      const id = randomUUID()
      waiting.set(id, { plan, untilMs: nowMs() + LIFETIME_MS })
      return id
    },
    take(planId) {
      const entry = waiting.get(planId)
      waiting.delete(planId)
      if (!entry || entry.untilMs < nowMs())
        throw new SidecarFault('UNKNOWN_PLAN', 'There is no plan with this id, or it has expired.', 'plan_id')
      return entry.plan
    },
  }
}
