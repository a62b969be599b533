import {
  type Address,
  type Delegation,
  delegationHash,
  fromWireOrder,
  fromWireOrders,
  type Hex,
  type Order,
  type OrderList,
  orderListHash,
  orderListHashV1,
  ROOT_AUTHORITY,
  toWireOrders,
  type WireOrderList,
} from '@pit/chain'
import { type BodyInput, bindingHash, isKind, type Json, type SessionBindingV3 } from '@pit/protocol'
import type { LotMethod } from '@pit/reports'
import { PitRefusal } from './errors.ts'
import { hashing } from './verify/grant.ts'

/**
 * Text by key, kept on the user's side: files, a browser's storage, or memory.
 * @public
 */
export interface RecordStore {
  read(key: string): Promise<string | null>
  /** Durable once it resolves. */
  write(key: string, text: string): Promise<void>
  /** Keys that start with `prefix`. */
  list(prefix: string): Promise<string[]>
}

export interface RootRecord {
  hash: Hex
  /** Without its signature, which disabling it does not need. */
  delegation: Delegation
}
/**
 * A session whose roots this client signed.
 * @public
 */
export interface SessionRecord {
  session_id: string
  wallet: Address
  executor: Address
  binding: SessionBindingV3
  /** The router's root first. */
  roots: readonly RootRecord[]
  /** Unix seconds. */
  granted_at: number
}
/**
 * A live agent as its owner requested it.
 * @public
 */
export interface AgentRecord
  extends Pick<BodyInput<'hosted.create'>, 'brain' | 'params' | 'pairs' | 'limits' | 'interval_s'> {
  id: string
  wallet: Address
  /** Both ends of every pair, each once. */
  tokens: readonly string[]
  terms: { accept_risks: readonly string[]; shield: boolean; policies: readonly string[] | false | null }
  mode: 'live'
  /** Attested by the pinned co-signer. */
  executor: Address
}

/** A list that an agent wanted signed. It was signed if it is among the lists of the session. */
export interface WantedRecord {
  id: Hex
  at_ms: number
  micro_usd: number
}

/** A list of orders that this client signed, or placed on paper under the zero session. */
export interface ListRecord {
  hash: Hex
  session: Hex
  /** Null in records of earlier versions. */
  agentId: string | null
  orders: readonly Order[]
}

export interface Recorded<T> {
  records: T[]
  /** Keys of records that cannot be read. */
  damaged: string[]
}
/** The records of one wallet. */
export interface Records {
  session(id: string): Promise<SessionRecord | null>
  sessions(): Promise<Recorded<SessionRecord>>
  putSession(record: SessionRecord): Promise<void>
  agent(id: string): Promise<AgentRecord | null>
  putAgent(record: AgentRecord): Promise<void>
  /** Of every session. */
  orderLists(): Promise<ListRecord[]>
  putOrderList(list: OrderList, agentId: string): Promise<void>
  /** Lists that an agent wanted signed, with their value when they were checked. */
  wanted(session: Hex): Promise<WantedRecord[]>
  putWanted(session: Hex, record: WantedRecord): Promise<void>
  /** The order of lots that reports used, by year. */
  reportMethods(): Promise<Record<number, LotMethod>>
  putReportMethod(year: number, method: LotMethod): Promise<void>
}

/** Ids come from the server and become part of a key. */
export const isRecordId = (id: unknown): id is string => isKind('recordId', id)

export function memoryRecords(): RecordStore {
  const texts = new Map<string, string>()
  return {
    read: async (key) => texts.get(key) ?? null,
    write: async (key, text) => {
      texts.set(key, text)
    },
    list: async (prefix) => [...texts.keys()].filter((key) => key.startsWith(prefix)),
  }
}

export function openRecords(store: RecordStore, wallet: Address): Records {
  const keyOf = (kind: 'session' | 'agent', id: string) => `${kind}/${wallet}/${id}`
  const listPrefix = `orders/${wallet}/`
  const wantedKey = (session: Hex) => `wanted/${wallet}/${session.slice(2)}/`
  const reportKey = (year: string) => `report/${wallet}/${year}`
  const read = async <T>(key: string, parse: (value: Json, key: string, wallet: Address) => T) => {
    const text = await store.read(key)
    return text === null ? null : parse(jsonIn(key, text), key, wallet)
  }
  const find = async <T>(
    kind: 'session' | 'agent',
    id: string,
    parse: (value: Json, key: string, wallet: Address) => T,
  ) => (isRecordId(id) ? read(keyOf(kind, id), parse) : null)
  return {
    session: (id) => find('session', id, sessionIn),
    async sessions() {
      const records: SessionRecord[] = []
      const damaged: string[] = []
      for (const key of await store.list(keyOf('session', ''))) {
        try {
          const record = await read(key, sessionIn)
          if (record) records.push(record)
        } catch (error) {
          if (!(error instanceof PitRefusal)) throw error
          damaged.push(key)
        }
      }
      return { records: records.sort((a, b) => b.granted_at - a.granted_at), damaged }
    },
    putSession: (record) => store.write(keyOf('session', record.session_id), textOf(record)),
    agent: (id) => find('agent', id, agentIn),
    putAgent: (record) => store.write(keyOf('agent', record.id), textOf(record)),
    async orderLists() {
      const lists: ListRecord[] = []
      for (const key of await store.list(listPrefix)) {
        const list = await read(key, orderListIn)
        if (list) lists.push(list)
      }
      return lists
    },
    putOrderList: (list, agentId) => {
      const key = [list.session, orderListHash(hashing, list)].map((hash) => hash.slice(2)).join('/')
      return store.write(listPrefix + key, textOf({ ...toWireOrders(list), agent_id: agentId }))
    },
    async wanted(session) {
      const records: WantedRecord[] = []
      for (const key of await store.list(wantedKey(session))) {
        const record = await read(key, wantedIn)
        if (record) records.push(record)
      }
      return records
    },
    putWanted: (session, record) => store.write(`${wantedKey(session)}${record.id.slice(2)}`, textOf(record)),
    async reportMethods() {
      const methods: Record<number, LotMethod> = {}
      for (const key of await store.list(reportKey(''))) {
        const record = await read(key, reportMethodIn)
        if (record) methods[record.year] = record.method
      }
      return methods
    },
    putReportMethod: (year, method) => store.write(reportKey(String(year)), textOf({ year, method })),
  }
}

const textOf = (record: object): string =>
  JSON.stringify(record, (_, value: unknown) =>
    typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
  )

function jsonIn(key: string, text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return damaged(key, 'it is not valid JSON')
  }
}

const damaged = (key: string, why: string): never => {
  throw new PitRefusal('RECORD_DAMAGED', `The local record ${key} cannot be used: ${why}.`, {
    hint: 'Restore the record from a backup. To end its session, name the roots yourself.',
    details: { record: key },
  })
}

type Fields = Record<string, unknown>
const isAddress = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value)
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** Every root must hash to its name and carry the hash of the stored binding, so no field can be altered alone. */
function sessionIn(value: Json, key: string, wallet: Address): SessionRecord {
  const { session_id, executor, binding, roots, granted_at, ...rest } = fieldsIn(value, key)
  const isNamed = isRecordId(session_id) && key.endsWith(`/${session_id}`)
  if (!isNamed || rest['wallet'] !== wallet) return damaged(key, 'it is of another session')
  if (!isAddress(executor) || !Number.isSafeInteger(granted_at)) return damaged(key, 'a field is missing')
  if (!Array.isArray(roots) || roots.length === 0) return damaged(key, 'it has no roots')
  const bound = binding as SessionBindingV3
  try {
    const salt = BigInt(bindingHash(hashing.keccakText, bound))
    const isOf = bound.wallet === wallet && bound.executor === executor
    const read = (roots as Fields[]).map(rootIn)
    const isWhole = read.every(
      ({ hash, delegation }) =>
        delegation.salt === salt &&
        delegation.delegator === wallet &&
        delegationHash(hashing, delegation) === hash,
    )
    if (!isOf || !isWhole) return damaged(key, 'its roots and its binding do not match')
    return { session_id, wallet, executor, binding: bound, roots: read, granted_at: Number(granted_at) }
  } catch (error) {
    if (error instanceof PitRefusal) throw error
    return damaged(key, 'its roots cannot be read')
  }
}

function rootIn({ hash, delegation }: Fields): RootRecord {
  const { delegate, delegator, caveats, salt } = delegation as Fields
  return {
    hash: hash as Hex,
    delegation: {
      delegate: delegate as Address,
      delegator: delegator as Address,
      authority: ROOT_AUTHORITY,
      caveats: (caveats as { enforcer: Address; terms: Hex }[]).map(({ enforcer, terms }) => ({
        enforcer,
        terms,
        args: '0x',
      })),
      salt: BigInt(salt as string),
      signature: '0x',
    },
  }
}

/** Its name is its hash, so no field that was signed can be altered; the hash says which version was signed. */
function orderListIn(value: Json, key: string): ListRecord {
  try {
    const { agent_id, ...wire } = value as unknown as WireOrderList & { agent_id?: string }
    const orders = wire.orders.map(fromWireOrder)
    const isFirst = wire.replaces.every((one) => typeof one === 'string')
    const hashes = [
      ...(isFirst ? [orderListHashV1(hashing, { ...wire, orders, replaces: wire.replaces as never })] : []),
      ...(isFirst && wire.replaces.length > 0 ? [] : [orderListHash(hashing, fromWireOrders(wire))]),
    ]
    const hash = hashes.find((one) => key.endsWith(`/${wire.session.slice(2)}/${one.slice(2)}`))
    if (!hash) return damaged(key, 'it is another list')
    return { hash, session: wire.session, agentId: agent_id ?? null, orders }
  } catch (error) {
    if (error instanceof PitRefusal) throw error
    return damaged(key, 'the list cannot be read')
  }
}

function wantedIn(value: Json, key: string): WantedRecord {
  const { id, at_ms, micro_usd } = fieldsIn(value, key)
  const isNamed = typeof id === 'string' && key.endsWith(`/${id.slice(2)}`)
  const isWhole = [at_ms, micro_usd].every((one) => Number.isSafeInteger(one) && Number(one) >= 0)
  if (!isNamed || !isWhole) return damaged(key, 'a field is missing')
  return { id: id as Hex, at_ms: Number(at_ms), micro_usd: Number(micro_usd) }
}

function reportMethodIn(value: Json, key: string): { year: number; method: LotMethod } {
  const { year, method } = fieldsIn(value, key)
  if (!key.endsWith(`/${year}`)) return damaged(key, 'it is of another year')
  if (method !== 'fifo' && method !== 'lifo') return damaged(key, 'its method is unknown')
  return { year: Number(year), method }
}

function agentIn(value: Json, key: string, wallet: Address): AgentRecord {
  const record = fieldsIn(value, key)
  const isNamed = isRecordId(record['id']) && key.endsWith(`/${record['id']}`)
  if (!isNamed || record['wallet'] !== wallet) return damaged(key, 'it is of another agent')
  const limits = (record['limits'] ?? {}) as Fields
  const terms = (record['terms'] ?? {}) as Fields
  const numbers = [limits['max_trade_usd'], limits['max_day_usd'], limits['max_position_usd']]
  const isWhole =
    isAddress(record['executor']) &&
    record['mode'] === 'live' &&
    isTexts(record['pairs']) &&
    isTexts(record['tokens']) &&
    isTexts(terms['accept_risks']) &&
    typeof terms['shield'] === 'boolean' &&
    (!terms['policies'] || isTexts(terms['policies'])) &&
    numbers.every((one) => typeof one === 'number' && one > 0)
  if (!isWhole) return damaged(key, 'a field is missing')
  return record as unknown as AgentRecord
}

const fieldsIn = (value: Json, key: string): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : damaged(key, 'it is not a JSON object')
