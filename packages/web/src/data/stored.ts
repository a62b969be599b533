/** Stored files of the server: read by their shape, so that a malformed one is an error of the file. */

type Fields = Readonly<Record<string, unknown>>

export class StoredFileFault extends Error {}

const malformed = (): never => {
  throw new StoredFileFault('The server’s stored file is malformed.')
}

/** The browser's own error has no words for a visitor. */
function unreachable(error: unknown): never {
  if (error instanceof TypeError) throw new StoredFileFault('The server could not be reached.')
  throw error
}

export async function readStored<T>(
  path: string,
  read: (value: unknown) => T,
  signal?: AbortSignal,
): Promise<T | null> {
  const answer = await fetch(path, signal && { signal }).catch(unreachable)
  if (answer.status === 404) return null
  if (!answer.ok)
    throw new StoredFileFault(`A stored file could not be loaded (HTTP status ${answer.status}).`)
  return read(await answer.json().catch(malformed))
}

export const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : malformed()

export const rowsIn = <T>(value: unknown, read: (row: unknown) => T): T[] =>
  Array.isArray(value) ? value.map(read) : malformed()

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : malformed())
export const numberIn = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : malformed()
export const numberOrNull = (value: unknown): number | null => (value === null ? null : numberIn(value))

const MAX_TIME_S = 4_102_444_800

/** Rows that begin with a time; times increase, as charts need them. */
export function seriesIn<Row extends readonly [timeS: number, ...rest: unknown[]]>(
  value: unknown,
  read: (row: readonly unknown[]) => Row,
): Row[] {
  let last = -1
  return rowsIn(value, (one) => {
    const row = read(Array.isArray(one) ? one : malformed())
    if (!Number.isInteger(row[0]) || row[0] <= last || row[0] > MAX_TIME_S) malformed()
    last = row[0]
    return row
  })
}

/** A time and a value. */
export const pointsIn = (value: unknown): (readonly [number, number])[] =>
  seriesIn(value, ([timeS, one]) => [numberIn(timeS), numberIn(one)] as const)
