import type { Hex } from '@pit/chain'
import { CONTROLS } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { must, PitRefusal, readingAnswer } from '../errors.ts'
import type { AgentSession } from './agentSession.ts'
import { provenReceipt, randomWord, unconfirmed, withinReceiptTime } from './receipt.ts'

/** Input of each order's budget that was spent or may still be, by id. */
export type SpentById = ReadonlyMap<Hex, bigint>

interface SpentRequest {
  agentId: string
  session: AgentSession | null
  ids: readonly Hex[]
}

/**
 * By new receipts of the pinned co-signer, which alone knows what it signed and what was unused; on paper by the
 * server's list. Refused for an order that has ended without being filled.
 */
export async function readSpent(
  deps: ClientDeps,
  { agentId, session, ids }: SpentRequest,
  options: VerbOptions,
): Promise<SpentById> {
  if (ids.length === 0) return new Map()
  return session ? readLive(deps, { agentId, session, ids }, options) : readPaper(deps, agentId, ids, options)
}

async function readLive(
  deps: ClientDeps,
  { agentId, session, ids }: SpentRequest & { session: AgentSession },
  options: VerbOptions,
): Promise<SpentById> {
  const spent = new Map<Hex, bigint>()
  for (let i = 0; i < ids.length; i += CONTROLS.maxOpenOrders) {
    const some = ids.slice(i, i + CONTROLS.maxOpenOrders)
    const challenge = randomWord()
    const request = { params: { id: agentId }, body: { ids: some, challenge } }
    const send = deps.api['hosted.orders.states']
    const { receipts } = await withinReceiptTime((call) => send(request, call), options)
    for (const id of some) {
      const expected = { what: ['status'], session: session.hash, id, challenge } as const
      const receipt = await provenReceipt(deps, receipts, expected)
      if (typeof receipt === 'string') return unconfirmed(`what was spent of order ${id}: ${receipt}`)
      if (receipt.after !== 'open' && receipt.after !== 'filled') throw notOpen(id, receipt.after)
      spent.set(id, BigInt(receipt.spent))
    }
  }
  return spent
}

async function readPaper(
  { api }: ClientDeps,
  agentId: string,
  ids: readonly Hex[],
  options: VerbOptions,
): Promise<SpentById> {
  const { orders } = await api['hosted.orders.list']({ params: { id: agentId } }, options)
  return readingAnswer('RECIPIENT', () => {
    const entries = ids.map((id) => {
      const row = orders.find((one) => one.id.toLowerCase() === id)
      if (!row) throw notOpen(id, 'not listed')
      const spent = BigInt(row.filled_in)
      must(spent >= 0n, 'RECIPIENT', 'the order’s fills do not fit its amount')
      return [id, spent] as const
    })
    return new Map(entries)
  })
}

const notOpen = (id: Hex, state: string): PitRefusal =>
  new PitRefusal('NO_ORDER', `Order ${id} cannot be replaced: ${state.replace('_', ' ')}.`, {
    hint: 'List the orders to see their state.',
  })
