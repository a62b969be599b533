import { describe, expect, it } from 'vitest'
import {
  codeOf,
  EXECUTOR,
  LIVE_AGENT,
  type Lies,
  NOW_S,
  open,
  RECEIPT_LIES,
  refusedWith,
  SELL,
  word,
} from '../../test/ordersKit.ts'
import { cancelOrders } from './cancelOrders.ts'
import { placeOrders } from './placeOrders.ts'

const openPlaced = async (lies: Lies = {}) => {
  const world = await open()
  const { ids } = await placeOrders(world.deps, { agentId: 'agt_1', orders: [SELL, SELL] })
  const lying = await open(lies)
  const deps = { ...lying.deps, records: world.deps.records }
  return { ...lying, deps, ids }
}

describe('cancelOrders', () => {
  it('needs a receipt for every order', async () => {
    const { deps } = await open()
    const one = await cancelOrders(deps, { agentId: 'agt_1', ids: [word('c'), word('d')] })
    expect(one.receipts.map(({ id, after }) => [id, after])).toEqual([
      [word('c'), 'cancelled'],
      [word('d'), 'cancelled'],
    ])
    const all = await cancelOrders(deps, { agentId: 'agt_1' })
    expect(all.receipts.map(({ id }) => id)).toEqual([word('a')])
  })

  it('cancels all that this client signed for any session of the executor, also what the server hides', async () => {
    const { deps, ids } = await openPlaced()
    const hidden = {
      ...deps.api,
      'hosted.orders.list': async () => ({ agent_id: 'agt_1', orders: [], wanted: [] }),
    }
    // The server names another session: the own records name the orders.
    const other = {
      ...hidden,
      'hosted.get': async () => ({ id: 'agt_1', mode: 'live', session_id: 'ses_2' }),
    }
    const all = await cancelOrders({ ...deps, api: other as never }, { agentId: 'agt_1' })
    expect(all.receipts.map(({ id }) => id)).toEqual(ids)
  })

  it.each(RECEIPT_LIES.filter(([why]) => !why.includes('something else')))(
    'is not confirmed if the receipt %s',
    async (_, lies) => {
      const { deps, ids } = await openPlaced(lies)
      expect(await codeOf(cancelOrders(deps, { agentId: 'agt_1', ids }))).toBe('RECEIPT_MISSING')
    },
  )

  it('does not believe that a live agent is on paper, known here or not', async () => {
    const { deps, ids } = await openPlaced({ mode: 'paper' })
    for (const request of [{ ids }, { ids: [word('c')] }, {}])
      expect(await codeOf(cancelOrders(deps, { agentId: 'agt_1', ...request }))).toBe('RECEIPT_MISSING')
    await deps.records.putAgent(LIVE_AGENT)
    expect(await codeOf(cancelOrders(deps, { agentId: 'agt_1' }))).toBe('RECEIPT_MISSING')
  })

  it('says that nothing proves "all" of an agent without a record and an attested executor', async () => {
    const { deps } = await open({ mode: 'paper' })
    const none = async () => Promise.reject(refusedWith('NO_EXECUTOR', 404))
    const empty = async () => ({ agent_id: 'agt_1', orders: [], wanted: [] })
    const api = { ...deps.api, 'hosted.executor': none, 'hosted.orders.list': empty } as never
    expect(await codeOf(cancelOrders({ ...deps, api }, { agentId: 'agt_1' }))).toBe('RECEIPT_MISSING')
    const stranger = async () => ({
      executor: EXECUTOR,
      executor_attestation: { signature: `0x${'0'.repeat(130)}` },
    })
    const forged = { ...deps.api, 'hosted.executor': stranger, 'hosted.orders.list': empty } as never
    expect(await codeOf(cancelOrders({ ...deps, api: forged }, { agentId: 'agt_1' }))).toBe('RECEIPT_MISSING')
  })

  it('needs no receipt for orders that it placed on paper itself', async () => {
    const { deps } = await open({ mode: 'paper' })
    const { ids } = await placeOrders(deps, { agentId: 'agt_1', orders: [SELL] })
    const rows = ids.map((id) => ({ id, state: 'armed', order: { expires_at: NOW_S + 60 } }))
    const list = async () => ({ agent_id: 'agt_1', orders: rows, wanted: [] })
    const api = { ...deps.api, 'hosted.orders.list': list } as never
    for (const request of [{ ids }, {}])
      expect(await cancelOrders({ ...deps, api }, { agentId: 'agt_1', ...request })).toMatchObject({
        receipts: [],
        onPaper: ids,
      })
  })

  it('says what became of each order instead of calling it cancelled', async () => {
    const { deps, state, ids } = await openPlaced()
    state.ended.set(ids[0]!, 'filled').set(ids[1]!, 'blocked')
    const { receipts } = await cancelOrders(deps, { agentId: 'agt_1', ids })
    expect(receipts.map(({ what, after }) => [what, after])).toEqual([
      ['filled', 'filled'],
      ['not_registered', 'blocked'],
    ])
  })

  it('asks at its own session when the server names another one', async () => {
    const { deps, state, ids, hash } = await openPlaced({ namedSession: word('9') })
    for (const id of ids) state.ended.set(id, 'blocked')
    const { receipts } = await cancelOrders(deps, { agentId: 'agt_1', ids })
    expect(receipts.map(({ session }) => session)).toEqual([hash, hash])
    expect(state.cancelled.map(({ session }) => session)).toEqual([word('9'), hash])
  })

  it.each([
    ['is still open', 'open'],
    ['is not registered and not blocked', 'not_registered'],
  ] as const)('is not confirmed if the order %s', async (_, after) => {
    const { deps, state, ids } = await openPlaced()
    state.ended.set(ids[1]!, after)
    expect(await codeOf(cancelOrders(deps, { agentId: 'agt_1', ids }))).toBe('RECEIPT_MISSING')
  })

  it('is not confirmed for an unknown id that no record here names the session of', async () => {
    const { deps, state } = await open()
    state.ended.set(word('c'), 'blocked')
    const error = await cancelOrders(deps, { agentId: 'agt_1', ids: [word('c')] }).catch((one) => one)
    expect(error).toMatchObject({
      code: 'RECEIPT_MISSING',
      message: expect.stringContaining('no record here names its session'),
      hint: expect.stringContaining('pit session revoke --all'),
    })
  })
})
