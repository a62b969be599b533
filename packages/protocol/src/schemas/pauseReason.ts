import { Type } from '@sinclair/typebox'
import { PAUSE_REASONS } from '../values.ts'
import { Answer, Id, Nullable, OneOf, Text } from './scalars.ts'

export const PauseReason = Nullable(
  Answer({
    code: OneOf(PAUSE_REASONS, 'OWNER when the owner paused'),
    session_id: Type.Optional(Id('the session that ended')),
    why: Type.Optional(Text('reason')),
    fields: Type.Optional(
      Type.Unsafe<readonly string[]>(Type.Array(Text('field'), { description: 'what its owner changed' })),
    ),
  }),
  'null unless paused',
)
