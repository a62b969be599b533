import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { ChainProfile } from '@pit/protocol'
import type { Address } from 'viem'
import type { Registries, WorldAgent } from './agents.ts'
import type { WorldFeed } from './feeds.ts'
import type { Specimen } from './gallery.ts'
import type { Hooks } from './hooks.ts'
import type { LongTailToken } from './longTail.ts'
import type { PonsAt, PonsToken } from './pons.ts'

/** Everything that was deployed, as plain data, for the devnet's answers and its operator. */
export interface World {
  profile: ChainProfile
  /** Bad tokens (and one good) by their defect. */
  gallery: Record<string, Specimen>
  agents: WorldAgent[]
  registries: Registries
  /** The ten test accounts; 0 deployed everything and operates it. */
  accounts: Address[]
  longTail: LongTailToken[]
  /** The contract that owns all fixtures and acts for account 0: `act(Act[])`. */
  builder: Address
  /** By asset symbol; `latest` is on chain. */
  feeds: Record<string, WorldFeed>
  stocks: Record<string, Address>
  hooks: Hooks
  launchpad: { launchpad: Address; graduator: Address; curveCode: Address }
  pons: PonsAt & { tokens: PonsToken[] }
  upgradeable: { token: Address; first: Address; second: Address }
  sanctioned: Address
  stats: { gasUsed: string; blocks: number; bootMs: number }
}

export function saveWorld(file: string, world: World): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(world, null, 2)}\n`)
  renameSync(`${file}.new`, file)
}

export function loadWorld(file: string): World {
  return JSON.parse(readFileSync(file, 'utf8'))
}
