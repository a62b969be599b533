import type { Measured } from './climb.ts'
import { type Share, whatIsFull } from './cpu.ts'
import { CHANGES, type Setup } from './setups.ts'

/** Measurements by load, then by setup name. */
export type Results = Map<string, Map<string, Measured>>

/** One table for each load, one row for each setup. */
export function printLoads(results: Results, setups: readonly Setup[]): void {
  for (const [load, bySetup] of results) {
    const isTicks = load === 'ticks'
    console.log(`\n### ${load}\n`)
    printTable(
      [
        'setup',
        'a second',
        isTicks ? 'agents due' : 'clients',
        'p50 ms',
        'p99 ms',
        'what ended it',
        'what was full',
        'CPU, of a core',
      ],
      setups.flatMap((setup) => {
        const measured = bySetup.get(setup.name)
        return measured ? [rowOf(setup, measured)] : []
      }),
    )
  }
}

function rowOf(setup: Setup, { best, broke }: Measured): string[] {
  const cores = setup.serverCores === 'one' ? 1 : 2
  return [
    `\`${setup.name}\``,
    rate(best.perS),
    String(best.clients),
    time(best.p50Ms),
    time(best.p99Ms),
    broke,
    whatIsFull(best.cpu, cores),
    [...best.cpu.shares.map(describe), `elsewhere ${best.cpu.elsewhere.toFixed(0)}%`].join(', '),
  ]
}

/** Above this, other work affected the figures. A quiet machine has a few hundredths. */
const DISTURBED_PERCENT = 25

/** Names the figures that should be discarded. */
export function printDisturbed(results: Results): void {
  const disturbed = [...results].flatMap(([load, bySetup]) =>
    [...bySetup]
      .filter(([, { best }]) => best.cpu.elsewhere > DISTURBED_PERCENT)
      .map(([name, { best }]) => `${load} on \`${name}\` (${best.cpu.elsewhere.toFixed(0)}% of a core)`),
  )
  if (disturbed.length > 0) console.log(`\nDisturbed by other work: ${disturbed.join(', ')}.`)
}

/** A server's main thread separate from the rest. */
function describe({ name, total, main }: Share): string {
  const whole = `${name} ${total.toFixed(0)}%`
  return name.startsWith('server') ? `${whole} (main thread ${main.toFixed(0)}%)` : whole
}

/** The same loads, by what was added. */
export function printChanges(results: Results): void {
  const loads = [...results.keys()]
  const rows = CHANGES.flatMap(({ what, from, to }) => {
    const cells = loads.map((load) => {
      const [before, after] = [from, to].map((name) => results.get(load)?.get(name)?.best.perS)
      return before && after ? `${(after / before).toFixed(2)}×` : ''
    })
    return cells.some(Boolean) ? [[what, ...cells]] : []
  })
  if (rows.length === 0) return
  console.log('\n### What each addition brings\n')
  printTable(['added', ...loads], rows)
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const cells of [head, head.map(() => '---'), ...rows]) console.log(`| ${cells.join(' | ')} |`)
}

const rate = (perS: number): string => (perS < 100 ? perS.toFixed(1) : whole(perS))
const time = (ms: number): string => (Number.isNaN(ms) ? '' : ms.toFixed(1))
export const whole = (value: number): string => Math.round(value).toLocaleString('en')
