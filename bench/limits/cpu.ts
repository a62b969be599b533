import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** A measured process; `tree` includes its children (PostgreSQL has one per connection). */
export interface Watched {
  name: string
  pid: number
  tree?: true
}

/** In hundredths of one core. */
export interface Share {
  name: string
  total: number
  /** The first thread, which runs JavaScript in a process of Node. */
  main: number
  /** The busiest thread besides the first: the embedded store's, if there is one. */
  other: number
  /** By the name of the thread, the first called `main`; busiest first. */
  byName: [name: string, share: number][]
}

export interface CpuUse {
  shares: Share[]
  /** The whole machine, all cores together. */
  machine: number
  /** Use by processes that are not watched: other work and the kernel. */
  elsewhere: number
}

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_S = 100
/** Threshold for a fully used machine or core. */
const FULL = 0.9
const CALM_PERCENT = 20
const MAX_CALM_S = 30

/** Starts counting; the returned function gives the use since then. */
export function startCpu(watched: readonly Watched[]): () => CpuUse {
  const startedAt = performance.now()
  const before = read(watched)
  return () => {
    const seconds = (performance.now() - startedAt) / 1_000
    const after = read(watched)
    const percent = (ticks: number): number => (ticks / TICKS_PER_S / seconds) * 100
    const shares = watched.map(({ name, pid }): Share => {
      const used = [...(after.threads.get(name) ?? [])].map(([id, ticks]) => ({
        id,
        // A process that was not there before started at zero.
        ticks: ticks - (before.threads.get(name)?.get(id) ?? 0),
      }))
      const others = used.filter(({ id }) => id !== pid).map(({ ticks }) => ticks)
      return {
        name,
        total: percent(used.reduce((sum, { ticks }) => sum + ticks, 0)),
        main: percent(used.find(({ id }) => id === pid)?.ticks ?? 0),
        other: percent(Math.max(0, ...others)),
        byName: sumByName(used.map(({ id, ticks }) => [threadName(pid, id), percent(ticks)])),
      }
    })
    const machine = percent(after.machine - before.machine)
    const own = shares.reduce((sum, { total }) => sum + total, 0)
    return { shares, machine, elsewhere: Math.max(0, machine - own) }
  }
}

/** Waits until processes are nearly idle: after its start a server reads the market and the tokens. */
export async function untilCalm(watched: readonly Watched[]): Promise<void> {
  const endMs = performance.now() + MAX_CALM_S * 1_000
  for (let used = 100; used > CALM_PERCENT && performance.now() < endMs; ) {
    const endCpu = startCpu(watched)
    await sleep(1_000)
    used = Math.max(...endCpu().shares.map(({ total }) => total))
  }
}

interface Reading {
  machine: number
  threads: Map<string, Map<number, number>>
}

function read(watched: readonly Watched[]): Reading {
  const parents = watched.some(({ tree }) => tree) ? childrenByParent() : new Map<number, number[]>()
  const threads = watched.map(({ name, pid, tree }): [string, Map<number, number>] => {
    const pids = tree ? [pid, ...(parents.get(pid) ?? [])] : [pid]
    return [name, new Map(pids.flatMap(threadsOf))]
  })
  return { machine: machineTicks(), threads: new Map(threads) }
}

const readOr = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null // The process ended meanwhile.
  }
}

/** The fields of a stat file after the name, which may contain spaces. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ')

function threadsOf(pid: number): [number, number][] {
  const ids = listOr(`/proc/${pid}/task`)
  return ids.flatMap((id): [number, number][] => {
    const stat = readOr(`/proc/${pid}/task/${id}/stat`)
    if (stat === null) return []
    const fields = fieldsOf(stat)
    return [[Number(id), Number(fields[11]) + Number(fields[12])]]
  })
}

const threadName = (pid: number, id: number): string =>
  id === pid ? 'main' : (readOr(`/proc/${pid}/task/${id}/comm`)?.trim() ?? 'ended')

function sumByName(shares: readonly [string, number][]): [string, number][] {
  const sums = new Map<string, number>()
  for (const [name, share] of shares) sums.set(name, (sums.get(name) ?? 0) + share)
  return [...sums].sort(([, a], [, b]) => b - a)
}

function listOr(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const id of listOr('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = readOr(`/proc/${id}/stat`)
    if (stat === null) continue
    const parent = Number(fieldsOf(stat)[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(id)])
  }
  return children
}

/** Everything but idle and waiting for disks. */
function machineTicks(): number {
  const [, ...fields] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/\s+/)
  const [user, nice, system, , , irq, softirq, steal] = fields.map(Number)
  return user! + nice! + system! + irq! + softirq! + steal!
}

/**
 * The bottleneck, from the measurements. First the cores that the servers may use, if they are fewer than the
 * machine's, then a single thread, then the machine.
 */
export function whatIsFull(cpu: CpuUse, serverCores: number): string {
  const servers = cpu.shares.filter(({ name }) => name.startsWith('server'))
  const ofServers = servers.reduce((sum, { total }) => sum + total, 0)
  const round = (value: number): string => `${value.toFixed(0)}%`
  if (serverCores < cpus().length && ofServers >= serverCores * 100 * FULL)
    return `the servers' ${serverCores === 1 ? 'one core' : `${serverCores} cores`}, at ${round(ofServers)}`
  const threads = cpu.shares.flatMap(({ name, main, other }) => [
    { what: `the main thread of ${name}`, used: main },
    { what: name === 'postgres' ? 'one connection of postgres' : `another thread of ${name}`, used: other },
  ])
  const busiest = threads.sort((a, b) => b.used - a.used)[0]!
  if (busiest.used >= 100 * FULL) return `${busiest.what}, at ${round(busiest.used)} of a core`
  const all = cpus().length * 100
  const busiestText = `busiest is ${busiest.what} at ${round(busiest.used)} of a core`
  if (cpu.machine >= all * FULL)
    return `the machine's ${cpus().length} cores, at ${round(cpu.machine)}; ${busiestText}`
  return `no core is full (machine ${round(cpu.machine)} of ${all}%); ${busiestText}`
}
