import { Type } from '@sinclair/typebox'
import { CONTROLS, DAY_S } from '../numbers.ts'
import { Answer, Exact, Nullable, UnixS, Usd } from './scalars.ts'

const breaker = {
  max_fall_usd: Usd('above 0: largest fall of the session’s P&L below its best'),
  window_s: Nullable(
    Type.Integer({ description: `${CONTROLS.minPeriodS} s to ${CONTROLS.maxPeriodS / DAY_S} days` }),
    `the best of this period, ${CONTROLS.minPeriodS} s to ${CONTROLS.maxPeriodS / DAY_S} days; ` +
      'null: since the session began',
  ),
  cool_down_s: Type.Integer({ description: 'how long opening trades are refused after it tripped' }),
}
const signatureAbove = 'unsigned trades may reach this in any hour; above it the owner signs. 0: every trade'
/** A grant's controls, in dollars. Values out of range are SESSION_LIMIT, so only types are checked here. */
export const ControlsIn = Exact(
  {
    signature_above_usd: Type.Optional(Usd(signatureAbove)),
    breakers: Type.Optional(Type.Array(Exact(breaker), { description: `at most ${CONTROLS.maxBreakers}` })),
  },
  { title: 'SessionControlsIn' },
)
export const ControlsOut = Answer(
  {
    signature_above_usd: Nullable(Usd(signatureAbove)),
    breakers: Type.Array(Answer(breaker), { description: 'the narrowest first' }),
  },
  { title: 'SessionControls' },
)

/** Where a session stands against its controls, by the co-signer. */
export const ControlLevelsOut = Answer(
  {
    unsigned_usd: Usd('unsigned trades that count towards signature_above_usd now'),
    breakers: Type.Array(
      Answer({
        max_fall_usd: Usd('the signed bound'),
        best_usd: Nullable(Usd('best P&L of its window; null while tripped or without a price')),
        now_usd: Nullable(Usd('P&L at the co-signer’s prices; null while a holding has no price')),
        tripped_until: Nullable(UnixS('opening trades are refused until then; null if not tripped')),
      }),
      { description: 'in the order of `controls.breakers`' },
    ),
  },
  { title: 'ControlLevels' },
)
/** Controls of a listed session. */
export const ListedControls = Answer(
  {
    ...ControlsOut.properties,
    levels: Nullable(
      ControlLevelsOut,
      'where the session stands, by the co-signer; null if it does not answer or the session is not active',
    ),
  },
  { title: 'ListedControls' },
)
