import { randomBytes } from 'node:crypto'
import { rpcFailure } from '../engine/provider.ts'
import type { BlockJson, Chain, Hex } from '../engine/types.ts'
import { type LogCriteria, matches, readCriteria } from './logCriteria.ts'
import { notificationText } from './message.ts'
import type { PendingHashes } from './pendingHashes.ts'

/** A WebSocket for the methods. */
export interface Session {
  send(text: string): void
}

export interface Subscriptions {
  subscribe(session: Session, params: unknown[]): string
  unsubscribe(session: Session, params: unknown[]): boolean
  /** Ends the session. */
  drop(session: Session): void
  close(): void
}

type Wish =
  | { kind: 'newHeads' }
  | { kind: 'logs'; criteria: LogCriteria }
  | { kind: 'newPendingTransactions' }
interface Subscription {
  id: string
  session: Session
  wish: Wish
  unwatch(): void
}
interface LogJson {
  address: Hex
  topics: Hex[]
}

const MAX_PER_SESSION = 200
const EMPTY_BLOOM = /^0x0*$/

export function createSubscriptions(
  chain: Pick<Chain, 'onBlock' | 'request' | 'watch'>,
  pending: PendingHashes,
): Subscriptions {
  const all = new Map<string, Subscription>()
  const of = (kind: Wish['kind']) => [...all.values()].filter(({ wish }) => wish.kind === kind)
  const tell = ({ id, session }: Subscription, json: string) => session.send(notificationText(id, json))

  // One block after another, so that a slow read of logs cannot be overtaken by the next block's.
  let telling: Promise<void> = Promise.resolve()
  const tellBlock = async (block: BlockJson) => {
    const heads = of('newHeads')
    if (heads.length > 0) {
      const json = headJson(block)
      for (const subscription of heads) tell(subscription, json)
    }
    if (of('logs').length === 0 || EMPTY_BLOOM.test(block.logsBloom)) return
    const logs = await chain.request<LogJson[]>('eth_getLogs', [{ blockHash: block.hash }])
    for (const log of logs) {
      const json = JSON.stringify(log)
      for (const subscription of of('logs')) {
        const { wish } = subscription
        if (wish.kind === 'logs' && matches(wish.criteria, log)) tell(subscription, json)
      }
    }
  }
  const stops = [
    chain.onBlock((block) => {
      if (all.size === 0) return
      telling = telling.then(() => tellBlock(block)).catch(() => {})
    }),
    pending.listen((hash) => {
      for (const subscription of of('newPendingTransactions')) tell(subscription, JSON.stringify(hash))
    }),
  ]

  const remove = (id: string): boolean => {
    all.get(id)?.unwatch()
    return all.delete(id)
  }

  return {
    subscribe(session, params) {
      const wish = readWish(params)
      const held = [...all.values()].filter((subscription) => subscription.session === session).length
      if (held >= MAX_PER_SESSION) throw rpcFailure(-32005, 'too many subscriptions')
      const id = `0x${randomBytes(16).toString('hex')}`
      all.set(id, { id, session, wish, unwatch: chain.watch() })
      return id
    },
    unsubscribe(session, [id]) {
      if (typeof id !== 'string') throw rpcFailure(-32602, 'expected a subscription id')
      if (all.get(id)?.session !== session) return false
      return remove(id)
    },
    drop(session) {
      for (const [id, subscription] of all) if (subscription.session === session) remove(id)
    },
    close() {
      for (const stop of stops) stop()
      for (const id of all.keys()) remove(id)
    },
  }
}

function readWish([kind, criteria]: unknown[]): Wish {
  if (kind === 'newHeads' || kind === 'newPendingTransactions') return { kind }
  if (kind === 'logs') return { kind, criteria: readCriteria(criteria) }
  throw rpcFailure(-32602, `no such subscription: ${String(kind)}`)
}

function headJson(block: BlockJson): string {
  const { transactions: _, uncles: __, withdrawals: ___, size: ____, totalDifficulty: _____, ...head } = block
  return JSON.stringify(head)
}
