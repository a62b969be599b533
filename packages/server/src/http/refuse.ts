import type { IncomingMessage } from 'node:http'
import { isStoreUnavailable } from '@pit/platform/db'
import type { Logger } from '@pit/platform/logger'
import type { Metrics } from '@pit/platform/metrics'
import { isPitError, type PitError, refusal } from '@pit/protocol'
import type { PagePlan, RoutePlan } from './plan.ts'
import { isDocumented, type Reply, refusalReply } from './reply.ts'

/** The path is there, the method is not. */
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

interface Visit {
  plan: RoutePlan | PagePlan | null
  requestId: string
  req: IncomingMessage
}

/** What was thrown, as an answer; never throws itself. */
export function createRefuse({ logger, metrics }: { logger: Logger; metrics: Metrics }) {
  /** Anything that is neither a refusal nor the store being away is a defect: logged whole, answered without a word of it. */
  function refusalOf(error: unknown, visit: Visit): PitError {
    if (error instanceof WrongMethod) return refusal('METHOD_NOT_ALLOWED')
    if (isPitError(error)) return error
    // The store and the health probe tell of an outage once; a stack per request would only bury that.
    if (isStoreUnavailable(error)) {
      logger.debug({ requestId: visit.requestId, why: (error as Error).message }, 'store unavailable')
      return refusal('ENGINE_UNAVAILABLE', { message: 'The store does not answer: try again shortly.' })
    }
    return defect(error, visit)
  }

  function defect(error: unknown, { plan, requestId, req }: Visit): PitError {
    metrics.defect(plan?.name ?? 'none')
    logger.error({ err: error, requestId, route: plan?.name, method: req.method }, 'unexpected exception')
    return refusal('ENGINE_UNAVAILABLE', {
      message: `Something went wrong here; report request ${requestId}.`,
    })
  }

  /** For what failed while it was being refused or sent: nothing of the failed answer is in it. */
  function lastResort(error: unknown, visit: Visit): Refused {
    const refused = defect(error, visit)
    return { reply: { ...refusalReply(refused, null), close: true }, refused }
  }

  function refuse(error: unknown, visit: Visit): Refused {
    try {
      const plan = visit.plan?.kind === 'route' ? visit.plan : null
      const route = plan?.route ?? null
      const thrown = refusalOf(error, visit)
      const refused = plan?.refused?.(thrown) ?? thrown
      const allow = error instanceof WrongMethod ? ['Allow', error.allow] : []
      const reply = refusalReply(refused, route, allow)
      if (route !== null && !isDocumented(route, refused, reply.status)) {
        const { requestId } = visit
        logger.error(
          { requestId, route: route.id, code: refused.code, status: reply.status },
          'undocumented refusal',
        )
      }
      return { reply, refused }
    } catch (again) {
      return lastResort(again, visit)
    }
  }

  return { refuse, lastResort }
}
