import type { FleetWorld } from './world.ts'

export interface Fault {
  name: string
  /** The faults with the most different recoveries; all of them run by hand. */
  inSuite?: true
  /** Injects the fault, and does what a supervisor would do. */
  run(world: FleetWorld): Promise<void>
  /** Repairs what a supervisor does not. */
  mend?(world: FleetWorld): Promise<void>
}

const HOUR_MS = 3_600_000

/** Shifts every clock of the process, which JavaScript reads only through Date. */
const shiftedClock = (ms: number): { NODE_OPTIONS: string } => {
  const source = `const D=Date;globalThis.Date=class extends D{constructor(...a){
    if(a.length===0)super(D.now()+${ms});else super(...a)}static now(){return D.now()+${ms}}}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` }
}

/** One after another, each on a working fleet; `wait` is how long the removed part stays away. */
export const faultsOf = (wait: () => Promise<void>): readonly Fault[] => [
  {
    name: 'kill -9 api2',
    inSuite: true,
    run: async (world) => {
      await world.server('api2').kill()
      await world.startServer('api2')
      await world.untilReady('api2')
    },
  },
  {
    name: 'kill -9 jobs1',
    run: async (world) => {
      await world.server('jobs1').kill()
      await world.startServer('jobs1')
      await world.untilReady('jobs1')
    },
  },
  {
    name: 'kill -9 signer',
    run: async (world) => {
      await world.signer().kill()
      await world.startSigner()
    },
  },
  {
    name: 'kill -9 haproxy',
    run: async ({ proxy }) => {
      await proxy.kill()
      await proxy.start()
    },
  },
  { name: 'PostgreSQL of the server restarted', inSuite: true, run: ({ postgres }) => postgres.restart() },
  { name: 'PostgreSQL of the signer restarted', run: ({ ledgerPostgres }) => ledgerPostgres.restart() },
  { name: 'Redis flushed', run: ({ redis }) => redis.flush() },
  {
    name: 'node gone',
    run: async ({ node }) => {
      await node.shut()
      await wait()
      await node.open()
    },
  },
  {
    name: 'clock of jobs2 an hour ahead',
    run: async (world) => {
      await world.server('jobs2').stop()
      await world.startServer('jobs2', shiftedClock(HOUR_MS))
      await wait()
    },
    mend: (world) => world.startServer('jobs2'),
  },
  {
    name: 'clock of api3 an hour behind',
    run: async (world) => {
      await world.server('api3').stop()
      await world.startServer('api3', shiftedClock(-HOUR_MS))
      await wait()
    },
    mend: async (world) => {
      await world.startServer('api3')
      await world.untilReady('api3')
    },
  },
]
