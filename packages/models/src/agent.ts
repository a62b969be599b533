import type { BrainLimits } from '@pit/brains'
import type { Address } from '@pit/chain'

/** The parts of an agent that its model call and the payment depend on. */
export interface ModelAgent {
  id: string
  wallet: Address
  params: Record<string, unknown>
  intervalS: number
  /** BASE/QUOTE, each as in `tokens[].token`. */
  pairs: readonly string[]
  tokens: readonly { token: string }[]
  limits: BrainLimits
  mode: 'paper' | 'live'
  live: boolean
  brainState: Record<string, unknown> | null
}

/** Whether the owner's own key may pay for a call, and so reach the account that answers. */
export const mayUseOwnKey = ({ params }: Pick<ModelAgent, 'params'>): boolean =>
  params['funding'] === 'own' || params['fallback_own'] !== false
