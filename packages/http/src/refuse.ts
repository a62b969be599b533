import type { IncomingMessage } from 'node:http'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import { isPitError, type PitError, refusal } from '@pit/protocol'
import type { EdgeKey, Gate } from './caller.ts'
import type { AnyPlan } from './plan.ts'
import { isDocumented, type Reply, refusalReply } from './reply.ts'

/** The path exists, but not with this method. */
export class WrongMethod extends Error {
  readonly allow: string
  constructor(allow: string) {
    super(allow)
    this.allow = allow
  }
}

interface Refused {
  reply: Reply
  refused: PitError
}

interface Exchange {
  plan: AnyPlan<never> | null
  requestId: string
  req: IncomingMessage
}

/** Turns a thrown error into a response; never throws itself. */
export function createRefuse({
  gate,
  logger,
  metrics,
}: {
  gate: Pick<Gate<EdgeKey, object>, 'outageOf'>
  logger: Logger
  metrics: Metrics
}) {
  /** Anything but a refusal or an outage is a defect: logged, never shown to the caller. */
  function refusalOf(error: unknown, exchange: Exchange): PitError {
    if (error instanceof WrongMethod) return refusal('METHOD_NOT_ALLOWED')
    if (isPitError(error)) return error
    const { plan, requestId } = exchange
    const outage = gate.outageOf(error, plan?.kind === 'route' ? plan.route : null)
    if (outage === null) return defect(error, exchange)
    // An outage is logged once where it is noticed; a stack per request would hide that line.
    logger.debug({ requestId, why: (error as Error).message }, outage.message)
    return outage
  }

  function defect(error: unknown, { plan, requestId, req }: Exchange): PitError {
    metrics.defect(plan?.name ?? 'none')
    logger.error({ err: error, requestId, route: plan?.name, method: req.method }, 'unexpected exception')
    return refusal('ENGINE_UNAVAILABLE', {
      message: `Internal error. Report request ${requestId}.`,
    })
  }

  /** For an error while refusing or sending: contains nothing of the failed response. */
  function lastResort(error: unknown, exchange: Exchange): Refused {
    const refused = defect(error, exchange)
    return { reply: { ...refusalReply(refused, null), close: true }, refused }
  }

  function refuse(error: unknown, exchange: Exchange): Refused {
    try {
      const plan = exchange.plan?.kind === 'route' ? exchange.plan : null
      const route = plan?.route ?? null
      const thrown = refusalOf(error, exchange)
      const refused = plan?.refused?.(thrown) ?? thrown
      const allow = error instanceof WrongMethod ? ['Allow', error.allow] : []
      const reply = refusalReply(refused, route, allow)
      if (route !== null && !isDocumented(route, refused, reply.status)) {
        const { requestId } = exchange
        logger.error(
          { requestId, route: route.id, code: refused.code, status: reply.status },
          'undocumented refusal',
        )
      }
      return { reply, refused }
    } catch (again) {
      return lastResort(again, exchange)
    }
  }

  return { refuse, lastResort }
}
