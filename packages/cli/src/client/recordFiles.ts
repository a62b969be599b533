import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordStore } from '@pit/client'
import { writeWhole } from '@pit/sidecar'
import { configHome, type Target } from './settings.ts'

const ENDING = '.json'

/** One folder per chain; a recreated devnet has a new co-signer and so starts without records. */
export function recordFolder(env: Record<string, string | undefined>, { profile }: Pick<Target, 'profile'>) {
  const { kind, chain_id, cosigner } = profile
  const scope = kind === 'devnet' ? `devnet-${(cosigner ?? 'none').toLowerCase()}` : `chain-${chain_id}`
  return join(configHome(env), 'records', scope)
}

/** One private file per record: written to a draft, synced, then renamed into place. */
export function openRecordFiles(folder: string): RecordStore {
  const nameOf = (key: string): string => `${encodeURIComponent(key)}${ENDING}`
  return {
    async read(key) {
      const file = join(folder, nameOf(key))
      return existsSync(file) ? readFileSync(file, 'utf8') : null
    },
    async write(key, text) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeWhole(folder, nameOf(key), `${text}\n`)
    },
    async list(prefix) {
      if (!existsSync(folder)) return []
      const names = readdirSync(folder).filter((name) => name.endsWith(ENDING))
      const keys = names.map((name) => decodeURIComponent(name.slice(0, -ENDING.length)))
      return keys.filter((key) => key.startsWith(prefix)).sort()
    },
  }
}
