import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openRecordLog } from './recordLog.ts'

const dir = mkdtempSync(join(tmpdir(), 'pit-log-'))
const path = join(dir, 'log')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('a truncated log keeps its complete records and can be appended to', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.boolean(),
      (records, place, flips) => {
        rmSync(path, { force: true })
        const first = openRecordLog<unknown>(path)
        const ends = records.map((record) => {
          first.log.append(record)
          return first.log.bytes()
        })
        first.log.close()
        const bytes = readFileSync(path)
        const at = place % bytes.length
        if (flips) bytes[at] = bytes[at]! ^ 0x10
        writeFileSync(path, flips ? bytes : bytes.subarray(0, at))
        const whole = ends.filter((end) => end <= at).length
        const again = openRecordLog<unknown>(path)
        expect(again.records).toEqual(JSON.parse(JSON.stringify(records.slice(0, whole))))
        again.log.append({ after: true })
        again.log.close()
        const last = openRecordLog<unknown>(path)
        last.log.close()
        expect(last.records).toHaveLength(whole + 1)
        expect(last.cutBytes).toBe(0)
      },
    ),
  )
})
