import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import type { DevnetProcess } from '../devnetProcess.ts'
import type { Random } from '../fuzz/random.ts'
import type { Gate, Watch } from '../trading/sequencerGate.ts'
import type { Trader } from '../trading/trader.ts'
import { prepareSending, type readShapes, type Sending, send, tradesOf } from './wallets.ts'

/** The point of a submission at which the server is killed. */
export const POINTS = [
  'before it is written',
  'before it is sent',
  'before the answer is heard',
  'after the answer is heard',
  'after the client has heard',
] as const
export type Point = (typeof POINTS)[number]
export type Mode = 'ok' | 'slow' | 'lossy'

/** The servers on one store. The first is the one that is killed. */
export interface Fleet {
  urls(): string[]
  kill(): Promise<void>
  start(): Promise<void>
  /** Relayed transactions without a receipt yet, by the service's metrics. */
  openRows(): Promise<number>
  /** Blocks every write of a trade until the returned function is called, if the store supports it. */
  holdWrites?(): Promise<() => Promise<void>>
}

export interface Rounds {
  devnet: DevnetProcess
  gate: Gate
  fleet: Fleet
  traders: readonly Trader[]
  shapeOf: Awaited<ReturnType<typeof readShapes>>
  random: Random
  /** Everything signed for a submission. */
  sendings: Sending[]
  problems: string[]
  fates: Map<string, number>
  /** The longest time until a row was final after a restart. */
  slowestMs: number
  finalWithinMs: number
}

const SLOW_MS = 200
const COUNTED_MS = 1_000
/** Maximum wait for a trigger. */
const TRIGGER_MS = 2_000

/** All wallets submit at once, and the server is killed at a chosen point of one submission. */
export async function killOnce(rounds: Rounds, point: Point, mode: Mode): Promise<Sending[]> {
  const { devnet, gate, fleet, random, traders } = rounds
  const url = fleet.urls()[0]!
  const shapes = traders.map((trader) => ({ trader, shape: rounds.shapeOf(random) }))
  const prepared = await Promise.all(shapes.map(({ trader, shape }) => prepareSending(url, trader, shape)))
  const sendings: Sending[] = []
  for (const sending of prepared) {
    if ('refused' in sending) rounds.problems.push(`a plan was refused: ${sending.refused}`)
    else sendings.push(sending)
  }
  rounds.sendings.push(...sendings)
  await devnet.rpc('devnet_sequencer', [{ mode, delay_ms: SLOW_MS }])
  const dying = createDeath(fleet)
  const held = point === 'before it is written' && fleet.holdWrites ? await fleet.holdWrites() : null
  gate.watch(watchFor(point, mode, { random, dying }))
  const sent = sendings.map((sending) =>
    send(url, sending).then(() => {
      if (point === 'after the client has heard' && sending.end === 'taken') return dying.now()
    }),
  )
  // If a point is not visible from outside, a random delay finds it: a submission is written within
  // milliseconds.
  if (point === 'before it is written') dying.soon(held ? 150 + random.below(100) : random.below(12))
  await Promise.race([dying.done, Promise.all(sent), sleep(TRIGGER_MS)])
  await dying.now()
  await Promise.all(sent)
  await held?.()
  gate.watch({})
  await devnet.rpc('devnet_sequencer', [{ mode: 'ok' }])
  return sendings
}

interface Death {
  now(): Promise<void>
  soon(ms: number): void
  done: Promise<void>
}

function createDeath(fleet: Fleet): Death {
  let dead: Promise<void> | undefined
  let tell: () => void
  const done = new Promise<void>((resolve) => {
    tell = resolve
  })
  const now = () => {
    dead ??= fleet.kill().then(tell)
    return dead
  }
  return { now, soon: (ms) => void setTimeout(now, ms), done }
}

function watchFor(point: Point, mode: Mode, { random, dying }: { random: Random; dying: Death }): Watch {
  const turn = 1 + random.below(4)
  switch (point) {
    case 'before it is sent':
      return {
        async arrived(count) {
          if (count < turn) return true
          await dying.now()
          return false
        },
      }
    case 'before the answer is heard':
      // A sequencer that answers late or never has still received the bytes.
      if (mode !== 'ok')
        return {
          arrived(count) {
            if (count === turn) dying.soon(random.below(SLOW_MS))
            return true
          },
        }
      return {
        async answered(count) {
          if (count < turn) return true
          await dying.now()
          return false
        },
      }
    case 'after the answer is heard':
      return {
        answered(count) {
          if (count === turn) dying.soon(random.below(10))
          return true
        },
      }
    default:
      return {}
  }
}

/** Waits until every trade is final, and compares the service's rows with the sequencer and the chain. */
export async function settle(rounds: Rounds, sendings: readonly Sending[], sinceMs: number): Promise<void> {
  const { devnet, fleet, problems, finalWithinMs } = rounds
  const url = fleet.urls()[0]!
  const open = new Set(sendings)
  while (open.size > 0) {
    const lateMs = Date.now() - sinceMs
    for (const sending of open) {
      const trades = await tradesOf(url, sending.trader)
      const rows = sending.txs.flatMap(({ hash }) => trades.get(hash) ?? [])
      if (rows.some(({ status }) => status === 'pending') && lateMs < finalWithinMs) continue
      open.delete(sending)
      if (rows.length > 0) rounds.slowestMs = Math.max(rounds.slowestMs, lateMs)
      for (const tx of sending.txs)
        problems.push(...(await faultsOf(tx, sending, trades.get(tx.hash)?.status)))
    }
    if (open.size > 0) await sleep(100)
  }
  // me/trades does not list approvals and fees; a server that has just started has not counted yet.
  for (let lateMs = 0; ; await sleep(100)) {
    lateMs = Date.now() - sinceMs
    const rows = lateMs < COUNTED_MS ? null : await fleet.openRows()
    if (rows === 0) break
    if (rows !== null) rounds.slowestMs = Math.max(rounds.slowestMs, lateMs)
    if (lateMs < finalWithinMs) continue
    problems.push(`${rows} rows are open after ${lateMs} ms; ${await undecided()}`)
    break
  }

  /** Transactions without a receipt, with their state on the chain. */
  async function undecided(): Promise<string> {
    const lines: string[] = []
    for (const { name, trader, txs, end } of sendings)
      for (const { kind, hash } of txs) {
        if (await devnet.rpc('eth_getTransactionReceipt', [hash])) continue
        const tx = await devnet.rpc<{ nonce: Hex } | null>('eth_getTransactionByHash', [hash])
        const next = await devnet.rpc<Hex>('eth_getTransactionCount', [trader.wallet, 'latest'])
        const seen = await devnet.rpc<number>('devnet_sequencerSeen', [hash])
        const pool = tx ? `in the pool with nonce ${Number(tx.nonce)}` : 'not in the pool'
        lines.push(
          `${name} (${end}): ${kind} ${hash} seen ${seen} times, ${pool}, next nonce ${Number(next)}`,
        )
      }
    return lines.join('; ')
  }

  async function faultsOf(
    { kind, hash }: Sending['txs'][number],
    { name, relayedHashes: told }: Sending,
    status: string | undefined,
  ): Promise<string[]> {
    const what = `${name}, ${kind} ${hash}`
    const faults: string[] = []
    const seen = await devnet.rpc<number>('devnet_sequencerSeen', [hash])
    if (seen > 1 || rounds.gate.left(hash) > 1) faults.push(`${what} was relayed ${seen} times`)
    if (kind !== 'swap') return faults
    if (status === undefined && (seen > 0 || told.has(hash))) faults.push(`${what} is lost from me/trades`)
    if (status === 'pending') faults.push(`${what} is still pending after ${finalWithinMs} ms`)
    const due = await dueStatus(devnet, hash)
    if (status !== undefined && status !== 'pending' && !due.includes(status))
      faults.push(`${what} is ${status}, the chain says ${due.join(' or ')}`)
    return faults
  }
}

/** The expected row, from the chain alone. */
export async function dueStatus(devnet: DevnetProcess, hash: Hex): Promise<string[]> {
  const receipt = await devnet.rpc<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
  if (receipt === null) return ['dropped', 'refused']
  return [receipt.status === '0x1' ? 'mined' : 'reverted']
}

/** How far each transaction had come when the server died; called before anything is sent again. */
export async function countFates(rounds: Rounds, sendings: readonly Sending[]): Promise<void> {
  for (const { txs, trader, relayedHashes: told } of sendings) {
    const trades = await tradesOf(rounds.fleet.urls()[0]!, trader)
    for (const { kind, hash } of txs) {
      const seen = await rounds.devnet.rpc<number>('devnet_sequencerSeen', [hash])
      const fate =
        seen > 0
          ? told.has(hash)
            ? 'sent and answered'
            : 'sent, its answer lost'
          : kind === 'swap' && trades.has(hash)
            ? 'written and not sent'
            : rounds.gate.left(hash) > 0
              ? 'left and not arrived'
              : 'not sent'
      rounds.fates.set(fate, (rounds.fates.get(fate) ?? 0) + 1)
    }
  }
}
