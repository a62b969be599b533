import pg from 'pg'
import { UnsafeIntegerError } from './errors.ts'

type Parse = (text: string) => unknown

const OID = { int8: 20, date: 1082, int8Array: 1016, numericArray: 1231, textArray: 1009 } as const

/** Both engines use one driver with these parsers, so values read the same on each. */
const PARSERS: Record<number, Parse> = {
  [OID.int8]: readInt8,
  // Keep dates as text: the driver would make them midnight in the local time zone.
  [OID.date]: (text) => text,
  [OID.int8Array]: (text) => readTextArray(text).map((item) => (item === null ? null : readInt8(item))),
  [OID.numericArray]: readTextArray,
}

export const valueTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parse {
    const own = format === 'binary' ? undefined : PARSERS[oid]
    return own ?? (pg.types.getTypeParser(oid, format) as Parse)
  },
}

function readInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new UnsafeIntegerError(`int8 ${text} does not fit a number`)
  return value
}

function readTextArray(text: string): (string | null)[] {
  return (pg.types.getTypeParser(OID.textArray as never) as (text: string) => (string | null)[])(text)
}
