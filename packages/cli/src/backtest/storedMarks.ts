import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marksBetween } from '@pit/market/markReads'
import { type Db, openDb, type Sql, StoreLockedError } from '@pit/platform/db'
import { readProfile } from '@pit/platform/readProfile'
import type { ChainProfile } from '@pit/protocol'
import type { Marks } from './marksFile.ts'
import { CommandRefused } from './refused.ts'

type Environment = Record<string, string | undefined>
const MAX_ROWS = 1_000_000

/** The store cannot be read here; the server may still serve its marks. */
export class NoLocalStore extends CommandRefused {}

/** Where the marks of a server are: its database, or its embedded store while nothing else has it open. */
export async function openStoredMarks(env: Environment): Promise<{ db: Db; profile: ChainProfile }> {
  const dataDir = env['DATA_DIR'] || '.pit'
  const databaseUrl = env['DATABASE_URL'] || null
  const profile = await readProfile({
    file: env['PROFILE'] || join(dataDir, 'devnet', 'profile.json'),
    waitMs: 0,
  }).catch((error: Error) => {
    throw new NoLocalStore(error.message)
  })
  if (databaseUrl === null && !existsSync(join(dataDir, 'store'))) {
    throw new NoLocalStore(
      `There is no store in ${dataDir}. Start Pit once (npm start), set DATA_DIR or DATABASE_URL, or ` +
        'give --marks <file>.',
    )
  }
  return { db: await open(dataDir, databaseUrl), profile }
}

const open = (dataDir: string, databaseUrl: string | null): Promise<Db> =>
  openDb({ dataDir, databaseUrl }).catch((error: unknown) => {
    if (!(error instanceof StoreLockedError)) throw error
    const pid = supervisorOf(dataDir) ?? error.pid
    throw new NoLocalStore(
      [
        `A running Pit (process ${pid}) has the store in ${dataDir} open, and the embedded store takes ` +
          'one process at a time.',
        'Do one of these:',
        `  - stop it (Ctrl-C where it runs, or "kill ${pid}"), run this again, and start it again: ` +
          'nothing is lost;',
        '  - save the marks while it is stopped with --save-marks <file>, and use them any time with ' +
          '--marks <file>;',
        '  - run Pit on PostgreSQL (DATABASE_URL): it can be read while Pit runs.',
      ].join('\n'),
    )
  })

/** Who started the server, and would start it again if only that were ended. */
function supervisorOf(dataDir: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'start.lock'), 'utf8')) as { pid?: unknown }
    return typeof pid === 'number' ? pid : undefined
  } catch {
    return undefined
  }
}

/** The tokens as the pairs name them: a core symbol or an address. */
export function addressOf(token: string, profile: Pick<ChainProfile, 'core_tokens'>): string {
  const core = profile.core_tokens.find(({ symbol }) => symbol === token)
  const address = core?.address ?? token
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) return address.toLowerCase()
  throw new CommandRefused(`${token} is neither a core symbol nor an address`)
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
    // Cut at its newest end it would be another history than was asked for.
    if (rows.length === MAX_ROWS)
      throw new CommandRefused(`over ${MAX_ROWS} marks of ${token} in that time: choose a shorter one`)
    marks.set(
      token,
      rows.map(({ minuteS, priceE18, stale }) => ({ atS: minuteS, priceE18, stale })),
    )
  }
  return marks
}
