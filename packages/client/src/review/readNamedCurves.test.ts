import { type Hex, launchpadOf } from '@pit/chain'
import { encodeErc20Approve } from '@pit/plans'
import { describe, expect, it } from 'vitest'
import {
  batch,
  buy,
  CURVES,
  ETH_CURVE,
  onUsdgCurve,
  pins,
  THIEF,
  TOKEN,
  transactionOf,
  USDG_CURVE,
  WALLET,
} from '../../test/reviewKit.ts'
import { type Rpc, type RpcCall, RpcFailure } from '../own/rpc.ts'
import { readNamedCurves } from './readNamedCurves.ts'

const word = (address: string) => address.slice(2).padStart(64, '0')
/** A node on which each contract says which token it trades, and the factories list the two curves. */
function nodeWhere(said: Record<string, { token: string; pair: string }>): Rpc {
  const answerOf = ({ method, params }: RpcCall): unknown => {
    if (method !== 'eth_call')
      return { number: '0x1', timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}` }
    const { to, data } = params[0] as { to: Hex; data: Hex }
    const launchpad = pins.launchpads.find(({ factory }) => factory === to)
    if (launchpad) {
      const { kind } = launchpad
      const curve = CURVES.find((one) => launchpadOf(kind).askCurve(one.token) === data)
      if (curve?.launchpad !== kind) return `0x${'0'.repeat(64 * 15)}`
      if (kind === 'pit') return `0x${word(curve.id)}`
      return `0x${word('0x')}${word(curve.id)}${'0'.repeat(64 * 12)}${word('0x1')}`
    }
    const ends = said[to]
    if (!ends) return new RpcFailure('execution reverted', { code: 3 })
    const index = launchpadOf('pons').endsCalls.indexOf(data)
    if (index >= 0) return `0x${word(index === 0 ? ends.token : ends.pair)}`
    return `0x${word(ends.token)}${word(ends.pair)}${'0'.repeat(64 * 11)}`
  }
  return { all: async (calls) => calls.map(answerOf) }
}
const HONEST = Object.fromEntries(CURVES.map((one) => [one.id, one]))
const named = (rpc: Rpc, request: Parameters<typeof readNamedCurves>[2]) =>
  readNamedCurves(rpc, { pins, wallet: WALLET }, request)

describe('curves of a request', () => {
  it('are those that a pinned launchpad lists: callees and spenders, in a batch too', async () => {
    const node = nodeWhere(HONEST)
    expect(await named(node, transactionOf({ to: ETH_CURVE.id, data: buy(), value: 1n }))).toEqual([
      ETH_CURVE,
    ])
    const both = batch(
      { to: TOKEN, data: encodeErc20Approve(ETH_CURVE.id, 1n) },
      { to: USDG_CURVE.id, data: onUsdgCurve('buy') },
    )
    expect(await named(node, transactionOf(both))).toEqual([ETH_CURVE, USDG_CURVE])
  })
  it('never are contracts that claim a listed token, or a token that no launchpad knows', async () => {
    const request = transactionOf({ to: THIEF, data: buy(), value: 1n })
    expect(await named(nodeWhere({ [THIEF]: ETH_CURVE }), request)).toEqual([])
    expect(await named(nodeWhere({ [THIEF]: { token: THIEF, pair: THIEF } }), request)).toEqual([])
    expect(await named(nodeWhere({}), request)).toEqual([])
  })
  it('are unreadable, which refuses the request, if the node fails', async () => {
    const request = transactionOf({ to: ETH_CURVE.id, data: buy() })
    const { all } = nodeWhere(HONEST)
    const failing: Rpc = {
      all: async (calls) => (await all(calls)).map((one, i) => (i === 0 ? one : new RpcFailure('busy'))),
    }
    const behind: Rpc = {
      all: async (calls) => [{ number: '0x1', timestamp: '0x1' }, ...(await all(calls)).slice(1)],
    }
    await expect(named(failing, request)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
    await expect(named(behind, request)).rejects.toMatchObject({ code: 'NODE_BEHIND' })
    await expect(
      named(nodeWhere(HONEST), transactionOf({ to: WALLET, data: '0xdeadbeef' })),
    ).rejects.toThrow()
  })
  it('are not looked for if the request names none', async () => {
    const never: Rpc = { all: () => Promise.reject(new Error('asked')) }
    expect(await named(never, transactionOf({ to: pins.router, data: '0x' }))).toEqual([])
    expect(await named(never, { kind: 'message', payload: 'text' })).toEqual([])
    const end = { to: TOKEN, data: encodeErc20Approve(ETH_CURVE.id, 0n) }
    expect(await named(never, transactionOf(end))).toEqual([])
  })
})
