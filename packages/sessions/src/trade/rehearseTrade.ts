import { isPitError } from '@pit/protocol'
import type { CosignParams, SignerCheck } from '@pit/signer-wire'
import type { SessionDeps } from '../deps.ts'
import type { Session } from '../types.ts'
import { executorTx, readExecutor } from './executor.ts'
import { countOf, openFor, openingFactsOf } from './openFor.ts'
import { findUnverified, planSession } from './planTrade.ts'
import { readCall } from './readCall.ts'
import { leafParams } from './requestLeaf.ts'
import { type Check, checkSession } from './rules.ts'
import { lacking, runCall } from './simulateTrade.ts'
import type { RehearsedTrade, SessionTradeParams } from './types.ts'

/**
 * Runs every rule of a trade here and at the co-signer and reports each with its verdict. Signs, counts and
 * stores nothing. A trade that cannot be planned is refused as it would be.
 */
export async function rehearseTrade(deps: SessionDeps, request: SessionTradeParams): Promise<RehearsedTrade> {
  const opened = await openFor(deps, request)
  const { session, used } = opened
  const openingFacts = openingFactsOf(deps, { ...request, ...opened })
  await deps.cosigner.address()
  const [planned, executor] = await Promise.all([
    planSession(deps, { ...request, session }, () => {}),
    readExecutor(deps, session.executor),
  ])
  const { quote } = planned.request
  const call = readCall(deps, session, planned)
  const checks = checkSession({
    ...openingFacts,
    microUsd: countOf(openingFacts, quote),
    call,
    fee: quote.fee,
    ...(session.binding.version < 3 && { unverified: await findUnverified(deps, session, quote) }),
  })
  const tx = executorTx(deps.addresses().delegation, executor, { call, data: '0x', planned })
  const missing = lacking(planned, tx, executor)
  const draft = { planned, call, checks, ...(request.order && { order: request.order }) }
  const [{ simulation, judgement }, rehearsal] = await Promise.all([
    runCall(deps, planned, request.fund === true),
    rehearse(deps, session, leafParams({ session, draft, named: null })),
  ])
  const faults = [...missing, ...(judgement ? [judgement.message] : [])]
  const simulated: Check = {
    code: judgement?.code ?? 'SIMULATION_FAILED',
    ok: faults.length === 0,
    severity: 'refuse',
    message:
      faults.length === 0 ? 'The simulation delivers.' : `The trade cannot be sent: ${faults.join('; ')}.`,
  }
  return { session, planned, call, checks: [...checks, simulated], simulation, used, rehearsal }
}

/** A root that is not active is refused as a whole; its checks are the rehearsal then. */
async function rehearse(
  { cosigner }: SessionDeps,
  session: Session,
  request: CosignParams,
): Promise<RehearsedTrade['rehearsal']> {
  if (session.status === 'pending' || session.status === 'registering') return null
  try {
    return await cosigner.rehearse(request)
  } catch (error) {
    const checks = isPitError(error)
      ? (error.extras['signer_checks'] as SignerCheck[] | undefined)
      : undefined
    if (!checks) throw error
    return { checks, spend: null }
  }
}
