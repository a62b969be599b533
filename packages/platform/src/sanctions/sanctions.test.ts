import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../monitoring/logger.ts'
import { parseSanctions } from './parseSanctions.ts'
import { openSanctions, type Sanctions } from './sanctions.ts'

const A = `0x${'a'.repeat(40)}`
const B = `0x${'B'.repeat(40)}`
const C = `0x${'c'.repeat(40)}`

describe('parseSanctions', () => {
  it('reads plain lines with comments', () => {
    expect([...parseSanctions(`# list\n\n${A} # who\r\n${B}\n`)]).toEqual([A, B.toLowerCase()])
  })

  it('reads sdn.csv and sdn.txt', () => {
    const row =
      '36,"LAZARUS GROUP",-0- ,"DPRK3",-0- ,"Digital Currency Address - XBT ' +
      `1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa; Digital Currency Address - ETH ${B}; alt. Digital Currency ` +
      `Address - USDT ${A}; Digital Currency Address - ETH 0x12; Secondary sanctions risk"`
    expect([...parseSanctions(row)]).toEqual([B.toLowerCase(), A])
  })

  it('reads sdn.xml', () => {
    const xml =
      `<id><uid>1</uid><idType>Digital Currency Address - ETH</idType>\n<idNumber>${A}</idNumber></id>` +
      `<id><idType>Passport</idType><idNumber>${C}</idNumber></id>`
    expect([...parseSanctions(xml)]).toEqual([A])
  })

  it('reads sdn_advanced.xml by its numbered kinds', () => {
    const xml = `<FeatureType ID="344">Digital Currency Address - XBT</FeatureType><FeatureType ID="345" X="y">Digital Currency Address - ETH</FeatureType><FeatureType ID="9">Gender</FeatureType>
      <Feature ID="50215" FeatureTypeID="345"><FeatureVersion ID="1"><VersionDetail DetailTypeID="1432">${B}</VersionDetail></FeatureVersion></Feature>
      <Feature ID="3" FeatureTypeID="9"><VersionDetail DetailTypeID="1">${C}</VersionDetail></Feature>
      <Feature ID="4" FeatureTypeID="344"><VersionDetail DetailTypeID="1432">1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa</VersionDetail></Feature>`
    expect([...parseSanctions(xml)]).toEqual([B.toLowerCase()])
  })

  it('reads plain lines and Treasury rows in one file', () => {
    const text = `# ours\n${A} # who\n36,"X","Digital Currency Address - ETH ${B};"\n-0- \n${C}`
    expect([...parseSanctions(text)].sort()).toEqual([A, B.toLowerCase(), C])
  })

  it('stays strict if only a comment contains Treasury wording', () => {
    expect([...parseSanctions(`# Digital Currency Address - ETH\n${A}`)]).toEqual([A])
    expect(() => parseSanctions(`# Digital Currency Address - ETH\n${A}\n0x12`)).toThrow('line 3')
  })

  it.each(['', '# nothing\n', `${A}\nnot an address`, '0x12', '<xml>Digital Currency Address - ETH</xml>'])(
    'refuses %j',
    (text) => expect(() => parseSanctions(text)).toThrow(),
  )
})

describe('openSanctions', () => {
  const logger = createLogger({ level: 'silent' })
  let folder: string
  let file: string
  let sanctions: Sanctions | null = null
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pit-sanctions-'))
    file = join(folder, 'list.txt')
  })
  afterEach(async () => {
    await sanctions?.close()
    sanctions = null
    await rm(folder, { recursive: true })
  })
  const until = (check: () => boolean) => expect.poll(check, { timeout: 3_000, interval: 10 }).toBe(true)

  it('ships a valid list that contains the test address', async () => {
    sanctions = await openSanctions({
      file: join(import.meta.dirname, '../../../../data/sanctions.txt'),
      logger,
    })
    expect(sanctions.isSanctioned('0x00000000000000000000000000000000BAD0bad0')).toBe(true)
    expect(sanctions.isSanctioned('0x098b716b8aaf21512996dc57eb0615e2383e2f96')).toBe(true)
    expect(sanctions.isSanctioned(A)).toBe(false)
  })

  it('does not start without a list', async () => {
    await expect(openSanctions({ file, logger })).rejects.toThrow(
      /SANCTIONS_FILE .*no such file.*does not run/,
    )
    await writeFile(file, '# empty\n')
    await expect(openSanctions({ file, logger, settleMs: 10 })).rejects.toThrow('contains no address')
  })

  it('follows the file, and keeps the last good list when it breaks or disappears', async () => {
    await writeFile(file, A)
    sanctions = await openSanctions({ file, logger, pollMs: 20, settleMs: 10 })
    const { isSanctioned, state } = sanctions
    await writeFile(file, `${A}\n${B}`)
    await until(() => isSanctioned(B))
    await writeFile(file, 'garbage')
    await until(() => state().status === 'degraded')
    expect([isSanctioned(A), isSanctioned(B)]).toEqual([true, true])
    await rm(file)
    await until(() => JSON.stringify(state()).includes('no such file'))
    expect(isSanctioned(B)).toBe(true)
    await writeFile(`${file}.new`, C)
    await rename(`${file}.new`, file)
    await until(() => state().status === 'ok')
    expect([isSanctioned(A), isSanctioned(C)]).toEqual([false, true])
  })

  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`)

  it('ignores a file that is still being written', async () => {
    await writeFile(file, many(10).join('\n'))
    sanctions = await openSanctions({ file, logger, pollMs: 10, settleMs: 150 })
    const { isSanctioned } = sanctions
    const seen: boolean[] = []
    // Always valid, never unchanged for longer than a moment.
    for (let count = 5; count <= 20; count++) {
      await writeFile(file, many(count).join('\n'))
      await new Promise((resolve) => setTimeout(resolve, 30))
      seen.push(isSanctioned(many(10)[9]!))
    }
    expect(seen).not.toContain(false)
    await until(() => isSanctioned(many(20)[19]!))
  })

  it('keeps the old list and reports it if the new one lost most entries', async () => {
    await writeFile(file, many(10).join('\n'))
    sanctions = await openSanctions({ file, logger, pollMs: 20, settleMs: 10 })
    const { isSanctioned, state } = sanctions
    await writeFile(file, many(4).join('\n'))
    await until(() => state().status === 'degraded')
    expect(JSON.stringify(state())).toContain('from 10 addresses to 4')
    expect(isSanctioned(many(10)[9]!)).toBe(true)
    await writeFile(file, many(5).join('\n'))
    await until(() => state().status === 'ok')
    expect(isSanctioned(many(10)[9]!)).toBe(false)
  })

  it('waits at start for a file that has just been written', async () => {
    await writeFile(file, many(1).join('\n'))
    const opening = openSanctions({ file, logger, pollMs: 20, settleMs: 200 })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await writeFile(file, many(3).join('\n'))
    sanctions = await opening
    expect(sanctions.state()).toMatchObject({ status: 'ok', addresses: 3 })
  })
})
