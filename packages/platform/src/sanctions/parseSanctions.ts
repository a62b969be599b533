/** The file is not a valid list. A running process keeps the old list; a starting one refuses to start. */
export class SanctionsFileError extends Error {}

const ADDRESS = /^0x[0-9a-f]{40}$/
const TREASURY_MARKER = 'Digital Currency Address'
/** `Digital Currency Address - ETH 0x…;` of sdn.csv and sdn.txt, and the idType/idNumber pair of sdn.xml. */
const TREASURY_ENTRY =
  /Digital Currency Address - [A-Z0-9]{2,10}(?:<\/idType>\s*<idNumber>)?\s*(0x[0-9a-fA-F]{40})(?![0-9a-fA-F])/g
/** sdn_advanced.xml defines the kinds once and refers to them by number. */
const FEATURE_TYPE = /<FeatureType\s([^<>]*)>\s*Digital Currency Address - [A-Z0-9]{2,10}\s*</g
const FEATURE = /<Feature\s[^<>]*?FeatureTypeID="(\d+)"/
const DETAIL = /<VersionDetail[^<>]*>\s*(0x[0-9a-fA-F]{40})\s*<\/VersionDetail>/g

/**
 * Addresses of a sanctions list, in lower case. Accepts our plain format (one address per line, `#`
 * comments), the US Treasury's files (sdn.csv, sdn.txt, sdn.xml and sdn_advanced.xml), and both in one file.
 * Every 0x address counts, whatever coin it is listed under: the same key controls it on every EVM chain.
 */
export function parseSanctions(text: string): ReadonlySet<string> {
  const lines = text.split('\n').map((line) => line.split('#')[0]!.trim())
  const addresses = new Set(lines.map((line) => line.toLowerCase()).filter((line) => ADDRESS.test(line)))
  if (lines.some((line) => line.includes(TREASURY_MARKER))) {
    for (const address of treasuryAddresses(text)) addresses.add(address)
  } else {
    // A file without Treasury rows is in our format, so every line must be valid.
    const wrong = lines.findIndex((line) => line !== '' && !ADDRESS.test(line.toLowerCase()))
    if (wrong >= 0) throw new SanctionsFileError(`line ${wrong + 1} is not an address or a # comment`)
  }
  if (addresses.size === 0) throw new SanctionsFileError('the sanctions list contains no address')
  return addresses
}

function treasuryAddresses(text: string): Set<string> {
  const addresses = new Set<string>()
  for (const match of text.matchAll(TREASURY_ENTRY)) addresses.add(match[1]!.toLowerCase())
  const kinds = new Set<string>()
  for (const [, fields] of text.matchAll(FEATURE_TYPE)) {
    const kind = /\bID="(\d+)"/.exec(fields!)?.[1]
    if (kind !== undefined) kinds.add(kind)
  }
  if (kinds.size === 0) return addresses
  for (const feature of text.split('</Feature>')) {
    if (!kinds.has(FEATURE.exec(feature)?.[1] ?? '')) continue
    for (const detail of feature.matchAll(DETAIL)) addresses.add(detail[1]!.toLowerCase())
  }
  return addresses
}
