import { until } from '@pit/platform/test/until'
import { expect } from 'vitest'
import { dueStatus } from '../killSubmit/rounds.ts'
import type { TradeRow } from '../killSubmit/wallets.ts'
import type { Signed } from './load.ts'
import type { FleetWorld } from './world.ts'

async function ask<T>(url: string, path: string, key: string): Promise<T> {
  const answer = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

/** All rows of a key's wallet, from one process. */
async function rowsAt(url: string, key: string): Promise<TradeRow[]> {
  const rows: TradeRow[] = []
  for (let before = ''; ; ) {
    const page = await ask<{ trades: TradeRow[]; next_before: number | null }>(
      url,
      `me/trades?refused=1&limit=100${before}`,
      key,
    )
    rows.push(...page.trades)
    if (page.next_before === null) return rows
    before = `&before=${page.next_before}`
  }
}

/**
 * Each relayed transaction was sent once and has one row on every API process, with the chain's status. Each
 * transaction answered as relayed was mined.
 */
export async function expectNothingLost(world: FleetWorld, signed: readonly Signed[]): Promise<void> {
  const done = signed.filter(({ isDone }) => isDone)
  const keys = new Set(done.map(({ key }) => key))
  const listed = new Map<string, TradeRow[]>()
  for (const url of world.apiUrls())
    for (const key of keys) {
      const rows = await until(() => rowsAt(url, key), { everyMs: 200 })
      listed.set(`${url} ${key}`, rows)
    }
  const faults: string[] = []
  for (const { hash, key, isAccepted } of done) {
    const seen = await world.devnet.rpc<number>('devnet_sequencerSeen', [hash])
    const due = await dueStatus(world.devnet, hash)
    if (seen > 1) faults.push(`${hash} was relayed ${seen} times`)
    if (isAccepted && !due.includes('mined')) faults.push(`${hash} was accepted, the chain says ${due}`)
    for (const url of world.apiUrls()) {
      const rows = listed.get(`${url} ${key}`)!.filter((row) => row.tx_hash === hash)
      if (rows.length > 1 || (rows.length === 0 && (seen > 0 || isAccepted)))
        faults.push(`${hash} has ${rows.length} rows at ${url}`)
      for (const { status } of rows)
        if (!due.includes(status)) faults.push(`${hash} is ${status} at ${url}, the chain says ${due}`)
    }
  }
  expect(faults).toEqual([])
  expect(done.length).toBeGreaterThan(0)
}

/** Fields that may differ: the age of the reading, and whether this call made it. */
const OWN = ['cached_s', 'cached']

const shared = (answer: object): string =>
  JSON.stringify(answer, (name, value: unknown) => (OWN.includes(name) ? undefined : value))

/** At one instant, all API processes answer the same reading. */
export async function expectSame(world: FleetWorld, path: string, key: string): Promise<void> {
  const askAll = () =>
    Promise.all(world.apiUrls().map((url) => ask<{ [name: string]: unknown }>(url, path, key)))
  // One of them may be called exactly between two readings.
  await until(askAll, {
    holds: (all) => new Set(all.map(shared)).size === 1,
    withinMs: 5_000,
    everyMs: 250,
    said: askAll,
  })
}
