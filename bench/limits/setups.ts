import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'

/** Layout of the service on the machine for one measurement. */
export interface Setup {
  name: string
  store: 'pglite' | 'postgres'
  /** Server processes. PGlite belongs to one process, so two need PostgreSQL. */
  apis: 1 | 2
  /** Cores that all server processes share. */
  serverCores: 'one' | 'two'
}

const setup = (store: Setup['store'], apis: Setup['apis'], serverCores: Setup['serverCores']): Setup => ({
  ...{ store, apis, serverCores },
  name: `${store}-${apis}-${serverCores}`,
})

export const SETUPS: readonly Setup[] = [
  setup('pglite', 1, 'one'),
  setup('pglite', 1, 'two'),
  setup('postgres', 1, 'one'),
  setup('postgres', 1, 'two'),
  setup('postgres', 2, 'one'),
  setup('postgres', 2, 'two'),
]

/** Effect of one change: two setups that differ in nothing else. */
export const CHANGES: readonly { what: string; from: string; to: string }[] = [
  { what: 'one more core, PGlite', from: 'pglite-1-one', to: 'pglite-1-two' },
  { what: 'one more core, PostgreSQL', from: 'postgres-1-one', to: 'postgres-1-two' },
  { what: 'one more core, two processes', from: 'postgres-2-one', to: 'postgres-2-two' },
  { what: 'PostgreSQL instead of PGlite, one core', from: 'pglite-1-one', to: 'postgres-1-one' },
  { what: 'PostgreSQL instead of PGlite, two cores', from: 'pglite-1-two', to: 'postgres-1-two' },
  { what: 'one more process, one core', from: 'postgres-1-one', to: 'postgres-2-one' },
  { what: 'one more process, two cores', from: 'postgres-1-two', to: 'postgres-2-two' },
]

const CPUS = { one: '0', two: '0,1' } as const

/**
 * Pins a server process with all its threads to the cores of its setup. That is an upper bound and not a
 * reservation: the chain, the signer, PostgreSQL, Redis and the clients may run on these cores too. So "one"
 * is the server's result with at most one core, not with a dedicated core, and on a machine of two cores
 * "two" means both, shared with everything else.
 */
export function pin(pid: number, { serverCores }: Setup): void {
  if (serverCores === 'two' && cpus().length < 2) throw new Error('this machine has one core only')
  execFileSync('taskset', ['-apc', CPUS[serverCores], String(pid)], { stdio: 'ignore' })
}

/** Selects by names in the environment; absent: all. An unknown name is an error. */
export function chosen<T extends { name: string }>(all: readonly T[], names: string | undefined): T[] {
  if (!names) return [...all]
  return names.split(',').map((name) => {
    const match = all.find((one) => one.name === name.trim())
    if (match === undefined)
      throw new Error(`there is no "${name}": use ${all.map((one) => one.name).join(', ')}`)
    return match
  })
}
