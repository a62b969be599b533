/**
 * The limits of one machine: for each setup (store, processes, cores) the load is raised until a limit breaks.
 * Prints how much that was, what was full, what one more process, one more core or PostgreSQL brings, and how
 * many agents need how much. Tables are on stdout, progress is on stderr. Wants a machine that does nothing
 * else: what other work took is shown as "elsewhere". Linux only (/proc, taskset).
 * node scripts/build.mjs && LIMITS_STEP_S=4 LIMITS_LOADS=reads,trades LIMITS_SETUPS=pglite-1-two node dist/bench/limits.js
 */
import { cpus, loadavg } from 'node:os'
import { type Closing, createClosing } from '@pit/platform/process'
import { climb, type Measured } from './limits/climb.ts'
import { HTTP_LOADS } from './limits/loads.ts'
import { printPlan } from './limits/plan.ts'
import { printChanges, printDisturbed, printLoads, type Results } from './limits/report.ts'
import { chosen, SETUPS } from './limits/setups.ts'
import { measureTicks } from './limits/ticks.ts'
import { openWorld } from './limits/world.ts'

const STEP_S = Number(process.env['LIMITS_STEP_S'] ?? 4)
const setups = chosen(SETUPS, process.env['LIMITS_SETUPS'])
const loads = chosen(
  [...Object.keys(HTTP_LOADS), 'ticks'].map((name) => ({ name })),
  process.env['LIMITS_LOADS'],
).map(({ name }) => name)
const overHttp = loads.filter((load) => load !== 'ticks')
const tell = (line: string): void => console.error(line)

const results: Results = new Map(loads.map((load) => [load, new Map<string, Measured>()]))
let open: Closing | undefined
let isEnding = false

// Leaves no process behind, however it ends.
const end = async (why: unknown): Promise<void> => {
  isEnding = true
  tell(String(why instanceof Error ? why.stack : why))
  await open?.close()
  process.exit(1)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
process.once('uncaughtException', end)

for (const setup of setups) {
  if (overHttp.length > 0) {
    await within(async (closing) => {
      const world = await openWorld(setup, closing)
      for (const name of overHttp) {
        tell(`${setup.name}, ${name}`)
        const load = HTTP_LOADS[name]!(world)
        results.get(name)!.set(setup.name, await climb(load, { watched: world.watched, stepS: STEP_S, tell }))
      }
    })
  }
  if (loads.includes('ticks')) {
    await within(async (closing) => {
      tell(`${setup.name}, ticks`)
      results.get('ticks')!.set(setup.name, await measureTicks(setup, { closing, stepS: STEP_S, tell }))
    })
  }
}
const load = loadavg()[0]!.toFixed(1)
console.log(`${cpus().length} cores (${cpus()[0]!.model}), steps of ${STEP_S} s, load at the end ${load}`)
printLoads(results, setups)
printChanges(results)
printPlan(results)
printDisturbed(results)

/** A failure is reported and skipped, so that the other measurements still run. */
async function within(use: (closing: Closing) => Promise<void>): Promise<void> {
  open = createClosing(console)
  try {
    await use(open)
  } catch (error) {
    tell(String((error as Error).stack))
    process.exitCode = 1
  } finally {
    await open.close()
    open = undefined
  }
  // An interrupted run has no result: nothing continues until the process ends.
  if (isEnding) await new Promise(() => {})
}
