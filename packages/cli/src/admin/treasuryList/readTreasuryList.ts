import { createHash } from 'node:crypto'
import { SanctionsFileError } from '@pit/platform/sanctions'
import { readXml, type XmlListener } from './readXml.ts'

export interface TreasuryList {
  /** Lower case, sorted. */
  addresses: string[]
  /** The list's own publication date, as an ISO date. */
  publishedOn: string
  /** Hash of the bytes read. */
  sha256: string
}

const KIND = /^Digital Currency Address - [A-Z0-9]{2,10}$/
const EVM = /^0x[0-9a-fA-F]{40}$/
/** Far more than the Treasury lists: a longer file is not its list. */
const MAX_ADDRESSES = 100_000

/**
 * Reads the EVM addresses of the US Treasury's SDN.XML or SDN_ADVANCED.XML as a stream. Every 0x address
 * counts, whatever coin it is listed under: one key controls it on every EVM chain.
 */
export async function readTreasuryList(
  chunks: AsyncIterable<Uint8Array>,
  options: { maxBytes?: number } = {},
): Promise<TreasuryList> {
  const hash = createHash('sha256')
  const list = gather()
  await readXml(hashed(chunks, hash), list.listener, options)
  return { ...list.done(), sha256: hash.digest('hex') }
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hash: { update(bytes: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

interface State {
  root: string | null
  addresses: Set<string>
  published: string | null
  /** SDN.XML: the current kind, and the actual and declared number of entries. */
  idType: string
  entries: number
  stated: number | null
  /** SDN_ADVANCED.XML: parts of its date, the numbers of the kinds, and that of the open feature. */
  inDate: boolean
  date: Partial<Record<'Year' | 'Month' | 'Day', number>>
  kindId: string | undefined
  kinds: Set<string>
  feature: string | null
}

function gather(): { listener: XmlListener; done(): Omit<TreasuryList, 'sha256'> } {
  const state: State = {
    ...{ root: null, addresses: new Set(), published: null, idType: '', entries: 0, stated: null },
    ...{ inDate: false, date: {}, kindId: undefined, kinds: new Set(), feature: null },
  }
  return { listener: listenerOf(state), done: () => concluded(state) }
}

function listenerOf(state: State): XmlListener {
  function addAddress(text: string): void {
    if (!EVM.test(text)) return
    // Copy: a slice would keep the whole chunk of the file in memory.
    state.addresses.add(Buffer.from(text.toLowerCase()).toString())
    if (state.addresses.size > MAX_ADDRESSES)
      throw new SanctionsFileError(`the list has more than ${MAX_ADDRESSES} addresses`)
  }
  const closes: Record<string, (text: string) => void> = {
    Publish_Date: (text) => {
      state.published = isoOf(/^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text)?.slice(1), ([m, d, y]) => [y, m, d])
    },
    Record_Count: (text) => {
      state.stated = /^\d{1,9}$/.test(text) ? Number(text) : null
    },
    sdnEntry: () => void state.entries++,
    idType: (text) => {
      state.idType = text
    },
    idNumber: (text) => {
      if (KIND.test(state.idType)) addAddress(text)
    },
    id: () => {
      state.idType = ''
    },
    FeatureType: (text) => {
      if (KIND.test(text) && state.kindId !== undefined) state.kinds.add(state.kindId)
    },
    Feature: () => {
      state.feature = null
    },
    VersionDetail: (text) => {
      if (state.feature !== null && state.kinds.has(state.feature)) addAddress(text)
    },
    DateOfIssue: () => {
      const { Year, Month, Day } = state.date
      state.inDate = false
      state.published = isoOf([Year, Month, Day].map(String), (parts) => parts)
    },
  }
  return {
    open(name, attributes) {
      state.root ??= name
      if (name === 'FeatureType') state.kindId = attributes.get('ID')
      if (name === 'Feature') state.feature = attributes.get('FeatureTypeID') ?? null
      if (name === 'DateOfIssue') state.inDate = true
    },
    close(name, text) {
      if (state.inDate && (name === 'Year' || name === 'Month' || name === 'Day'))
        state.date[name] = Number(text)
      // Own properties only: names come from the document.
      if (Object.hasOwn(closes, name)) closes[name]!(text)
    },
  }
}

function isoOf(
  parts: readonly string[] | undefined,
  ordered: (parts: readonly string[]) => readonly (string | undefined)[],
): string | null {
  if (!parts) return null
  const [year, month, day] = ordered(parts).map((part) => part?.padStart(2, '0'))
  const date = `${year}-${month}-${day}`
  return Number.isNaN(Date.parse(date)) ? null : date
}

function concluded({ root, published, entries, stated, addresses }: State): Omit<TreasuryList, 'sha256'> {
  const broken = (why: string): never => {
    throw new SanctionsFileError(`not a Treasury list: ${why}`)
  }
  if (root !== 'sdnList' && root !== 'Sanctions') broken('it is neither SDN.XML nor SDN_ADVANCED.XML')
  if (root === 'sdnList' && stated !== entries) broken(`it declares ${stated} entries and has ${entries}`)
  if (addresses.size === 0) broken('it contains no EVM address')
  return {
    addresses: [...addresses].sort(),
    publishedOn: published ?? broken('it has no publication date'),
  }
}
