import {
  type Address,
  erc20Abi,
  findRoutes,
  type Hex,
  multicall3Abi,
  NATIVE,
  permit2Abi,
  requote,
} from '@pit/chain'
import { type ListedCurve, pinsOf, type Rpc, readNamedCurves, reviewSigning, rpcOf } from '@pit/client'
import {
  encodeBatch,
  encodeCurveTrade,
  encodeErc20Approve,
  encodeErc20Transfer,
  encodeLockdown,
  encodePermit2Approve,
  encodeSwap,
  planHopOf,
} from '@pit/plans'
import { feeOf } from '@pit/protocol'
import { type Abi, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSimulate } from '../packages/devnet/src/engine/simulate.ts'
import { lower, openPlanWorld, type PlanWorld } from './plans/planWorld.ts'

// Every transaction that the trading wallet's review accepts, honest or with a field changed, is executed: the wallet
// never loses more, never receives less and never allows more than the effects say.

const ETHER = 10n ** 18n
const DEADLINE_S = 1n << 40n
const MOST = (1n << 160n) - 1n
const THIEF: Address = '0x00000000000000000000000000000000000bad01'
const RETURN: Address = '0x00000000000000000000000000000000000be11e'
const ETH_BALANCE = parseAbi(['function getEthBalance(address) view returns (uint256)'])

interface Call {
  to: Address
  data: Hex
  value: bigint
}
let w: PlanWorld
let wallet: Address
let pins: ReturnType<typeof pinsOf>
let tokens: Address[]
let curves: ListedCurve[]
let honest: Record<string, Call>
let simulateOn: ReturnType<typeof createSimulate>

beforeAll(async () => {
  w = await openPlanWorld()
  simulateOn = createSimulate(w.it.chain)
  wallet = lower(w.it.accounts[1]!)
  pins = pinsOf(w.it.world.profile)
  const pit = [...w.curves.values()].find(({ pair, graduated }) => pair === NATIVE && !graduated)!
  const pons = w.it.world.pons.tokens.find(({ symbol }) => symbol === 'PETH')!
  const onEth = [
    { launchpad: 'pit', id: pit.id as Address, token: pit.token },
    { launchpad: 'pons', id: lower(pons.curve), token: lower(pons.address) },
  ] as const
  await w.send({ from: wallet, to: w.weth, data: '0xd0e30db0', value: 500n * ETHER })
  tokens = [NATIVE, w.weth, w.token('USDG'), w.token('NVDA'), ...onEth.map(({ token }) => token)]
  for (const token of tokens.slice(1)) await w.approve(wallet, token)
  honest = { ...(await trades()), ...plainCalls() }
  for (const { launchpad, id, token } of onEth) {
    const terms = { launchpad, recipient: wallet, deadlineS: DEADLINE_S }
    // Bought before, so that there is something to sell.
    const first = encodeCurveTrade({ ...terms, side: 'buy', amountIn: ETHER / 100n, amountOutMin: 1n })
    expect((await w.send({ from: wallet, to: id, data: first, value: ETHER / 100n })).ok).toBe(true)
    await w.send({ from: wallet, to: token, data: encodeErc20Approve(id, MOST) })
    await w.follow()
    const held = await w.balance(token, wallet)
    const buy = { ...terms, side: 'buy', amountIn: ETHER / 100n, amountOutMin: held / 2n } as const
    honest[`${launchpad} buy`] = { to: id, data: encodeCurveTrade(buy), value: ETHER / 100n }
    const sale = { ...terms, side: 'sell', amountIn: held / 2n, amountOutMin: 1n } as const
    honest[`${launchpad} sale`] = { to: id, data: encodeCurveTrade(sale), value: 0n }
    const calls = [
      { to: w.recipient, valueWei: 7n, data: '0x' },
      { to: id, valueWei: ETHER / 100n, data: encodeCurveTrade(buy) },
    ] as const
    honest[`${launchpad} batch`] = { to: wallet, data: encodeBatch(calls), value: 0n }
  }
  const context = { pins, wallet }
  const listedByCall = await Promise.all(
    Object.values(honest).map((call) => readNamedCurves(ownNode(), context, requestOf(call))),
  )
  curves = [...new Map(listedByCall.flat().map((curve) => [curve.id, curve])).values()]
  expect(curves.map(({ id }) => id).sort()).toEqual(onEth.map(({ id }) => id).sort())
}, 300_000)
afterAll(() => w?.it.chain.close())

/** The chain of this test stands still, so its newest block is dated to now. */
const ownNode = (): Rpc =>
  rpcOf({
    async request({ method, params = [] }) {
      const request = w.it.chain.request<object>(method, [...(params as unknown[])])
      // The engine's error of a revert has another form than that of its RPC server.
      const answer = await request.catch((error: Error & { data?: { data?: Hex } }) => {
        throw Object.assign(error, { code: 3, data: error.data?.data })
      })
      if (method !== 'eth_getBlockByNumber') return answer
      return { ...answer, timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}` }
    },
  })

async function trades(): Promise<Record<string, Call>> {
  const [, weth, usdg, nvda] = tokens as [Address, Address, Address, Address]
  const ends: [Address, Address][] = [
    [NATIVE, usdg],
    [usdg, NATIVE],
    [weth, usdg],
    [usdg, weth],
    [nvda, usdg],
    [NATIVE, nvda],
  ]
  const made: Record<string, Call> = {}
  for (const [tokenIn, tokenOut] of ends)
    for (const side of ['input', 'output'] as const) {
      const amountIn = tokenIn === usdg ? 50_000_000n : ETHER / 50n
      const swapIn = amountIn - (side === 'input' ? feeOf(amountIn, 25) : 0n)
      const routes = findRoutes(w, { tokenIn, tokenOut, amountIn }).routes
      const byShape = new Map(
        routes.map((route) => [route.hops.map(({ pool }) => pool.version).join(), route] as const),
      )
      for (const [shape, route] of [...byShape].slice(0, 3)) {
        const quote = requote(route, { tokenIn, tokenOut, amountIn: swapIn })
        if (!quote) continue
        const gross = quote.amountOut
        const { data, valueWei } = encodeSwap({
          ...{ tokenIn, tokenOut, amountIn, direct: true, deadlineS: DEADLINE_S, weth: w.weth },
          legs: [{ hops: quote.hops.map(planHopOf), amountIn: swapIn }],
          amountOutMin: ((gross - (side === 'output' ? feeOf(gross, 25) : 0n)) * 99n) / 100n,
          fee: { bps: 25, side, recipient: w.recipient },
          layout: pins.layout,
        })
        made[`${nameOf(tokenIn)} to ${nameOf(tokenOut)} by ${shape}, fee of the ${side}`] = {
          ...{ to: w.router, data, value: valueWei },
        }
      }
    }
  return made
}

function plainCalls(): Record<string, Call> {
  const usdg = w.token('USDG')
  const permit2Approval = { token: usdg, spender: w.router, amount: 5n, expiration: 2 ** 40 }
  return {
    approval: { to: usdg, data: encodeErc20Approve(w.permit2, 5n), value: 0n },
    'approval of a stranger': { to: usdg, data: encodeErc20Approve(THIEF, 5n), value: 0n },
    'allowance at Permit2': { to: w.permit2, data: encodePermit2Approve(permit2Approval), value: 0n },
    lockdown: { to: w.permit2, data: encodeLockdown([{ token: usdg, spender: w.router }]), value: 0n },
    'token home': { to: usdg, data: encodeErc20Transfer(RETURN, 5n), value: 0n },
    'ETH home': { to: RETURN, data: '0x', value: 5n },
    fee: { to: w.recipient, data: '0x', value: 5n },
  }
}
const nameOf = (token: Address) => pins.tokens.get(token)?.symbol ?? token.slice(0, 6)

const requestOf = ({ to, data, value }: Call) =>
  ({
    kind: 'transaction',
    payload: {
      ...{ to, data, value: value.toString(), gas: '1000000', nonce: '0' },
      ...{ maxFeePerGas: '0', maxPriorityFeePerGas: '0' },
    },
  }) as const

function effectsOf(call: Call) {
  try {
    const context = { pins, wallet, returnAddress: RETURN, host: 'pit.example', curves }
    return reviewSigning({ ...context, allowsUnknownCalls: false }, requestOf(call)).effects
  } catch (error) {
    expect(error).toMatchObject({ name: 'SigningRefused' })
    return null
  }
}
type Effects = NonNullable<ReturnType<typeof effectsOf>>

const word = (value: bigint) => (value & ((1n << 256n) - 1n)).toString(16).padStart(64, '0')
const padded = (address: Address) => address.slice(2).padStart(64, '0')

/** Each word of the data exchanged, the value changed, and each other callee. */
function* changesOf({ to, data, value }: Call): Generator<Call> {
  const words: string[] = data.slice(10).match(/.{64}/g) ?? []
  const ownWords: string[] = [...new Set<string>(words)]
  for (const [i, old] of words.entries()) {
    const others = [
      ...[padded(THIEF), padded(wallet), padded(w.weth), padded(w.token('USDG')), padded(NATIVE)],
      ...[0n, 1n, 2n, BigInt(`0x${old}`) + 1n, BigInt(`0x${old}`) * 2n, 1n << 255n, -1n].map(word),
      ownWords[(i * 7) % ownWords.length]!,
    ]
    for (const other of new Set(others)) {
      if (other === old) continue
      const changed = words.with(i, other).join('')
      yield { to, value, data: `${data.slice(0, 10)}${changed}` as Hex }
    }
  }
  for (const other of [0n, 1n, value + 1n, value * 2n]) if (other !== value) yield { to, data, value: other }
  const callees = [w.router, w.permit2, w.token('USDG'), w.weth, THIEF, RETURN, ...curves.map(({ id }) => id)]
  for (const other of callees) if (other !== to) yield { to: other, data, value }
}

interface Read {
  to: Address
  data: Hex
  read(output: Hex): bigint
}
const readOf = (to: Address, abi: Abi, functionName: string, args: unknown[]): Read => ({
  to,
  data: encodeFunctionData({ abi, functionName, args }),
  read: (data) => [decodeFunctionResult({ abi, functionName, data }) as bigint | bigint[]].flat()[0]!,
})

const aggregate = (reads: readonly Read[]): Hex =>
  encodeFunctionData({
    ...{ abi: multicall3Abi, functionName: 'aggregate3' },
    args: [reads.map(({ to: target, data: callData }) => ({ target, callData, allowFailure: false }))],
  })

/** Nothing is mined after the preparation, so one reading holds for every call. */
let before: bigint[] | undefined

/** The wallet's balances and allowances around the call; null if it reverts. */
async function simulate(call: Call) {
  const multicall = pins.multicall3
  const spenders = [THIEF, RETURN, w.router, w.permit2, ...curves.map(({ id }) => id)]
  const pairs = tokens.slice(1).flatMap((token) => spenders.map((spender) => ({ token, spender })))
  const balances = tokens.map((token) =>
    token === NATIVE
      ? readOf(multicall, ETH_BALANCE as Abi, 'getEthBalance', [wallet])
      : readOf(token, erc20Abi as Abi, 'balanceOf', [wallet]),
  )
  const allowances = pairs.flatMap(({ token, spender }) => [
    readOf(token, erc20Abi as Abi, 'allowance', [wallet, spender]),
    readOf(w.permit2, permit2Abi as Abi, 'allowance', [wallet, token, spender]),
  ])
  const reads = [...balances, ...allowances]
  const answersIn = (output: Hex): bigint[] => {
    const args = { abi: multicall3Abi, functionName: 'aggregate3', data: output } as const
    return decodeFunctionResult(args).map(({ returnData }, i) => reads[i]!.read(returnData))
  }
  const readAll = { from: THIEF, to: multicall, data: aggregate(reads) }
  before ??= await w.it.chain.request<Hex>('eth_call', [readAll, 'latest']).then(answersIn)
  const sent = { from: wallet, to: call.to, data: call.data, value: `0x${call.value.toString(16)}` }
  const delegated = { [wallet]: { code: `0xef0100${pins.addresses.delegator.slice(2)}` } }
  const stateOverrides = call.to === wallet ? delegated : {}
  const [block] = (await simulateOn([
    { blockStateCalls: [{ stateOverrides, calls: [sent, readAll] }] },
    'latest',
  ])) as unknown as { calls: { status: Hex; returnData: Hex }[] }[]
  const [own, read] = block!.calls
  if (own!.status !== '0x1') return null
  const after = answersIn(read!.returnData)
  const changes = tokens.map((token, i) => ({ token, change: after[i]! - before![i]! }))
  const gains = allowances.map((_, i) => {
    const at = tokens.length + i
    return { ...pairs[Math.floor(i / 2)]!, isMore: after[at]! > before![at]!, amount: after[at]! }
  })
  return { changes, allowed: gains.filter(({ isMore }) => isMore) }
}

const sumOf = (effects: Effects, token: Address, kind: 'leaves' | 'arrives'): bigint =>
  effects.reduce((sum, effect) => {
    if (effect.kind !== kind || effect.token !== token) return sum
    return sum + (effect.kind === 'leaves' ? effect.atMost : effect.kind === 'arrives' ? effect.atLeast : 0n)
  }, 0n)

/** Whether it ran; every change is within the effects. */
async function mustBeBounded(name: string, call: Call, effects: Effects): Promise<boolean> {
  const done = await simulate(call)
  if (!done) return false
  const why = `${name}\n${JSON.stringify({ ...call, value: `${call.value}` })}\n${effects.map(({ text }) => text).join('\n')}`
  for (const { token, change } of done.changes)
    expect(change, `${nameOf(token)} ${why}`).toBeGreaterThanOrEqual(
      sumOf(effects, token, 'arrives') - sumOf(effects, token, 'leaves'),
    )
  for (const { token, spender, amount } of done.allowed) {
    const named = effects.find(
      (effect) => effect.kind === 'allows' && effect.token === token && effect.spender === spender,
    )
    expect(named, why).toMatchObject({ atMost: expect.toSatisfy((most: bigint) => most >= amount) })
  }
  return true
}

it('bound what an honest transaction moves', async () => {
  for (const [name, call] of Object.entries(honest)) {
    const effects = effectsOf(call)
    expect(effects, name).not.toBeNull()
    expect(await mustBeBounded(name, call, effects!), `${name} runs`).toBe(true)
  }
  expect(Object.keys(honest).length).toBeGreaterThan(25)
}, 300_000)

it('bound what it moves with any field changed, if it is signed at all', async () => {
  const counts = { changed: 0, refused: 0, signed: 0, ran: 0 }
  for (const [name, call] of Object.entries(honest))
    for (const changed of changesOf(call)) {
      counts.changed++
      const effects = effectsOf(changed)
      if (!effects) {
        counts.refused++
        continue
      }
      counts.signed++
      if (await mustBeBounded(name, changed, effects)) counts.ran++
    }
  expect(counts.refused).toBeGreaterThan(5_000)
  expect(counts.ran).toBeGreaterThan(300)
}, 900_000)
