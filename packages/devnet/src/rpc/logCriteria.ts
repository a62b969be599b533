import { rpcFailure } from '../engine/provider.ts'

/** Undefined matches anything, at a topic's position too. */
export interface LogCriteria {
  addresses?: Set<string>
  topics: (Set<string> | undefined)[]
}

interface Matchable {
  address: string
  topics: string[]
}

const HEX = { address: /^0x[0-9a-fA-F]{40}$/, topic: /^0x[0-9a-fA-F]{64}$/ }
const MAX_ALTERNATIVES = 1_000

export function readCriteria(value: unknown): LogCriteria {
  if (value === undefined || value === null) return { topics: [] }
  if (typeof value !== 'object' || Array.isArray(value))
    throw rpcFailure(-32602, 'the filter is not an object')
  const { address, topics } = value as Record<string, unknown>
  const addresses = alternatives(address, HEX.address, 'address')
  if (topics !== undefined && topics !== null && (!Array.isArray(topics) || topics.length > 4))
    throw rpcFailure(-32602, 'topics must be a list of at most four')
  return {
    ...(addresses === undefined ? {} : { addresses }),
    topics: ((topics ?? []) as unknown[]).map((topic) => alternatives(topic, HEX.topic, 'topic')),
  }
}

export function matches(criteria: LogCriteria, log: Matchable): boolean {
  if (criteria.addresses && !criteria.addresses.has(log.address.toLowerCase())) return false
  return criteria.topics.every((wanted, index) => {
    if (!wanted) return true
    const topic = log.topics[index]
    return topic !== undefined && wanted.has(topic.toLowerCase())
  })
}

function alternatives(value: unknown, shape: RegExp, name: string): Set<string> | undefined {
  if (value === undefined || value === null) return undefined
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0) return undefined
  if (list.length > MAX_ALTERNATIVES) throw rpcFailure(-32602, `too many of ${name}`)
  return new Set(
    list.map((item) => {
      if (typeof item !== 'string' || !shape.test(item)) throw rpcFailure(-32602, `invalid ${name}`)
      return item.toLowerCase()
    }),
  )
}
