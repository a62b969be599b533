import { lower } from '@pit/protocol'
import { keccak256 } from 'viem'
import type { Hex, LogJson } from './types.ts'

export interface LogFilter {
  address?: Hex | Hex[] | null
  topics?: (Hex | Hex[] | null)[] | null
}

export interface LogMatcher {
  /** False if the block with this bloom surely has no such log. */
  mayBeIn(bloom: Uint8Array): boolean
  matches(log: LogJson): boolean
}

export function createLogMatcher(filter: LogFilter): LogMatcher {
  const addresses = alternatives(filter.address)
  const topics = (filter.topics ?? []).map(alternatives)
  const requiredBits = [addresses, ...topics]
    .filter((set) => set !== undefined)
    .map((set) => set.map(bloomBits))
  return {
    mayBeIn: (bloom) =>
      requiredBits.every((set) => set.some((bits) => bits.every((bit) => hasBit(bloom, bit)))),
    matches(log) {
      if (addresses && !addresses.includes(lower(log.address))) return false
      if (log.topics.length < topics.length) return false
      return topics.every((set, place) => !set || set.includes(lower(log.topics[place] as Hex)))
    },
  }
}

/** Undefined matches anything, and so does an empty list, as in nodes. */
function alternatives(value: Hex | Hex[] | null | undefined): Hex[] | undefined {
  if (value === null || value === undefined) return undefined
  const list = (Array.isArray(value) ? value : [value]).map(lower)
  return list.length === 0 ? undefined : list
}

function bloomBits(value: Hex): number[] {
  const hash = Buffer.from(keccak256(value).slice(2), 'hex')
  return [0, 2, 4].map((at) => hash.readUInt16BE(at) & 2047)
}

const hasBit = (bloom: Uint8Array, bit: number) => ((bloom[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0
