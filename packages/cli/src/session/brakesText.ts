import type { Answer } from '@pit/protocol'
import { grouped } from '@pit/protocol'
import { timeText } from '../client/show.ts'

type Controls = Answer<'me.sessions'>['sessions'][number]['controls']

/** The breaker nearest to its bound; null without breakers, or while the co-signer reports nothing. */
export function brakesText(controls: Controls | undefined): string | null {
  const levels = controls?.levels?.breakers ?? []
  const tripped = levels.map((one) => one.tripped_until ?? 0).reduce((most, one) => Math.max(most, one), 0)
  if (tripped > 0) return `tripped until ${timeText(tripped)}`
  const falls = levels.flatMap(({ best_usd, now_usd, max_fall_usd }) =>
    best_usd === null || now_usd === null ? [] : [{ fall: Math.max(0, best_usd - now_usd), max_fall_usd }],
  )
  if (falls.length === 0) return levels.length === 0 ? null : 'no price'
  const { fall, max_fall_usd } = falls.reduce((nearest, one) =>
    one.fall / one.max_fall_usd > nearest.fall / nearest.max_fall_usd ? one : nearest,
  )
  return `$${grouped(fall.toFixed(2))} of $${grouped(max_fall_usd)}`
}
