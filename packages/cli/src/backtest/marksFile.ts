import { readFileSync, writeFileSync } from 'node:fs'
import type { StoredMark } from '@pit/brains/backtest'
import { decimalText, parseDecimal, priceE18Down } from '@pit/protocol'
import { CommandRefused } from './refused.ts'

/** Marks by token, oldest first. */
export type Marks = Map<string, StoredMark[]>

const MAX_BYTES = 200_000_000
const MAX_PRICE_CHARS = 39

/**
 * `{"marks": {"ETH": [[1800000000, "2000.5"], [1800000060, "2001", "stale"]]}}`: second, dollars, if stale.
 * Or a list as served at /marks/ETH.json, which is taken as the prices of the only traded token.
 */
export function readMarksFile(file: string, tokens: readonly string[]): Marks {
  let value: unknown
  try {
    const text = readFileSync(file, 'utf8')
    if (text.length > MAX_BYTES) throw new CommandRefused(`${file} is too large.`)
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof CommandRefused) throw error
    throw new CommandRefused(`${file} is not valid JSON: ${(error as Error).message}`)
  }
  if (Array.isArray(value)) return new Map([[onlyToken(file, tokens), servedMarks(value, file)]])
  const listed = (value as { marks?: unknown } | null)?.marks
  if (typeof listed !== 'object' || listed === null)
    throw new CommandRefused(`${file} has no "marks" object.`)
  return new Map(
    Object.entries(listed).map(([token, rows]) => {
      if (!Array.isArray(rows)) throw new CommandRefused(`${file}: ${token} is not a list.`)
      const marks = rows.map((row, i) => markOf(row) ?? refuseRow(file, token, i))
      return [token, marks.sort((a, b) => a.atS - b.atS)]
    }),
  )
}

function onlyToken(file: string, tokens: readonly string[]): string {
  const [token, ...others] = tokens
  if (token !== undefined && others.length === 0) return token
  throw new CommandRefused(
    `${file} has the prices of one token, but ${tokens.join(', ')} are traded. Use a file with "marks" by token.`,
  )
}

/** Rows of /marks/ETH.json: minute, dollars times 10^18, whether stale. */
export function servedMarks(rows: readonly unknown[], source: string): StoredMark[] {
  return rows.map((row, i) => {
    const [atS, price, stale] = Array.isArray(row) ? (row as unknown[]) : []
    const isMark =
      Number.isSafeInteger(atS) &&
      typeof price === 'string' &&
      /^[1-9]\d{0,38}$/.test(price) &&
      typeof stale === 'boolean'
    if (!isMark)
      throw new CommandRefused(`${source}, row ${i}: expected [minute, "price times 10^18", stale]`)
    return { atS: atS as number, priceE18: BigInt(price), stale }
  })
}

const refuseRow = (file: string, token: string, i: number): never => {
  throw new CommandRefused(
    `${file}: ${token}, row ${i}: expected [second, "dollars"] or [second, "dollars", "stale"]`,
  )
}

function markOf(row: unknown): StoredMark | undefined {
  if (!Array.isArray(row) || row.length < 2 || row.length > 3) return undefined
  const [atS, price, stale] = row as unknown[]
  const priceE18 = priceE18Of(price)
  if (typeof atS !== 'number' || !Number.isSafeInteger(atS) || atS < 0 || priceE18 === undefined)
    return undefined
  if (stale !== undefined && stale !== 'stale') return undefined
  return { atS, priceE18, stale: stale === 'stale' }
}

function priceE18Of(price: unknown): bigint | undefined {
  if (typeof price === 'number') return priceE18Down(price) || undefined
  if (typeof price !== 'string' || price.length > MAX_PRICE_CHARS) return undefined
  return parseDecimal(price, 18) || undefined
}

export function writeMarksFile(file: string, marks: ReadonlyMap<string, readonly StoredMark[]>): void {
  const rows = [...marks].map(([token, list]) => {
    const lines = list.map(({ atS, priceE18, stale }) =>
      JSON.stringify([atS, decimalText(priceE18, 18), ...(stale === true ? ['stale'] : [])]),
    )
    return `${JSON.stringify(token)}:[${lines.join(',\n')}]`
  })
  writeFileSync(file, `{"marks":{${rows.join(',\n')}}}\n`)
}
