import { fail } from '@pit/protocol'
import { afterEach, expect, it, vi } from 'vitest'
import type { TradeParams, TradeQuote, WalletState } from '../types.ts'
import type { BuildableRoute } from './chooseRoute.ts'
import type { PlannerDeps } from './deps.ts'
import { createWalletReader } from './readAhead.ts'

const [WALLET, IN, OUT] = [`0x${'a'.repeat(40)}`, `0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const
const ASK = { tokenIn: IN, tokenOut: OUT } as unknown as TradeParams
const QUOTE = { tokenIn: { address: IN, stock: false }, tokenOut: { address: OUT, stock: false }, block: 5 }
const ROUTE = { way: { kind: 'pools', legs: [] } } as unknown as BuildableRoute

afterEach(() => void vi.restoreAllMocks())

/** A reader whose node gives these answers in order; counts the calls. */
function open(answers: (() => WalletState)[]) {
  let calls = 0
  const record = { kind: 'erc20', stock_beacon: false, symbol: 'T', decimals: 18, risks: [] }
  const reader = createWalletReader({
    simulator: { readWallet: async () => answers[calls++]!() },
    market: { curveOf: () => undefined },
    tokens: {
      find: async (address: string) => ({ record: { ...record, address } }),
      coreBySymbol: () => undefined,
    },
    profile: { core_tokens: [] },
  } as unknown as PlannerDeps)
  const read = async () => {
    const ahead = reader.start(WALLET, ASK)
    return reader.finish(WALLET, await ahead.state, QUOTE as unknown as TradeQuote, ROUTE)
  }
  return { read, asked: () => calls }
}
const state = (block: number) => ({ block }) as WalletState
const silent = (): never => fail('RPC_UNAVAILABLE')

it('uses the state read ahead unless it is too old', async () => {
  const fresh = open([() => state(4)])
  expect(await fresh.read()).toEqual(state(4))
  const old = open([() => state(-20), () => state(5)])
  expect(await old.read()).toEqual(state(5))
})

it('reads again after a quick failure, but not after a long timeout', async () => {
  const hitch = open([silent, () => state(5)])
  expect(await hitch.read()).toEqual(state(5))
  expect(hitch.asked()).toBe(2)

  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const waited = (): never => {
    nowMs += 5_000
    return silent()
  }
  const hangs = open([waited, () => state(5)])
  await expect(hangs.read()).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
  expect(hangs.asked()).toBe(1)
})
