import { describe, expect, it } from 'vitest'
import { fakeMarket, pins, TOKEN } from '../../test/fakeMarket.ts'
import type { Account } from '../account.ts'
import { atFreshHead } from './atFreshHead.ts'
import { openNode } from './node.ts'
import { ethCall, type Rpc, type RpcCall, RpcFailure } from './rpc.ts'
import { askTrial } from './trial.ts'

const NOW_S = 1_800_000_000
const nodeAt = (headS: number, nowS = NOW_S) =>
  openNode(
    fakeMarket([], () => headS),
    pins,
    () => nowS * 1_000,
  )
const CALL = ethCall(`0x${'5'.repeat(40)}`, '0x')
/** A node with a new head that answers every other call like this. */
const nodeWith = (answer: unknown): Rpc => ({
  all: async (calls) =>
    calls.map(({ method }) =>
      method === 'eth_getBlockByNumber'
        ? { number: '0x1', timestamp: `0x${NOW_S.toString(16)}`, baseFeePerGas: '0x7' }
        : answer,
    ),
})
const read = async (answer: unknown, call: RpcCall = CALL) =>
  openNode(nodeWith(answer), pins, () => NOW_S * 1_000).read([call])

describe('the newest block', () => {
  it('is read with the state, and may be a minute old', async () => {
    const node = nodeAt(NOW_S - 60)
    const reading = await node.read([])
    expect(reading.head).toEqual({ number: 10_000, timestampS: NOW_S - 60, baseFeeWei: 7n })
  })

  it('is refused when it is older, with its age and both clocks', async () => {
    await expect(nodeAt(NOW_S - 600).read([])).rejects.toMatchObject({
      code: 'NODE_BEHIND',
      retry: 'pause',
      message:
        'The newest block of your node is 10 minutes old, and the limit is 60 seconds, so nothing was signed. ' +
        'Block 10000 is of 2027-01-15 07:50:00 UTC, this computer’s clock shows 2027-01-15 08:00:00 UTC.',
      details: { block: 10_000, block_time: NOW_S - 600, age_s: 600, max_age_s: 60 },
    })
  })

  it('is refused when it is ahead of the clock: a slow clock would hide a node that stands still', async () => {
    await expect(nodeAt(NOW_S + 300).read([])).rejects.toMatchObject({
      code: 'NODE_BEHIND',
      message: expect.stringContaining('is 5 minutes ahead of this computer’s clock'),
      hint: 'Set this computer’s clock.',
    })
  })

  it('may be bounded closer by the profile', async () => {
    const node = openNode(
      fakeMarket([], () => NOW_S - 30),
      { ...pins, headMaxAgeS: 10 },
      () => NOW_S * 1_000,
    )
    await expect(node.read([])).rejects.toMatchObject({ code: 'NODE_BEHIND' })
  })

  it.each([
    null,
    {},
    { number: '0x1', timestamp: 'soon' },
    new RpcFailure('header not found', { code: -32_000 }),
  ])('is refused unread: %j', async (block) => {
    const rpc: Rpc = { all: async (calls) => calls.map(() => block) }
    await expect(openNode(rpc, pins, () => NOW_S * 1_000).read([])).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
    })
  })
})

describe('state to sign by', () => {
  it.each([
    ['header not found', { code: -32_000 }],
    ['missing trie node', { code: -32_000 }],
    ['backend not available', { code: -32_603 }],
    ['the method eth_call does not exist', { code: -32_601 }],
    ['execution reverted', { code: -32_000 }],
    ['no answer', {}],
  ])('is refused if a call fails: %s', async (message, error) => {
    await expect(read(new RpcFailure(message, error))).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
      message: expect.stringContaining(message),
    })
  })

  it('is nothing where a call reverts, or no contract is', async () => {
    expect((await read(new RpcFailure('x', { code: 3, data: '0x' }))).returned(CALL)).toBeNull()
    expect((await read('0x')).returned(CALL)).toBeNull()
    expect((await read('0x01')).returned(CALL)).toBe('0x01')
  })

  it.each([null, 5, {}, 'zero', '0xzz'])('is refused if it is malformed: %j', async (answer) => {
    const reading = await read(answer)
    expect(() => reading.returned(CALL)).toThrow('the answer is malformed')
  })
})

describe('a simulation', () => {
  const trial = askTrial(`0x${'1'.repeat(40)}`, [], [], { multicall3: `0x${'2'.repeat(40)}` })
  const simulate = async (code: number, message: string) =>
    trial.read(await read(new RpcFailure(message, { code }), trial.call))

  it.each([-32_601, -32_004, 4_200])('is known to be unsupported by the code %i', async (code) => {
    expect(await simulate(code, 'no')).toMatchObject({ ok: false, unsupported: true })
  })

  it('fails with a transaction that cannot be mined', async () => {
    const result = await simulate(-38_014, 'insufficient funds')
    expect(result).toEqual({ ok: false, why: 'insufficient funds', unsupported: false })
  })

  it.each([
    'header not found',
    'missing trie node',
    'backend not available',
    'method is unsupported for now',
  ])('is refused if the node could not make it: %s', async (message) => {
    await expect(simulate(-32_000, message)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
  })

  it.each([null, {}, [], [{}]])('is refused if its result is malformed: %j', async (result) => {
    const watching = askTrial(TOKEN, [], [{ holder: TOKEN, token: TOKEN }], { multicall3: TOKEN })
    const reading = await read(result, watching.call)
    expect(() => watching.read(reading)).toThrow('the answer is malformed')
  })
})

describe('an account at a fresh head', () => {
  const signed: string[] = []
  const sign = (what: string) => async () => {
    signed.push(what)
    return '0x' as const
  }
  const account: Account = {
    address: '0x',
    signMessage: sign('text'),
    signTypedData: sign('data'),
    signTransaction: sign('transaction'),
    sendTransaction: sign('sent'),
    signAuthorization: sign('authorization'),
  }
  const all = (one: Account) => [
    () => one.signTypedData({} as never),
    () => one.signTransaction({} as never),
    () => one.sendTransaction!({} as never),
    () => one.signAuthorization!({} as never),
  ]

  it('signs nothing but texts while the node stands still', async () => {
    signed.length = 0
    const guarded = atFreshHead(account, nodeAt(NOW_S - 61))
    for (const act of all(guarded)) await expect(act()).rejects.toMatchObject({ code: 'NODE_BEHIND' })
    await guarded.signMessage('hello')
    expect(signed).toEqual(['text'])
  })

  it('reads the head once, and again when that one has become old', async () => {
    let nowS = NOW_S
    const market = fakeMarket([], () => nowS)
    const guarded = atFreshHead(
      account,
      openNode(market, pins, () => nowS * 1_000),
    )
    for (const act of all(guarded)) await act()
    expect(market.exchanges).toHaveLength(1)
    nowS += 61
    await guarded.signTypedData({} as never)
    expect(market.exchanges).toHaveLength(2)
  })

  it('has no more methods than the account', () => {
    const { sendTransaction: _, signAuthorization: __, ...plain } = account
    expect(Object.keys(atFreshHead(plain, nodeAt(NOW_S))).sort()).toEqual(Object.keys(plain).sort())
  })
})
