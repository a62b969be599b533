import { type Address, createCrypto, type Hex, multicall3Abi } from '@pit/chain'
import fc from 'fast-check'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import {
  createScriptedChain,
  ETH,
  GAS_PRICE_WEI,
  GAS_USED,
  transferLog,
  word,
} from '../../test/scriptedChain.ts'
import { until } from '../../test/until.ts'
import { systemClock } from '../clock/clock.ts'
import { followChain } from '../follow/index.ts'
import { RpcError, RpcUnreachable } from '../rpc/index.ts'

const at = (byte: string): Address => `0x${byte.repeat(20)}`
const [TOKEN, ALICE, BOB, MULTICALL] = [at('70'), at('a1'), at('b2'), at('93')]
const crypto = await createCrypto()
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const SENDER = account.address.toLowerCase() as Address
const signed = (nonce: number): Promise<Hex> =>
  account.signTransaction({ chainId: 4663, type: 'eip1559', to: BOB, value: 5n, nonce, gas: 21_000n })
const balanceCall = (holder: Address): Hex => `0x70a08231${word(holder).slice(2)}`

it('records balances per block, with gas paid', () => {
  const holders = fc.constantFrom(ALICE, BOB, at('c3'))
  const move = fc.record({
    from: holders,
    to: holders,
    atoms: fc.bigInt(0n, 1_000n),
    reverted: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
      const chain = createScriptedChain({ startS: 0 })
      for (const holder of [ALICE, BOB, at('c3')]) chain.setBalance(TOKEN, holder, 10_000n)
      for (const { reverted, ...one } of moves)
        chain.add({ from: ALICE, reverted, moves: [{ token: TOKEN, ...one }] })
      for (let block = 0; block <= chain.head(); block++) {
        const held = [ALICE, BOB, at('c3')].map((holder) => chain.balance(TOKEN, holder, block))
        expect(held.reduce((sum, atoms) => sum + atoms)).toBe(30_000n)
      }
      expect(chain.balance(ETH, ALICE)).toBe(-BigInt(moves.length) * GAS_USED * GAS_PRICE_WEI)
    }),
  )
})

it('can be followed to its head through growth and reorgs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('mine', 'keep', 'drop'), { maxLength: 30 }), async (steps) => {
      const chain = createScriptedChain({ startS: 0, height: 5 })
      const seen: Hex[] = []
      const follower = followChain({
        rpc: chain.rpc,
        topics: [transferLog({ token: TOKEN, from: ALICE, to: BOB, atoms: 1n }).topics[0]!],
        from: { number: 5, hash: null },
        listener: {
          onChunk: ({ logs }) => void seen.push(...logs.map(({ transactionHash }) => transactionHash)),
          onReorg: () => {
            seen.length = 0
            return { number: 5, hash: null }
          },
          onFar: (latest) => latest,
        },
      })
      for (const step of steps) {
        if (step === 'mine')
          chain.add({ from: ALICE, moves: [{ token: TOKEN, from: ALICE, to: BOB, atoms: 1n }] })
        else if (chain.head() > 5) chain.reorg({ keep: step === 'keep' })
        await follower.catchUp()
      }
      chain.mine()
      await follower.catchUp()
      expect(seen).toEqual(chain.mined().map(({ hash }) => hash))
    }),
    { numRuns: 50 },
  )
})

it('accepts, mines, reorganises and drops transactions', async () => {
  const chain = createScriptedChain({ startS: 100, crypto })
  const raws = [await signed(0), await signed(1)]
  const send = (raw: Hex) => chain.sequencer.request<Hex>('eth_sendRawTransaction', [raw])
  const nonce = async () => Number(await chain.rpc.request('eth_getTransactionCount', [SENDER, 'latest']))
  const receipt = (hash: Hex) =>
    chain.rpc.request<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
  const first = await send(raws[0]!)
  expect(await receipt(first)).toBeNull()
  const log = transferLog({ token: TOKEN, from: ALICE, to: BOB, atoms: 7n })
  chain.mine({ logs: { [first]: [log] } })
  expect([await receipt(first), await nonce()]).toMatchObject([{ status: '0x1', logs: [log] }, 1])
  chain.reorg({ keep: false })
  expect([await receipt(first), await nonce()]).toEqual([null, 0])
  chain.mine({ reverted: [first] })
  expect(await receipt(first)).toMatchObject({ status: '0x0', logs: [] })
  chain.setMode({ kind: 'lossy' })
  await expect(send(raws[1]!)).rejects.toBeInstanceOf(RpcUnreachable)
  chain.setMode({ kind: 'refuse', words: 'already known' })
  await expect(send(raws[1]!)).rejects.toBeInstanceOf(RpcError)
  chain.mine()
  expect([await nonce(), chain.sent.length, chain.sentTimes(first)]).toEqual([2, 3, 1])
})

it('answers calls by its script, single or batched', async () => {
  const chain = createScriptedChain({ startS: 0, multicall3: MULTICALL })
  chain.setBalance(TOKEN, ALICE, 9n)
  chain.onCall(({ to }) => {
    if (to === BOB) throw new RpcError('eth_call', 3, 'execution reverted', '0x')
    return undefined
  })
  const calls = [TOKEN, BOB].map((target) => ({ target, allowFailure: true, callData: balanceCall(ALICE) }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const answer = await chain.rpc.request<Hex>('eth_call', [{ to: MULTICALL, data }, 'latest'])
  expect(decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })).toEqual([
    { success: true, returnData: word(9) },
    { success: false, returnData: '0x' },
  ])
})

it('fails on demand: per method, for old state, or altogether', async () => {
  const chain = createScriptedChain({ startS: 0, height: 10 })
  let left = 1
  chain.on('eth_blockNumber', (_, usual) => {
    if (left-- > 0) throw new RpcError('eth_blockNumber', -32_005, 'too many requests', undefined)
    return usual()
  })
  const batch = () =>
    chain.rpc.batch([
      ['eth_blockNumber', []],
      ['eth_getBalance', [ALICE, '0x4']],
    ])
  chain.stateFrom = 5
  expect((await batch()).map(({ ok }) => ok)).toEqual([false, false])
  chain.stateFrom = 4
  expect(await batch()).toEqual([
    { ok: true, result: '0xa' },
    { ok: true, result: '0x0' },
  ])
  chain.onlySetBalances = true
  expect((await batch())[1]?.ok).toBe(false)
  chain.isDown = true
  await expect(batch()).rejects.toBeInstanceOf(RpcUnreachable)
  expect(chain.callsOf('eth_getBalance')).toBe(4)
})

it('advances with a clock if it has one', async () => {
  const clock = { nowMs: () => 1_050_000 }
  const chain = createScriptedChain({ startS: 1_000, blockS: 10, clock })
  expect([chain.head(), chain.timeOf(3), chain.blockAt(1_039)]).toEqual([5, 1_030, 3])
})

it('polls, returns the value, and reports the last value on timeout', async () => {
  let looks = 0
  expect(await until(() => (++looks < 3 ? null : looks), { everyMs: 1 })).toBe(3)
  const never = until(() => ({ n: 1n }), { holds: () => false, withinMs: 5, everyMs: 1, said: () => 'why' })
  await expect(never).rejects.toThrow(/"n": "1"[\s\S]*why/)
  const broken = until(() => Promise.reject(new Error('refused')), { withinMs: 5, everyMs: 1 })
  await expect(broken).rejects.toThrow('refused')
})

it('sleeps until the time has passed or the signal aborts', async () => {
  await systemClock.sleep(1)
  const ending = new AbortController()
  const asleep = systemClock.sleep(Number.POSITIVE_INFINITY, ending.signal)
  ending.abort()
  await asleep
  await systemClock.sleep(1_000_000, ending.signal)
  await expect(systemClock.sleep(2 ** 31)).rejects.toThrow(RangeError)
})
