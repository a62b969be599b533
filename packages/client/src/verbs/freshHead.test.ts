import { expect, it } from 'vitest'
import { codeOf, open, pins, SELL, word } from '../../test/ordersKit.ts'
import { stopOrder } from '../orders/kinds.ts'
import { cancelOrders } from './cancelOrders.ts'
import { endAllSessions } from './endAllSessions.ts'
import { placeBracket, placeOrders } from './placeOrders.ts'
import { revokeSession } from './revokeSession.ts'

// A node whose newest block is ten minutes old.

const behind = () => open({ headAgeS: 600 })

it('places no orders', async () => {
  const { deps, state } = await behind()
  const orders = [stopOrder(pins, SELL, '2400')]
  expect(await codeOf(placeOrders(deps, { agentId: 'agt_1', orders }))).toBe('NODE_BEHIND')
  expect(state.placed).toEqual([])
})

it('places no bracket', async () => {
  const { deps, state } = await behind()
  const entry = { sell: 'USDG', buy: 'ETH', amount: '20' }
  const bracket = { agentId: 'agt_1', entry, exits: { stopUsd: '90' } }
  expect(await codeOf(placeBracket(deps, bracket))).toBe('NODE_BEHIND')
  const sized = { ...bracket, exits: { stopUsd: '90', amount: '0.01' } }
  expect(await codeOf(placeBracket(deps, sized))).toBe('NODE_BEHIND')
  expect(state.placed).toEqual([])
})

it('still cancels orders and ends sessions', async () => {
  const { deps, state } = await behind()
  expect((await cancelOrders(deps, { agentId: 'agt_1', ids: [word('a')] })).receipts).toHaveLength(1)
  await revokeSession(deps, { sessionId: 'ses_1', onChain: false })
  await endAllSessions(deps)
  expect(state.sent).toHaveLength(1)
})
