import { createHash } from 'node:crypto'
import { parseSanctions } from '@pit/platform/sanctions'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listText, readTreasuryList } from './index.ts'

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

async function* pieces(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const read = (text: string, size?: number) => readTreasuryList(pieces(text, size), { maxBytes: 10_000_000 })

const entry = (id: string) =>
  `<sdnEntry><uid>1</uid><lastName>A &amp; B</lastName><idList>${id}</idList></sdnEntry>`
const idOf = (type: string, number: string) =>
  `<id><uid>9</uid><idType>${type}</idType><idNumber>${number}</idNumber></id>`
const sdn = (entries: string[], { count = entries.length, date = '11/14/2026' } = {}) =>
  `<?xml version="1.0" standalone="yes"?>\n<sdnList xmlns="https://sanctionslistservice.ofac.treas.gov/api/x">` +
  `<publshInformation><Publish_Date>${date}</Publish_Date><Record_Count>${count}</Record_Count></publshInformation>` +
  `${entries.join('\n')}</sdnList>`

const feature = (kind: number, value: string) =>
  `<Feature ID="1" FeatureTypeID="${kind}"><FeatureVersion ID="2"><VersionDetail DetailTypeID="1432">${value}` +
  '</VersionDetail></FeatureVersion></Feature>'
const advanced = (features: string[]) =>
  '<?xml version="1.0"?><!-- made --><ns:Sanctions xmlns:ns="x" Version="3"><DateOfIssue CalendarTypeID="1">' +
  '<Year>2026</Year><Month>11</Month><Day>4</Day></DateOfIssue><ReferenceValueSets><FeatureTypeValues>' +
  '<FeatureType ID="344" FeatureTypeGroupID="1">Digital Currency Address - XBT</FeatureType>' +
  '<FeatureType ID="345">Digital Currency Address - ETH</FeatureType><FeatureType ID="9">Gender</FeatureType>' +
  '<FeatureType ID="998">Digital Currency Address - USDC</FeatureType></FeatureTypeValues></ReferenceValueSets>' +
  `<DistinctParties><DistinctParty><Profile>${features.join('')}</Profile></DistinctParty></DistinctParties>` +
  '</ns:Sanctions>'

describe('what the Treasury publishes', () => {
  it('is read as SDN.XML', async () => {
    const text = sdn([
      entry(idOf('Digital Currency Address - ETH', address(2).toUpperCase().replace('0X', '0x'))),
      entry(idOf('Digital Currency Address - XBT', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')),
      entry(idOf('Passport', address(3)) + idOf('Digital Currency Address - ARB', ` ${address(1)} `)),
    ])
    const list = await read(text)
    expect(list).toEqual({
      addresses: [address(1), address(2)],
      publishedOn: '2026-11-14',
      sha256: createHash('sha256').update(text).digest('hex'),
    })
  })

  it('is read as SDN_ADVANCED.XML, by the numbers it gives the kinds', async () => {
    const list = await read(
      advanced([
        feature(345, address(7)),
        feature(998, `<![CDATA[${address(5)}]]>`),
        feature(9, address(6)),
        feature(344, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'),
      ]),
    )
    expect(list).toMatchObject({ addresses: [address(5), address(7)], publishedOn: '2026-11-04' })
  })

  it('is the same however it is cut', async () => {
    const texts = [
      sdn([entry(idOf('Digital Currency Address - ETH', address(2)))]),
      advanced([feature(345, address(2))]),
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), fc.integer({ min: 1, max: 300 }), async (text, size) => {
        expect((await read(text, size)).addresses).toEqual([address(2)])
      }),
      { numRuns: 40 },
    )
  })

  it('becomes a list that a server takes', async () => {
    const list = await read(advanced([feature(345, address(7))]))
    const text = listText(list, { source: 'a file', takenAtMs: 0 })
    expect([...parseSanctions(text)]).toEqual([address(7)])
    expect(text).toContain('# taken 1970-01-01T00:00:00.000Z')
  })
})

describe('what is refused', () => {
  const one = entry(idOf('Digital Currency Address - ETH', address(2)))
  const BOMB =
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>' +
    '<sdnList><x>&c;</x></sdnList>'
  it.each([
    ['an entity bomb', BOMB, 'document type'],
    ['an outside entity', '<!DOCTYPE x SYSTEM "file:///etc/passwd"><sdnList/>', 'document type'],
    ['its own entity', sdn([`<sdnEntry>&bomb;</sdnEntry>`]), 'entity'],
    ['a list cut short', sdn([one]).slice(0, -20), 'unclosed tag'],
    ['tags that do not close', '<sdnList><a></b></sdnList>', 'unexpected close tag'],
    ['two roots', '<sdnList></sdnList><sdnList></sdnList>', 'only one root'],
    ['entries that are missing', sdn([one], { count: 2 }), 'declares 2 entries'],
    ['no date', sdn([one], { date: 'soon' }), 'no publication date'],
    ['no address', sdn([entry(idOf('Passport', address(2)))]), 'no EVM address'],
    ['something else', '<html><body>Access denied</body></html>', 'neither'],
    ['nothing', '', 'must contain a root'],
    ['no XML', 'Access denied', 'text data outside of root'],
    ['a nest without end', '<a>'.repeat(100), 'nested too deep'],
    ['a tag without end', `<sdnList ${'a'.repeat(70_000)}`, 'too long'],
    ['a text without end', `<sdnList>${'a'.repeat(70_000)}`, 'too long'],
    ['an attribute that hides', '<sdnList a="1"b="2"></sdnList>', 'no whitespace between attributes'],
  ])('%s', async (_name, text, why) => {
    await expect(read(text, 512)).rejects.toThrow(new RegExp(why))
  })

  it('bytes that are not text', async () => {
    await expect(readTreasuryList(pieces(new Uint8Array([60, 97, 62, 0xff, 0xfe])))).rejects.toThrow('UTF-8')
  })

  it('a list without end, in bounded memory', async () => {
    const chunk = new TextEncoder().encode(one.repeat(500))
    let sent = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('<sdnList>')
      for (;;) {
        sent += chunk.length
        yield chunk
      }
    }
    const before = process.memoryUsage().heapUsed
    await expect(readTreasuryList(endless(), { maxBytes: 3_000_000 })).rejects.toThrow(
      'more than 3000000 bytes',
    )
    expect(sent).toBeLessThan(3_000_000 + 2 * chunk.length)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000)
  })
})
