import {
  bytesToHex,
  fromWireOrders,
  type Hex,
  type OrderList,
  orderId,
  orderListHash,
  orderSigner,
  toWireOrders,
  type WireOrderList,
} from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { boundControls, CONTROLS, fail, lower } from '@pit/protocol'
import type { AgentSession } from '@pit/sessions'
import type { SignedReceipt } from '@pit/signer-wire'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { needSession } from '../life/live.ts'
import { writeLogs } from '../logs.ts'
import { askSigner } from '../signer.ts'
import { findOwned, type StoredAgent } from '../store.ts'
import { tickBy } from './applyVerdicts.ts'
import { checkList } from './checkList.ts'
import { endSigned } from './endSigned.ts'
import { orderLog } from './orderLogs.ts'
import { checkPaperReplaced } from './paperReplaced.ts'
import { countOpen, insertList, newestLists, type StoredList } from './store.ts'
import { dropWanted, readWanted } from './wanted.ts'

export interface PlaceRequest extends AgentRequest {
  list: WireOrderList
  signature?: Hex
  challenge?: Hex
}

const PAPER_SESSION: Hex = `0x${'0'.repeat(64)}`

export interface Placed {
  list: StoredList
  /** For this request's challenge; null on paper. */
  receipt: SignedReceipt | null
}

/**
 * Registers a list at the co-signer, then stores it: all orders or none. A stored list changes nothing and gets
 * a new receipt, so a request that failed half-way is simply repeated.
 */
export async function placeOrders(deps: HostedDeps, request: PlaceRequest): Promise<Placed> {
  const agent = await findOwned(deps.db, request)
  const list = fromWireOrders(request.list)
  const hash = orderListHash(deps.crypto, list)
  const earlier = await findList(deps, agent.id, hash)
  if (earlier)
    return {
      list: earlier,
      receipt: agent.mode === 'paper' ? null : await register(deps, { list, hash, request }),
    }
  if (agent.status === 'stopped') fail('STOPPED')
  await checkBrain(deps, agent, hash)
  checkList(deps, agent, list)
  await checkRoom(deps, agent.id, list)
  const registered =
    agent.mode === 'paper'
      ? checkPaper(list, request)
      : await registerLive(deps, agent, { list, hash, request })
  const atMs = deps.clock.nowMs()
  await deps.db.transaction(async (sql) => {
    if (list.replaces.length > 0) await stopRunningTick(sql, agent.id)
    if (agent.mode === 'paper') await checkPaperReplaced(sql, agent.id, list.replaces, atMs)
    const isNew = await insertList(sql, {
      agentId: agent.id,
      hash,
      ids: list.orders.map((_, index) => orderId(deps.crypto, hash, index)),
      wire: toWireOrders(list),
      signature: request.signature ?? null,
      placedAtMs: atMs,
      registeredAtS: registered?.receipt.at ?? nowS(deps.clock),
      sessionId: registered?.session.id ?? null,
    })
    if (!isNew) return
    const armed = { state: 'armed', why: null } as const
    const logs = list.orders.map((_, index) =>
      orderLog({ agentId: agent.id, atMs }, { id: orderId(deps.crypto, hash, index), ...armed }),
    )
    await writeLogs(sql, ...logs)
    if (list.replaces.length > 0) {
      const by = { state: 'replaced', why: 'Another list replaced it.' } as const
      await endSigned(sql, agent.id, by, atMs, { ids: list.replaces.map(({ id }) => id) })
    }
    await dropWanted(sql, agent.id, hash)
    await tickBy(sql, [agent.id], atMs)
  })
  return { list: (await findList(deps, agent.id, hash))!, receipt: registered?.receipt ?? null }
}

async function findList(
  { db, clock }: HostedDeps,
  agentId: string,
  hash: Hex,
): Promise<StoredList | undefined> {
  return (await newestLists(db, { agentId, hash, limit: 1 }, clock.nowMs()))[0]
}

/** A tick that decided before this change trades nothing. */
export async function stopRunningTick(sql: Pick<HostedDeps['db'], 'query'>, agentId: string): Promise<void> {
  await sql.query('update hosted_agents set revision = revision + 1 where id = $1', [agentId])
}

/** An agent with another brain takes only lists that its own trades wait for. */
async function checkBrain({ db, clock }: HostedDeps, { id, brain }: StoredAgent, hash: Hex): Promise<void> {
  if (brain === 'orders') return
  const requests = await readWanted(db, id, nowS(clock))
  if (!requests.some((one) => one.id === hash)) fail('NOT_ORDERS')
}

async function checkRoom(
  { db }: HostedDeps,
  agentId: string,
  { orders, replaces }: OrderList,
): Promise<void> {
  const open = await countOpen(db, agentId)
  const ids = replaces.map(({ id }) => id)
  const ending = ids.length > 0 ? await countOpen(db, agentId, ids) : 0
  if (open - ending + orders.length > CONTROLS.maxOpenOrders) fail('ORDER_LIMIT')
}

function checkPaper({ session }: OrderList, { signature }: PlaceRequest): null {
  if (session !== PAPER_SESSION)
    fail('BAD_REQUEST', { field: 'list.session', message: '`list.session` of a paper agent must be zero.' })
  if (signature !== undefined)
    fail('BAD_REQUEST', { field: 'signature', message: 'A paper agent takes no `signature`.' })
  return null
}

async function registerLive(
  deps: HostedDeps,
  agent: StoredAgent,
  { list, hash, request }: { list: OrderList; hash: Hex; request: PlaceRequest },
): Promise<{ session: AgentSession; receipt: SignedReceipt }> {
  const session = await needSession(deps, agent)
  if (!boundControls(session.binding)) {
    fail('BAD_SESSION', { message: 'Orders need a session with controls. Grant and attach one.' })
  }
  if (list.session !== lower(session.rootHash)) {
    const message = '`list.session` must be the delegation hash of the attached session.'
    fail('BAD_REQUEST', { field: 'list.session', message })
  }
  const { signature } = request
  const signedBy = signature && orderSigner(deps.crypto, placeOf(deps), list, signature)
  if (signature !== undefined && signedBy !== session.wallet) fail('BAD_SIGNATURE', { field: 'signature' })
  return { session, receipt: await register(deps, { list, hash, request }) }
}

async function register(
  deps: HostedDeps,
  { list, hash, request }: { list: OrderList; hash: Hex; request: PlaceRequest },
): Promise<SignedReceipt> {
  const { signature, challenge = randomWord(deps) } = request
  if (signature === undefined)
    return fail('BAD_REQUEST', { field: 'signature', message: '`signature` is required.' })
  const { list_hash, receipt } = await askSigner(deps, 'hosted.orders.place', (signer) =>
    signer.registerOrders({ root_hash: list.session, list: toWireOrders(list), signature, challenge }),
  )
  if (list_hash !== hash) fail('SIGNER_UNAVAILABLE', { message: 'The signer registered another list.' })
  return receipt
}

export const placeOf = ({ profile }: Pick<HostedDeps, 'profile'>) => ({
  chainId: profile.chain_id,
  manager: lower(profile.delegation.delegation_manager),
})
export const randomWord = ({ randomBytes }: Pick<HostedDeps, 'randomBytes'>): Hex =>
  bytesToHex(randomBytes(32))
