import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  deployWorld,
  HISTORY_S,
  loadWorld,
  saveWorld,
  type World,
  type WorldOptions,
} from './deploy/index.ts'
import { openChain } from './engine/chain.ts'
import { collectGarbage } from './engine/collectGarbage.ts'
import type { Chain } from './engine/types.ts'
import { wakeAllocator } from './engine/wakeAllocator.ts'
import { type Curve, discoverVenues, type Pool, registriesOf } from './market/index.ts'
import { bringToFormat, writeFormat } from './stateFormat.ts'

const RELEASE_AFTER_MS = 3_000

interface Venues {
  pools: Pool[]
  curves: Curve[]
}

export interface OpenWorld {
  chain: Chain
  world: World
  venues: Venues
  /** Whether it was deployed now. */
  fresh: boolean
}

export interface OpenWorldOptions {
  /** Folder of chain, world and venues; absent: nothing is stored. */
  dir?: string
  nowMs: () => number
  world: WorldOptions
  stage: (text: string) => void
  log: (message: string, fields?: Record<string, unknown>) => void
}

export function writeWhole(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`)
  renameSync(`${file}.new`, file)
}

/**
 * Opens the chain and its world, deploying both the first time. The world's file is written last: it marks
 * both as complete.
 */
export async function openWorld(options: OpenWorldOptions): Promise<OpenWorld> {
  const { dir, stage } = options
  const files = dir && {
    chain: join(dir, 'chain'),
    world: join(dir, 'world.json'),
    venues: join(dir, 'venues.json'),
  }
  if (dir) {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    // An older folder may be open to other users.
    chmodSync(dir, 0o700)
    bringToFormat(dir, stage)
  }
  // A fresh chain begins in the past, so that its world has a history; afterwards it is now.
  let pastMs = HISTORY_S * 1000
  const open = async () =>
    openChain({
      ...(files && { dataDir: files.chain }),
      now: () => options.nowMs() - pastMs,
      log: options.log,
    })
  let chain = await open()
  if (!chain.fresh && files && !existsSync(files.world)) {
    stage('the last deployment was interrupted; starting again')
    await chain.close()
    rmSync(files.chain, { recursive: true, force: true })
    chain = await open()
  }
  if (!chain.fresh && files) {
    pastMs = 0
    stage(`chain reopened at block ${chain.head().number}`)
    const world = loadWorld(files.world)
    const venues = existsSync(files.venues) ? readVenues(files.venues) : await findVenues(chain, world)
    return { chain, world, venues, fresh: false }
  }
  if (files) rmSync(files.world, { force: true })
  stage('fresh chain: deploying the world')
  const world = await deployWorld(chain, options.world)
  pastMs = 0
  world.profile.league.first_season ??= mondayOf(options.nowMs())
  const venues = await findVenues(chain, world)
  if (files) {
    writeFormat(dir as string)
    writeWhole(files.venues, venues)
    saveWorld(files.world, world)
  }
  setTimeout(releaseMemory, RELEASE_AFTER_MS).unref()
  const { blocks, gasUsed } = world.stats
  const made = `${venues.pools.length} pools, ${venues.curves.length} curves`
  stage(`world deployed: ${made} in ${blocks} blocks, ${Math.round(Number(gasUsed) / 1e6)} M gas`)
  return { chain, world, venues, fresh: true }
}

/** Native memory of the deployment's traces, which no heap limit would free. EDR drops it on its own threads. */
function releaseMemory(): void {
  collectGarbage()
  wakeAllocator()
}

const readVenues = (file: string): Venues => JSON.parse(readFileSync(file, 'utf8'))

const findVenues = (chain: Chain, { profile }: World): Promise<Venues> =>
  discoverVenues(chain, registriesOf(profile), {
    fromBlock: BigInt(profile.first_block),
    toBlock: chain.head().number,
  })

/** The Monday of the week: the first season is open from the first start on. */
function mondayOf(nowMs: number): string {
  const dayMs = 24 * 3_600_000
  const sinceMonday = (new Date(nowMs).getUTCDay() + 6) % 7
  return new Date(nowMs - sinceMonday * dayMs).toISOString().slice(0, 10)
}
