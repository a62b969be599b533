import { setTimeout as sleep } from 'node:timers/promises'
import { ERRORS, FAST_RULES, FAST_TERMS } from '@pit/protocol'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { openTradingWorld, type TradingWorld } from '../trading/world.ts'
import { type Changes, type FastReply, type FastTrader, openFastTrader } from './fastTrader.ts'

type Refusal = NonNullable<FastReply['body']['error']>

/** One server with fast mode on one devnet, and a wallet approved for every pair, shared by all cases. */
export interface FastWorld {
  readonly world: TradingWorld
  readonly trader: FastTrader
  /** Codes answered so far, in any test. */
  readonly provoked: Set<string>
  /** How often these bytes reached the sequencer. */
  seen(hash: Hex): Promise<number>
  refused(pair: string, changes: Changes): Promise<Refusal>
  refusedBody(body: object, hash?: Hex): Promise<Refusal>
  /**
   * Waits until a check-only trade is answered with this code; null: until it passes. Marks are read twice a
   * second.
   */
  judgedBy(code: string | null, pair: string, changes?: Changes): Promise<void>
}

const JUDGED_WITHIN_MS = 30_000

export const codesOf = (error: { [extra: string]: unknown }): string[] =>
  (error['failures'] as { code: string }[]).map(({ code }) => code)

export function useFastWorld(): FastWorld {
  let world: TradingWorld
  let trader: FastTrader
  const provoked = new Set<string>()
  beforeAll(async () => {
    world = await openTradingWorld({ server: { FAST_ENABLED: '1' } })
    trader = await openFastTrader(world, 3)
    for (const symbol of ['USDG', 'WETH', 'NVDA', 'SPY']) await trader.approve(symbol)
  })
  afterAll(async () => {
    await world?.close()
  })

  const seen = (hash: Hex) => world.devnet.rpc<number>('devnet_sequencerSeen', [hash])
  async function refusedBody(body: object, hash?: Hex): Promise<Refusal> {
    const { status, body: answer } = await trader.send(body)
    const error = answer.error
    if (!error) throw new Error(`it was not refused: ${JSON.stringify(answer)}`)
    provoked.add(error.code)
    expect(ERRORS[error.code as keyof typeof ERRORS].statuses as readonly number[]).toContain(status)
    const failures = error['failures'] as { code: string; message: string }[]
    expect(failures[0]?.code).toBe(error.code)
    const places = failures.map(({ code }) => FAST_RULES.indexOf(code as never))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    for (const term of FAST_TERMS[error.code as keyof typeof FAST_TERMS] ?? []) {
      expect(error['terms']).toHaveProperty(term)
    }
    if (hash) expect(await seen(hash)).toBe(0)
    return error
  }
  return {
    get world() {
      return world
    },
    get trader() {
      return trader
    },
    provoked,
    seen,
    async refused(pair, changes) {
      const { body, hash } = await trader.build(pair, changes)
      return refusedBody(body, hash)
    },
    refusedBody,
    async judgedBy(code, pair, changes = {}) {
      const untilMs = Date.now() + JUDGED_WITHIN_MS
      for (;;) {
        const checked = { ...changes, body: { ...changes.body, check_only: true } }
        const { error } = (await trader.trade(pair, checked)).body
        if ((error?.code ?? null) === code) return
        if (Date.now() > untilMs) throw new Error(`${pair} is still answered by ${error?.code}, not ${code}`)
        await sleep(100)
      }
    },
  }
}
