import { randomUUID } from 'node:crypto'
import { isRefusal } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { chooseTrade } from './chooseTrade.ts'
import type { Trader } from './openTrader.ts'
import { ownAgents } from './registry.ts'

type Entry = Answer<'league.me'>['entries'][number]

/** Lets an entry play the running season. */
export type Admit = (entryId: number) => Promise<void>

const ORDER_USD = { minUsd: 100, maxUsd: 1_200 }

interface PracticeDeps {
  admit: Admit
  sleep(ms: number): Promise<void>
}

/** Enters the wallet's account on the practice board, for an agent of the registry; an entry that exists stays. */
export async function enterPractice(trader: Trader, { admit, sleep }: PracticeDeps): Promise<void> {
  const { client, target } = trader
  const registry = target.profile.agent_registry
  if (registry?.kind !== 'pit') return
  const [agentId] = await ownAgents(trader, registry.address as `0x${string}`, 1, sleep)
  const entered = (await client.api['league.me']()).entries.find(isOnBoard)
  const entrant = String((await client.api['auth.me']()).account.id)
  const entry =
    entered ??
    (await client.league.enter({
      ...{ agentId: agentId!, board: 'practice', kind: 'account', entrant },
      domain: target.domain,
    }))
  if (!entry.playing) await admit(entry.entry_id)
}

const isOnBoard = ({ board, status }: Entry): boolean => board === 'practice' && status === 'active'

/** One paper order of the wallet's account; false if its book is not open. */
export async function orderOnPaper({ client, target }: Trader, draw: () => number): Promise<boolean> {
  const book = await client.api['paper.book']().catch((error: unknown) => {
    if (isRefusal(error) && error.code === 'NOT_ENTERED') return null
    throw error
  })
  if (!book || book.season === null) return false
  const { tokens } = await readPrices(target.url)
  const decimals = new Map(
    target.profile.core_tokens.map((token) => [token.symbol as string, token.decimals]),
  )
  const worth = new Map(
    Object.entries(book.balances).map(([symbol, atoms]) => {
      const price = tokens.find((token) => token.symbol === symbol)?.price ?? 0
      return [symbol, (Number(atoms) / 10 ** (decimals.get(symbol) ?? 18)) * price]
    }),
  )
  const choice = chooseTrade(worth, ORDER_USD, draw)
  if (choice) await client.api['paper.order']({ body: { ...choice, client_id: randomUUID() } as never })
  return true
}

async function readPrices(url: string): Promise<{ tokens: { symbol: string; price: number }[] }> {
  const response = await fetch(`${url}/history/market.json`)
  return (await response.json()) as { tokens: { symbol: string; price: number }[] }
}
