import { LeagueRefused } from '@pit/league'
import { nowS } from '@pit/platform/clock'
import { isStoreUnavailable } from '@pit/platform/db'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { SanctionsFileError } from '@pit/platform/sanctions'
import { checkWith, hasInvisible, isPitError } from '@pit/protocol'
import { EarlyCloseRefused, RecordBroken, TransferRefused } from '@pit/treasury'
import { ACTIONS } from './actions.ts'
import { recordAction } from './audit.ts'
import { type Operator, type OperatorDeps, OperatorRefused } from './types.ts'

const MAX_NAME_CHARS = 64
const MAX_REASON_CHARS = 500

/** Operator interface of `pit-admin`. Every change is recorded in the same transaction. */
export function openOperator(deps: OperatorDeps): Operator {
  return {
    async act({ name, operator, reason, input }) {
      const row = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
      if (!row) throw new OperatorRefused(`unknown action "${name}"`)
      if (!isText(operator, MAX_NAME_CHARS)) throw new OperatorRefused('--operator <name> is missing')
      if (reason !== null && !isText(reason, MAX_REASON_CHARS)) {
        throw new OperatorRefused(
          `a reason must have 1 to ${MAX_REASON_CHARS} characters and no invisible characters`,
        )
      }
      if (row.needsReason !== null && reason === null) {
        throw new OperatorRefused(`--reason is missing: ${row.needsReason}`)
      }
      const checked = checkWith(row.input, input)
      if (!checked.ok) throw new OperatorRefused(`${checked.field || 'input'}: ${checked.message}`)
      try {
        return await row.run(
          {
            deps,
            operator,
            reason,
            note: (sql, details) =>
              recordAction(sql, { operator, action: name, details, reason, atS: nowS(deps.clock) }),
          },
          input,
        )
      } catch (error) {
        throw forOperator(error)
      }
    },
  }
}

const isText = (text: unknown, maxChars: number): boolean =>
  typeof text === 'string' && text.trim() !== '' && text.length <= maxChars && !hasInvisible(text)

const REFUSALS = [
  EarlyCloseRefused,
  LeagueRefused,
  OperatorRefused,
  RecordBroken,
  SanctionsFileError,
  TransferRefused,
]

/** Errors a person can act on, without a stack. */
function forOperator(error: unknown): unknown {
  const { message } = error as Error
  if (error instanceof RpcUnreachable || error instanceof RpcError) {
    return new OperatorRefused(`the chain gave no usable response: ${message}`)
  }
  if (isStoreUnavailable(error)) return new OperatorRefused(`the store does not answer: ${message}`)
  const refused = isPitError(error) || REFUSALS.some((kind) => error instanceof kind)
  return refused ? new OperatorRefused(message) : error
}
