import type { RecordStore } from '@pit/client'
import type { ChainProfile } from '@pit/protocol'

/** Signed roots and created agents stored in this browser; a recreated devnet starts without. */
export function browserRecords({ kind, chain_id, cosigner }: ChainProfile): RecordStore {
  const scope = kind === 'devnet' ? `devnet-${(cosigner ?? 'none').toLowerCase()}` : `chain-${chain_id}`
  const place = `pit.records.${scope}.`
  const { localStorage } = window
  return {
    read: async (key) => localStorage.getItem(place + key),
    write: async (key, text) => localStorage.setItem(place + key, text),
    list: async (prefix) =>
      Object.keys(localStorage)
        .filter((key) => key.startsWith(place + prefix))
        .map((key) => key.slice(place.length)),
  }
}
