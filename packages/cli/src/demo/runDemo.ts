import { isRefusal } from '@pit/client'
import type { Target } from '../client/settings.ts'
import { ensureAgents } from './agents.ts'
import { chooseTrade } from './chooseTrade.ts'
import { openTrader, type Trader } from './openTrader.ts'
import { type Admit, enterPractice, orderOnPaper } from './practice.ts'

export interface DemoDeps {
  target: Target
  /** Folder of the wallets' API keys. */
  keyFolder: string
  admit: Admit
  /** Random numbers from 0 to 1. */
  draw(): number
  /** Rejects once the demo ends. */
  sleep(ms: number): Promise<void>
  say(text: string): void
}

const TRADERS = 3
const TRADE_USD = { minUsd: 5, maxUsd: 120 }
/** Between two actions of the whole demo: seldom enough to leave the machine at rest. */
const PAUSE_MS = { min: 15_000, max: 25_000 }
/** Every fourth action is an order on paper. */
const PAPER_EVERY = 4
const SETUP_RETRY_MS = 30_000

/**
 * Wallets that trade through the public API as any client does, four paper agents, and entries on the practice
 * board. Resolves only when `sleep` rejects.
 */
export async function runDemo(deps: DemoDeps): Promise<never> {
  const traders = Array.from({ length: TRADERS }, (_, n) => openTrader(deps.target, deps.keyFolder, n))
  await setUp(deps, traders)
  let complaint = ''
  for (let round = 0; ; round++) {
    const trader = traders[round % TRADERS]!
    try {
      if (round % PAPER_EVERY === PAPER_EVERY - 1) await orderOnPaper(trader, deps.draw)
      else await tradeOnce(trader, deps.draw)
    } catch (error) {
      if (isRefusal(error) && (error.code === 'UNAUTHORIZED' || error.code === 'INSUFFICIENT_FUNDS'))
        await trader.prepare().catch(() => {})
      // The market moves: single refusals are normal. The same one twice in a row is worth a line.
      const text = textOf(error)
      if (text === complaint) deps.say(`a demo trade failed: ${text}`)
      complaint = text
    }
    await deps.sleep(PAUSE_MS.min + deps.draw() * (PAUSE_MS.max - PAUSE_MS.min))
  }
}

/** Repeats until everything is there; what exists is left as it is. */
async function setUp(deps: DemoDeps, traders: readonly Trader[]): Promise<void> {
  for (let said = ''; ; await deps.sleep(SETUP_RETRY_MS)) {
    try {
      await setUpOnce(deps, traders)
      return
    } catch (error) {
      const text = textOf(error)
      if (text !== said) deps.say(`the demo is not set up yet: ${text}; trying again`)
      said = text
    }
  }
}

async function setUpOnce(deps: DemoDeps, traders: readonly Trader[]): Promise<void> {
  for (const trader of traders) await trader.prepare()
  // Trades first: they are what a visitor sees first.
  await tradeOnce(traders[0]!, deps.draw)
  await ensureAgents(traders[0]!)
  for (const trader of traders) await enterPractice(trader, deps)
}

/** One trade of a core token and USDG, verified and signed by the wallet. */
async function tradeOnce({ client }: Trader, draw: () => number): Promise<void> {
  const { holdings } = await client.portfolio()
  const worth = new Map(
    holdings
      .filter(({ kind }) => kind === 'core' || kind === 'native')
      .map(({ symbol, value_usd }) => [symbol, value_usd ?? 0]),
  )
  const choice = chooseTrade(worth, TRADE_USD, draw)
  if (choice) await client.trade(choice)
}

const textOf = (error: unknown): string =>
  isRefusal(error)
    ? `${error.code}: ${error.message}`
    : error instanceof Error
      ? error.message
      : String(error)
