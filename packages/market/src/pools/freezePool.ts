import { bigIntToWord, type Concentrated, type Tick, wordToBigInt } from '@pit/chain'
import type { AnyPool } from './poolLogs.ts'

/** Pools as JSON: bigints as decimal strings with a prefix, maps as arrays of entries. */

export type Plain = { [field: string]: unknown }

export function freezePool(pool: AnyPool): string {
  return JSON.stringify(pool, function (this: Plain, field, value: unknown) {
    if (typeof value === 'bigint') return `n:${value}`
    if (field === 'ticks') {
      return [...(value as Map<number, Tick>)].map(([tick, { gross, net }]) => [tick, `${gross}`, `${net}`])
    }
    if (field === 'bitmap') {
      return [...(value as Map<number, Uint32Array>)].map(([word, bits]) => [word, `${wordToBigInt(bits)}`])
    }
    return value
  })
}

export const thawPool = (state: string): AnyPool => thawPlain(JSON.parse(state))

export function thawPlain(state: Plain): AnyPool {
  const pool: Plain = {}
  for (const [field, value] of Object.entries(state)) {
    pool[field] = typeof value === 'string' && value.startsWith('n:') ? BigInt(value.slice(2)) : value
  }
  if (Array.isArray(state['ticks'])) Object.assign(pool, thawTicks(state))
  return pool as AnyPool
}

function thawTicks(state: Plain): Pick<Concentrated, 'ticks' | 'bitmap'> {
  const ticks = state['ticks'] as [number, string, string][]
  const bitmap = state['bitmap'] as [number, string][]
  return {
    ticks: new Map(ticks.map(([tick, gross, net]) => [tick, { gross: BigInt(gross), net: BigInt(net) }])),
    bitmap: new Map(bitmap.map(([word, bits]) => [word, bigIntToWord(BigInt(bits))])),
  }
}
