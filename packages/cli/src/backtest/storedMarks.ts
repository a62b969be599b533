import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marksBetween } from '@pit/market/markReads'
import { type Db, openDb, type Sql } from '@pit/platform/db'
import { StoreLockedError } from '@pit/platform/process'
import { readProfile } from '@pit/platform/settings'
import type { ChainProfile } from '@pit/protocol'
import type { Marks } from './marksFile.ts'
import { CommandRefused } from './refused.ts'

type Environment = Record<string, string | undefined>
const MAX_ROWS = 1_000_000

/** The store cannot be opened here; the server may still serve its marks. */
export class NoLocalStore extends CommandRefused {}

/** Opens the server's database, or its embedded store if no other process has it open. */
export async function openStoredMarks(env: Environment): Promise<{ db: Db; profile: ChainProfile }> {
  const dataDir = env['DATA_DIR'] || '.pit'
  const databaseUrl = env['DATABASE_URL'] || null
  const profile = await readStoreProfile(env)
  if (databaseUrl === null && !existsSync(join(dataDir, 'store'))) {
    throw new NoLocalStore(
      `No store in ${dataDir}. Start Pit once (npm start), set DATA_DIR or DATABASE_URL, or ` +
        'use --marks <file>.',
    )
  }
  return { db: await open(dataDir, databaseUrl), profile }
}

/** The chain profile of the server that owns the store. */
export const readStoreProfile = (env: Environment): Promise<ChainProfile> =>
  readProfile({
    file: env['PROFILE'] || join(env['DATA_DIR'] || '.pit', 'devnet', 'profile.json'),
    waitMs: 0,
  }).catch((error: Error) => {
    throw new NoLocalStore(error.message)
  })

const open = (dataDir: string, databaseUrl: string | null): Promise<Db> =>
  openDb({ dataDir, databaseUrl }).catch((error: unknown) => {
    if (!(error instanceof StoreLockedError)) throw error
    const pid = supervisorOf(dataDir) ?? error.pid
    throw new NoLocalStore(
      [
        `A running Pit (process ${pid}) has the store in ${dataDir} open; the embedded store allows ` +
          'one process at a time.',
        'Do one of these:',
        `  - stop it (Ctrl-C, or "kill ${pid}"), run this again, then restart it: no data is lost;`,
        '  - while it is stopped, save the prices with --save-marks <file> and use them later with ' +
          '--marks <file>;',
        '  - run Pit on PostgreSQL (DATABASE_URL): it can be read while Pit runs.',
      ].join('\n'),
    )
  })

/** The supervisor's process: it would restart the server if only the server were stopped. */
function supervisorOf(dataDir: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'start.lock'), 'utf8')) as { pid?: unknown }
    return typeof pid === 'number' ? pid : undefined
  } catch {
    return undefined
  }
}

/** Tokens as named in pairs: a core symbol or an address. */
export function addressOf(token: string, profile: Pick<ChainProfile, 'core_tokens'>): string {
  const core = profile.core_tokens.find(({ symbol }) => symbol === token)
  const address = core?.address ?? token
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) return address.toLowerCase()
  throw new CommandRefused(`${token} is neither a core symbol nor an address.`)
}

/** The marks of each token between two seconds. */
export async function readStoredMarks(
  sql: Sql,
  request: {
    tokens: readonly string[]
    profile: Pick<ChainProfile, 'core_tokens'>
    fromS: number
    toS: number
  },
): Promise<Marks> {
  const marks: Marks = new Map()
  for (const token of request.tokens) {
    const rows = await marksBetween(sql, {
      token: addressOf(token, request.profile),
      fromS: request.fromS,
      toS: request.toS,
      limit: MAX_ROWS,
    })
    // Truncating would drop the newest rows of the requested period.
    if (rows.length === MAX_ROWS)
      throw new CommandRefused(
        `More than ${MAX_ROWS} prices of ${token} in that period. Choose a shorter one.`,
      )
    marks.set(
      token,
      rows.map(({ minuteS, priceE18, stale }) => ({ atS: minuteS, priceE18, stale })),
    )
  }
  return marks
}
