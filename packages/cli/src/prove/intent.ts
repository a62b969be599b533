import type { Stage } from './parties.ts'

/** A request that every server must refuse. */
export interface Intent {
  area: 'sign-in' | 'plan' | 'submit' | 'fast' | 'session' | 'agent' | 'order'
  name: string
  fire(stage: Stage): Promise<unknown>
}
