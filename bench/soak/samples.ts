import { readdirSync, readFileSync } from 'node:fs'
import type { Db } from '@pit/platform/db'
import { median, quantile } from '../trade/measure.ts'

/** Measurements of one part of the soak. */
export interface Sample {
  atS: number
  /** Of each process: resident megabytes, and open files and connections. */
  mb: Record<string, number>
  files: Record<string, number>
  /** Megabytes of the server's store. */
  storeMb: number
  /** Ticks of all cores since the machine started, and those of them that its host gave to others. */
  cpu: { ticks: number; stolen: number }
  ms: Map<string, number[]>
}

export interface Flatness {
  what: string
  early: number
  late: number
  most: number
}

const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

function cpuTicks(): Sample['cpu'] {
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/\s+/).slice(1, 9).map(Number)
  return { ticks: ticks.reduce((a, b) => a + b, 0), stolen: ticks[7]! }
}

export async function takeSample(
  pids: Record<string, number>,
  db: Db,
  { atS, ms }: Pick<Sample, 'atS' | 'ms'>,
): Promise<Sample> {
  const each = (read: (pid: number) => number) =>
    Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, read(pid)]))
  const [size] = await db.query<{ bytes: string }>(
    'select pg_database_size(current_database())::text as bytes',
  )
  const storeMb = Number(size!.bytes) / 2 ** 20
  return { atS, mb: each(rssMb), files: each(openFiles), storeMb, cpu: cpuTicks(), ms }
}

export interface TableSize {
  table: string
  mb: number
  rows: number
}
export async function tableSizes(db: Db): Promise<TableSize[]> {
  await db.query('analyze')
  const rows = await db.query<{ table: string; bytes: string; rows: string }>(
    `select relname as table, pg_total_relation_size(oid)::text as bytes, reltuples::int8::text as rows
     from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  return rows.map(({ table, bytes, rows }) => ({ table, mb: Number(bytes) / 2 ** 20, rows: Number(rows) }))
}

/**
 * Memory, files and medians may be slightly higher at the end; a p99 of a shared machine is less reliable.
 */
const MOST = { mb: 1.15, files: 1.2, p50: 1.25, p99: 2 }

/** The second quarter beside the last one: caches are warm by then, and leaks had time to show. */
export function judgeFlat(samples: readonly Sample[]): Flatness[] {
  const quarter = Math.floor(samples.length / 4)
  const early = samples.slice(quarter, 2 * quarter)
  const late = samples.slice(-quarter)
  const compare = (what: string, most: number, of: (part: readonly Sample[]) => number): Flatness => ({
    ...{ what, most },
    early: of(early),
    late: of(late),
  })
  const names = Object.keys(samples[0]!.mb)
  const callNames = [...new Set(samples.flatMap(({ ms }) => [...ms.keys()]))]
  const msOf = (part: readonly Sample[], name: string) => part.flatMap(({ ms }) => ms.get(name) ?? [])
  return [
    ...names.map((name) =>
      compare(`${name} MB`, MOST.mb, (part) => Math.max(...part.map(({ mb }) => mb[name]!))),
    ),
    ...names.map((name) =>
      compare(`${name} files`, MOST.files, (part) => median(part.map(({ files }) => files[name]!))),
    ),
    ...callNames.map((name) => compare(`${name} p50 ms`, MOST.p50, (part) => median(msOf(part, name)))),
    ...callNames.map((name) =>
      compare(`${name} p99 ms`, MOST.p99, (part) => quantile(msOf(part, name), 0.99)),
    ),
  ]
}

const LINES = 12

const stolenPct = (from: Sample, to: Sample): number =>
  (100 * (to.cpu.stolen - from.cpu.stolen)) / Math.max(1, to.cpu.ticks - from.cpu.ticks)

/** The whole time in a dozen lines. */
export function printTable(samples: readonly Sample[]): void {
  const names = Object.keys(samples[0]!.mb)
  const processes = names.map((name) => `${name} MB/files`)
  console.log(['minute', ...processes, 'store MB', 'stolen', 'p50 of each, ms'].join(' | '))
  const step = Math.max(1, Math.ceil(samples.length / LINES))
  for (let i = 0; i < samples.length; i += step) {
    const part = samples.slice(i, i + step)
    const last = part.at(-1)!
    const callNames = [...new Set(part.flatMap(({ ms }) => [...ms.keys()]))].sort()
    const ms = callNames.map(
      (name) => `${name} ${median(part.flatMap((one) => one.ms.get(name) ?? [])).toFixed(1)}`,
    )
    const sizes = names.map((name) => `${last.mb[name]!.toFixed(0)}/${last.files[name]}`)
    const stolen = `${stolenPct(samples[Math.max(0, i - 1)]!, last).toFixed(1)}%`
    const minute = (last.atS / 60).toFixed(0)
    console.log([minute, ...sizes, last.storeMb.toFixed(1), stolen, ms.join(', ')].join(' | '))
  }
}
