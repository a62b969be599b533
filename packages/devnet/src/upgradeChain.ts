import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openArchive } from './engine/archive.ts'
import { openFormatOneArchive } from './engine/formatOneArchive.ts'

/** The chain of format 1 stays beside the new one, for a return to the version before. */
const OLD = 'chain.format1'
const DRAFT = 'chain.draft'
const CHUNK_BLOCKS = 128
const SHOWN_BLOCKS = 100_000

/** Fields of world.json and venues.json in the version before; earlier versions had fewer. */
const WORLD_FIELDS = ['profile', 'agents', 'registries', 'longTail', 'builder', 'launchpad', 'pons', 'hooks']
const VENUE_FIELDS = ['pools', 'curves']

/** Whether the folder was written by the version before: its log and world are as today's, only its archive is not. */
export const isUpgradeable = (dir: string): boolean =>
  existsSync(join(dir, 'chain', 'archive.blocks')) &&
  hasFields(join(dir, 'world.json'), WORLD_FIELDS) &&
  hasFields(join(dir, 'venues.json'), VENUE_FIELDS)

function hasFields(file: string, names: readonly string[]): boolean {
  try {
    const content = JSON.parse(readFileSync(file, 'utf8')) as object
    return names.every((name) => name in content)
  } catch {
    return false
  }
}

/** Writes the chain anew beside the old one, then exchanges them: a crash before that changes nothing. */
export function upgradeChain(dir: string, stage: (text: string) => void): void {
  const [chain, draft] = [join(dir, 'chain'), join(dir, DRAFT)]
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  for (const name of readdirSync(chain))
    if (/^(wal|image|state)-/.test(name)) cpSync(join(chain, name), join(draft, name))
  const old = openFormatOneArchive(chain)
  const archive = openArchive(draft)
  try {
    stage(`bringing the chain of an older version to this one: ${old.count} blocks`)
    for (let from = 0; from < old.count; from += CHUNK_BLOCKS) {
      const numbers = Array.from({ length: Math.min(CHUNK_BLOCKS, old.count - from) }, (_, i) => from + i)
      archive.append(numbers.map(old.read))
      if (from > 0 && from % (CHUNK_BLOCKS * Math.ceil(SHOWN_BLOCKS / CHUNK_BLOCKS)) === 0)
        stage(`${from} of ${old.count} blocks`)
    }
  } finally {
    archive.close()
    old.close()
  }
  rmSync(join(dir, OLD), { recursive: true, force: true })
  renameSync(chain, join(dir, OLD))
  renameSync(draft, chain)
  stage(`the chain is complete; its older form is in ${join(dir, OLD)}, delete it when all works`)
}

/** After a crash between the two renames: the draft was complete. */
export function finishUpgrade(dir: string): void {
  const [chain, draft] = [join(dir, 'chain'), join(dir, DRAFT)]
  if (!existsSync(chain) && existsSync(draft) && existsSync(join(dir, OLD))) renameSync(draft, chain)
}
