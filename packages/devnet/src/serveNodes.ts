import type { Chain } from './engine/types.ts'
import {
  allOf,
  createMeter,
  createRpc,
  createSenderFilter,
  createSequencer,
  laggingHabits,
  type Method,
  openMoreAddresses,
  type Rpc,
  type StrictLimits,
  serveRpc,
  strictHabits,
} from './rpc/index.ts'

export interface Nodes {
  url: string
  sequencerUrl: string
  moreUrls: string[]
  close(): Promise<void>
  /** After `close`: ends remaining listeners of the chain. */
  drop(): void
}

/** The chain's RPC at one or more addresses, with or without a public node's limits, and its sequencer. */
export async function serveNodes({
  host,
  port,
  strict,
  ...options
}: {
  chain: Chain
  methods: Record<string, Method>
  host: string
  port: number
  strict: StrictLimits | null
  moreAddresses: number
}): Promise<Nodes> {
  const filter = createSenderFilter(options.chain)
  const chain: Chain = { ...options.chain, sendRaw: filter.sendRaw }
  const sequencer = createSequencer(chain)
  const methods: Record<string, Method> = { ...options.methods, ...sequencer.methods, ...filter.methods }
  const head = () => Number(chain.head().number)
  const rpcs: Rpc[] = []
  const keep = (rpc: Rpc): Rpc => {
    rpcs.push(rpc)
    return rpc
  }
  /** Each address has a separate budget. */
  const terms = () =>
    strict ? { meter: createMeter(strict.costPerS), socketLifeMs: strict.socketLifeS * 1000 } : {}
  const habits = strict ? { habits: strictHabits({ head, limits: strict }) } : {}

  const more = await openMoreAddresses({
    count: options.moreAddresses,
    serve({ lagBlocks, answered }, { port: own }) {
      const lagging = laggingHabits({ head, lagBlocks })
      const all = strict ? allOf(lagging, strictHabits({ head, limits: strict })) : lagging
      const rpc = keep(createRpc({ chain, methods, habits: all }))
      return serveRpc({ rpc }, { host, port: own ?? 0, ...terms(), answered })
    },
  })
  Object.assign(methods, more.methods)
  const rpc = keep(createRpc({ chain, methods, ...habits }))
  const open = strict ? { open: keep(createRpc({ chain, methods })) } : {}
  const serving = await serveRpc({ rpc, sequencer, ...open }, { host, port, ...terms() })
  return {
    url: serving.url,
    sequencerUrl: `${serving.url}/sequencer`,
    moreUrls: more.urls,
    async close() {
      await Promise.all([serving.close(), more.close()])
    },
    drop() {
      for (const one of rpcs) one.close()
    },
  }
}
