import { rpcFailure } from '../engine/provider.ts'
import type { Method } from './methods.ts'
import type { ServeOptions, Serving } from './serve.ts'

/** dead: the port is closed. lag: it is `lag_blocks` behind. */
type Mode = 'ok' | 'lag' | 'dead'
const MODES: readonly unknown[] = ['ok', 'lag', 'dead']

interface More {
  url: string
  mode: Mode
  lagBlocks: number
  serving: Serving | null
  port: number
  answered: number
  /** It dies after this many responses. */
  diesAt: number | null
}

export interface MoreAddresses {
  urls: string[]
  /** devnet_address({ n, mode, lag_blocks?, after_requests? }). */
  methods: Record<string, Method>
  close(): Promise<void>
}

const DEFAULT_LAG_BLOCKS = 50

/** Further addresses of the same chain; each can lag or die. */
export async function openMoreAddresses({
  count,
  serve,
}: {
  count: number
  serve(how: { lagBlocks(): number; answered(): void }, options: Pick<ServeOptions, 'port'>): Promise<Serving>
}): Promise<MoreAddresses> {
  const all: More[] = []

  const open = (more: More): Promise<Serving> =>
    serve(
      {
        lagBlocks: () => (more.mode === 'lag' ? more.lagBlocks : 0),
        answered() {
          more.answered += 1
          if (more.diesAt !== null && more.answered >= more.diesAt) void set(more, 'dead')
        },
      },
      { port: more.port },
    )

  async function set(more: More, mode: Mode): Promise<void> {
    more.mode = mode
    more.diesAt = null
    const { serving } = more
    if (mode === 'dead' && serving) {
      more.serving = null
      await serving.close({ atOnce: true })
    }
    if (mode !== 'dead' && !serving) more.serving = await open(more)
  }

  for (let i = 0; i < count; i++) {
    const more: More = {
      url: '',
      mode: 'ok',
      lagBlocks: DEFAULT_LAG_BLOCKS,
      serving: null,
      port: 0,
      answered: 0,
      diesAt: null,
    }
    more.serving = await open(more)
    more.port = more.serving.port
    more.url = more.serving.url
    all.push(more)
  }

  return {
    urls: all.map(({ url }) => url),
    methods: {
      devnet_address: async ([wish]) => {
        const { n, mode, lag_blocks, after_requests } = (wish ?? {}) as Record<string, unknown>
        const more = all[Number(n ?? 1) - 1]
        if (!more) throw rpcFailure(-32602, `there are ${all.length} further addresses: n is from 1 on`)
        if (mode !== undefined && !MODES.includes(mode))
          throw rpcFailure(-32602, `mode must be one of ${MODES.join(', ')}`)
        if (typeof lag_blocks === 'number') more.lagBlocks = lag_blocks
        if (mode === 'dead' && typeof after_requests === 'number')
          more.diesAt = more.answered + after_requests
        else if (mode !== undefined) await set(more, mode as Mode)
        return all.map(({ url, mode: is, answered }) => ({ url, mode: is, answered }))
      },
    },
    async close() {
      await Promise.all(all.map(({ serving }) => serving?.close()))
    },
  }
}
