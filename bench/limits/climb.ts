import { quantile } from '../trade/measure.ts'
import { type CpuUse, startCpu, type Watched } from './cpu.ts'

/** Result of a closed loop of clients. */
export interface Ran {
  done: number
  seconds: number
  /** Duration of each finished round. */
  ms: number[]
  /** Answers that were not 200, and other failures, by code. */
  refused: Record<string, number>
  /** Checks for later failures after the clock was stopped. */
  failedLater?(): Promise<Record<string, number>>
}

export interface Load {
  name: string
  /** Opens clients up to this number; not measured. */
  prepare(clients: number): Promise<void>
  run(clients: number, seconds: number): Promise<Ran>
}

export interface Step {
  clients: number
  perS: number
  p50Ms: number
  p99Ms: number
  refused: Record<string, number>
  cpu: CpuUse
}

export interface Measured {
  /** The best step within the limits; the first step if none was. */
  best: Step
  /** Reason for the end of the climb. */
  broke: string
}

const MAX_CLIENTS = 256
const MAX_P99_MS = 1_000
const GROWTH = 1.05
/** One or two steps without growth may be chance: two clients that wait for each other do less than one. */
const FLAT_STEPS = 3
const WARM_CLIENTS = 4

/** Twice as many clients at each step, until a limit breaks. */
export async function climb(
  load: Load,
  { watched, stepS, tell }: { watched: readonly Watched[]; stepS: number; tell(line: string): void },
): Promise<Measured> {
  await load.prepare(WARM_CLIENTS)
  await load.run(WARM_CLIENTS, stepS)
  let best: Step | undefined
  let flat = 0
  for (let clients = 1; clients <= MAX_CLIENTS; clients *= 2) {
    await load.prepare(clients)
    const step = await measureStep(load, { clients, stepS, watched })
    tell(`  ${clients} clients: ${describe(step)}`)
    const wrong = brokenLimit(step)
    if (wrong !== null) return { best: best ?? step, broke: `${wrong} at ${clients} clients` }
    flat = best === undefined || step.perS >= best.perS * GROWTH ? 0 : flat + 1
    if (best === undefined || step.perS > best.perS) best = step
    if (flat === FLAT_STEPS) return { best, broke: `no growth from ${best.clients} to ${clients} clients` }
  }
  return { best: best!, broke: `nothing up to ${MAX_CLIENTS} clients` }
}

async function measureStep(
  load: Load,
  { clients, stepS, watched }: { clients: number; stepS: number; watched: readonly Watched[] },
): Promise<Step> {
  const endCpu = startCpu(watched)
  const ran = await load.run(clients, stepS)
  const cpu = endCpu()
  const refused = { ...ran.refused, ...(await ran.failedLater?.()) }
  const [p50Ms, p99Ms] = [quantile(ran.ms, 0.5), quantile(ran.ms, 0.99)]
  return { clients, perS: ran.done / ran.seconds, p50Ms, p99Ms, refused, cpu }
}

function brokenLimit({ p99Ms, refused, perS }: Step): string | null {
  const codes = Object.entries(refused)
  if (codes.length > 0) return `refused: ${codes.map(([code, n]) => `${n} ${code}`).join(', ')}`
  if (perS === 0) return 'nothing was done'
  if (p99Ms > MAX_P99_MS) return `p99 ${(p99Ms / 1_000).toFixed(1)} s`
  return null
}

function describe({ perS, p50Ms, p99Ms, refused, cpu }: Step): string {
  const used = cpu.shares.map(({ name, total }) => `${name} ${total.toFixed(0)}%`)
  const codes = Object.keys(refused).length > 0 ? `, refused ${JSON.stringify(refused)}` : ''
  return (
    `${perS.toFixed(1)} a second, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${codes}; ` +
    `${used.join(', ')}, elsewhere ${cpu.elsewhere.toFixed(0)}%`
  )
}

/** After a refusal a client pauses, or the refusals alone would fill the machine. */
const REFUSED_PAUSE_MS = 50

/** This many clients, each with one round at a time. A round returns an error code, or null on success. */
export async function closedLoop(
  clients: number,
  seconds: number,
  round: (client: number) => Promise<string | null>,
): Promise<Ran> {
  const ms: number[] = []
  const refused: Record<string, number> = {}
  const startedAt = performance.now()
  const one = async (_: unknown, client: number): Promise<void> => {
    while (performance.now() < startedAt + seconds * 1_000) {
      const beganAt = performance.now()
      const code = await round(client).catch((error: Error) => error.message.slice(0, 60))
      if (code === null) {
        ms.push(performance.now() - beganAt)
        continue
      }
      refused[code] = (refused[code] ?? 0) + 1
      await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS))
    }
  }
  await Promise.all(Array.from({ length: clients }, one))
  return { done: ms.length, seconds: (performance.now() - startedAt) / 1_000, ms, refused }
}
