import { type Address, curveAbi, type Hex, TOPIC, v2PairAbi, v3PoolAbi, v4StateViewAbi } from '@pit/chain'
import { RpcError } from '@pit/platform/rpc'
import { aggregate, hex8, mix, pad, selectorOf, signed, word, ZERO } from './syntheticWords.ts'

/**
 * A node of a chain with any number of blocks and pools, generated on the fly from their numbers: a few
 * pools have liquidity, most are dead. Blocks that are mined after the history trade, mint, wake dead pools
 * and make new ones.
 */
export interface SyntheticOptions {
  blocks: number
  pools: number
  live: number
  /** Pools that change in each new block. */
  swapsPerBlock?: number
  /** Logs a node gives at once. */
  maxLogs?: number
  /** Blocks whose state the node still has. */
  stateBlocks?: number
}

export const CONTRACTS = {
  v2_factory: `0x${'f2'.repeat(20)}` as Address,
  v3_factory: `0x${'f3'.repeat(20)}` as Address,
  v4_pool_manager: `0x${'f4'.repeat(20)}` as Address,
  v4_state_view: `0x${'54'.repeat(20)}` as Address,
  multicall3: `0x${'ca'.repeat(20)}` as Address,
}
const LAUNCHPAD: Address = `0x${'fc'.repeat(20)}`
export const LAUNCHPADS = [{ kind: 'pit' as const, factory: LAUNCHPAD }]
const HUB: Address = `0x${'11'.repeat(20)}`
const NO_HOOK = '0'.repeat(64)
const ROOT = 1n << 96n
const LIQUIDITY = 10n ** 15n
const [CURVE_X, CURVE_Y, SALE] = [10n ** 18n, 10n ** 27n, 8n * 10n ** 26n]
type Kind = 'v2' | 'v3' | 'v4' | 'curve'
type State =
  | { reserve0: bigint; reserve1: bigint }
  | { x: bigint; y: bigint }
  | { root: bigint; liquidity: bigint; gross: bigint }
type Shape = { i: number; kind: Kind; isLive: boolean; isEdge: boolean; spacing: number }

export function createSyntheticChain(options: SyntheticOptions) {
  const { blocks, pools, live, swapsPerBlock = 4, maxLogs = 10_000, stateBlocks = 5_000 } = options
  const liveEvery = Math.max(1, Math.round(pools / live))
  const isLive = (i: number) => i < pools && mix(i, 7) % liveEvery === 0
  const liveOnes: number[] = []
  for (let i = 0; i < pools; i++) if (isLive(i)) liveOnes.push(i)
  let head = blocks
  let forks: { after: number; salt: number }[] = []
  /** Blocks in which a pool changed, by its number; the history is before all of them. */
  const changes = new Map<number, number[]>()
  /** Pools made after the history, and where. */
  let made: number[] = []
  /** Pools made and pools changed, by mined block. */
  const mined = new Map<number, { made: number[]; changed: number[] }>()

  const saltOf = (block: number) => forks.findLast(({ after }) => block > after)?.salt ?? 0
  const hashOf = (block: number): Hex =>
    `0x${hex8(saltOf(block))}${hex8(mix(block, saltOf(block)))}${word(block).slice(16)}`
  const blockOf = (hash: Hex) => Number.parseInt(hash.slice(-8), 16)
  const createdAt = (i: number) => (i < pools ? 1 + Math.floor((i * (blocks - 1)) / pools) : made[i - pools]!)

  function shapeOf(i: number): Shape {
    const pick = mix(i, 3) % 10
    const kind: Kind = pick === 0 ? 'v2' : pick < 4 ? 'v3' : pick < 9 ? 'v4' : 'curve'
    const isEdge = (kind === 'v3' || kind === 'v4') && mix(i, 5) % 5 === 0
    return { i, kind, isLive: isLive(i), isEdge, spacing: mix(i, 11) % 4 === 0 ? 60 : 200 }
  }
  function idOf({ i, kind }: Shape): Hex {
    const text = `${hex8(mix(i, 21))}${hex8(mix(i, 22))}${hex8(mix(i, 23))}${hex8(mix(i, 24))}${hex8(i)}`
    return kind === 'v4' ? `0x${'4'.repeat(24)}${text}` : `0x${text}`
  }
  function shapeBy(id: string): Shape | undefined {
    const i = Number.parseInt(id.slice(-8), 16)
    if (!(i < pools + made.length)) return undefined
    const shape = shapeOf(i)
    return idOf(shape) === id ? shape : undefined
  }
  const tokenOf = (i: number): Address => `0x22${'0'.repeat(30)}${hex8(i)}`

  const changesBy = (i: number, block: number) => changes.get(i)?.filter((one) => one <= block).length ?? 0
  /** A dead pool's first change fills it; of a living one's, each third does. */
  const isMint = ({ isLive }: Shape, n: number) => n % 3 === 0 || (!isLive && n === 1)
  const mintsBy = ({ isLive }: Shape, n: number) => (isLive || n === 0 ? 0 : 1) + Math.floor(n / 3)
  const rangeOf = ({ isEdge, spacing }: Shape) =>
    (isEdge ? [10 * spacing, 20 * spacing] : [-10 * spacing, 20 * spacing]) as [number, number]

  /** The state after the pool's nth change. */
  function stateOf(shape: Shape, n: number): State {
    const { i, kind, isEdge } = shape
    const mints = mintsBy(shape, n)
    const count = BigInt((shape.isLive ? 1 : 0) + mints)
    const base = BigInt(1 + (mix(i, 31) % 1_000_000))
    if (kind === 'v2') {
      const reserve = count === 0n ? 0n : base * 10n ** 12n + BigInt(n)
      return { reserve0: reserve, reserve1: reserve * 3n }
    }
    if (kind === 'curve') {
      const trades = BigInt(n + (shape.isLive ? 1 : 0))
      return { x: CURVE_X + trades * 10n ** 12n, y: CURVE_Y - trades * 10n ** 20n }
    }
    const gross = count * LIQUIDITY * base
    return { root: ROOT + BigInt(n - mints) * 10n ** 15n, liquidity: isEdge ? 0n : gross, gross }
  }

  type Raw = { address: string; topics: string[]; data: string }
  function birth(shape: Shape): Raw {
    const { i, kind, spacing } = shape
    const id = idOf(shape)
    const [hub, token] = [`0x${pad(HUB)}`, `0x${pad(tokenOf(i))}`]
    if (kind === 'v2')
      return {
        address: CONTRACTS.v2_factory,
        topics: [TOPIC.v2PairCreated, hub, token],
        data: `0x${pad(id)}${ZERO}`,
      }
    if (kind === 'v3') {
      const topics = [TOPIC.v3PoolCreated, hub, token, `0x${word(3_000)}`]
      return { address: CONTRACTS.v3_factory, topics, data: `0x${signed(spacing)}${pad(id)}` }
    }
    if (kind === 'v4') {
      const data = `0x${word(3_000)}${signed(spacing)}${NO_HOOK}${word(ROOT)}${ZERO}`
      return { address: CONTRACTS.v4_pool_manager, topics: [TOPIC.v4Initialize, id, hub, token], data }
    }
    const terms = [pad(tokenOf(i)), ZERO, ZERO, word(CURVE_X), word(CURVE_Y), word(SALE), ZERO, word(100)]
    const rest = [ZERO, ZERO, ZERO, word(1), word(3)]
    const topics = [TOPIC.curveLaunched, `0x${pad(id)}`, token]
    return { address: LAUNCHPAD, topics, data: `0x${[...terms, ...rest].join('')}` }
  }
  /** A v3 pool's first price, which is not in its creation log. */
  const opening = (shape: Shape): Raw => ({
    address: idOf(shape),
    topics: [TOPIC.v3Initialize],
    data: `0x${word(ROOT)}${ZERO}`,
  })
  function change(shape: Shape, n: number): Raw {
    const id = idOf(shape)
    const state = stateOf(shape, n)
    const someone = `0x${pad(HUB)}`
    if ('reserve0' in state)
      return { address: id, topics: [TOPIC.v2Sync], data: `0x${word(state.reserve0)}${word(state.reserve1)}` }
    if ('x' in state) {
      const data = `0x${ZERO.repeat(5)}${word(state.x)}${word(state.y)}`
      return { address: id, topics: [TOPIC.curveTrade, someone, `0x${word(1)}`], data }
    }
    const isV3 = shape.kind === 'v3'
    const address = isV3 ? id : CONTRACTS.v4_pool_manager
    if (isMint(shape, n)) {
      const before = stateOf(shape, n - 1)
      const delta = state.gross - ('gross' in before ? before.gross : 0n)
      const [lower, upper] = rangeOf(shape).map(signed) as [string, string]
      return isV3
        ? {
            address,
            topics: [TOPIC.v3Mint, someone, `0x${lower}`, `0x${upper}`],
            data: `0x${pad(HUB)}${word(delta)}${ZERO}${ZERO}`,
          }
        : {
            address,
            topics: [TOPIC.v4ModifyLiquidity, id, someone],
            data: `0x${lower}${upper}${word(delta)}${ZERO}`,
          }
    }
    const moved = `${ZERO}${ZERO}${word(state.root)}${word(state.liquidity)}${ZERO}`
    return isV3
      ? { address, topics: [TOPIC.v3Swap, someone, someone], data: `0x${moved}` }
      : { address, topics: [TOPIC.v4Swap, id, someone], data: `0x${moved}${word(3_000)}` }
  }

  function note(i: number, block: number): void {
    const existing = changes.get(i)
    if (existing) existing.push(block)
    else changes.set(i, [block])
  }
  function mine(count = 1): void {
    for (let k = 0; k < count; k++) {
      head += 1
      const salt = saltOf(head)
      const now = { made: [] as number[], changed: new Set<number>() }
      for (let j = 0; j < swapsPerBlock && liveOnes.length > 0; j++)
        now.changed.add(liveOnes[mix(head, j + salt * 101) % liveOnes.length]!)
      if (head % 7 === 0) now.changed.add(mix(head, 41 + salt) % pools)
      if (head % 5 === 0) {
        made.push(head)
        now.made.push(pools + made.length - 1)
        if (head % 10 === 0) now.changed.add(pools + made.length - 1)
      }
      // Filled some blocks after it was made.
      if (head % 10 === 9) {
        const late = made.findIndex((block) => block === head - 4)
        if (late >= 0) now.changed.add(pools + late)
      }
      for (const i of now.changed) note(i, head)
      mined.set(head, { made: now.made, changed: [...now.changed] })
    }
  }
  /** Other blocks from here on. */
  function forkAt(after: number): void {
    for (let block = after + 1; block <= head; block++) mined.delete(block)
    for (const [i, blocks] of changes)
      changes.set(
        i,
        blocks.filter((block) => block <= after),
      )
    made = made.filter((block) => block <= after)
    forks = [...forks.filter((fork) => fork.after < after), { after, salt: forks.length + 1 }]
    head = after
  }

  const logJson = (raw: Raw, block: number, index: number) => ({
    ...raw,
    blockNumber: `0x${block.toString(16)}`,
    blockHash: hashOf(block),
    transactionHash: `0x${word(block)}`,
    logIndex: `0x${index.toString(16)}`,
  })

  function findLogs(filter: LogRequest): unknown[] {
    const only = filter.blockHash === undefined ? undefined : blockOf(filter.blockHash)
    if (only !== undefined && (only > head || hashOf(only) !== filter.blockHash))
      throw new RpcError('eth_getLogs', -32_000, 'unknown block', undefined)
    const from = only ?? Number(filter.fromBlock)
    const to = only ?? Math.min(Number(filter.toBlock), head)
    const addresses = filter.address === undefined ? null : new Set([filter.address].flat())
    const topics = new Set([filter.topics?.[0] ?? []].flat())
    const logs: unknown[] = []
    const add = (raw: Raw, block: number, index: number) => {
      if (addresses && !addresses.has(raw.address as Address)) return
      if (!topics.has(raw.topics[0] as Hex)) return
      if (logs.length >= maxLogs)
        throw new RpcError('eth_getLogs', -32_005, `query returned more than ${maxLogs} results`, undefined)
      logs.push(logJson(raw, block, index))
    }
    const first = Math.max(0, Math.floor(((from - 1) * pools) / (blocks - 1)) - 2)
    // Without a look at each: most of the range is history.
    const last = Math.min(pools, Math.floor(((to - 1) * pools) / (blocks - 1)) + 3)
    if (last - first - 10 > maxLogs)
      throw new RpcError('eth_getLogs', -32_005, `query returned more than ${maxLogs} results`, undefined)
    for (let i = first; i < last; i++) {
      const block = createdAt(i)
      if (block < from || block > to) continue
      const shape = shapeOf(i)
      add(birth(shape), block, 2 * i)
      if (shape.kind === 'v3') add(opening(shape), block, 2 * i + 1)
    }
    for (let block = Math.max(from, blocks + 1); block <= to; block++) {
      const { made, changed } = mined.get(block)!
      let index = 0
      for (const i of made) {
        const shape = shapeOf(i)
        add(birth(shape), block, index++)
        if (shape.kind === 'v3') add(opening(shape), block, index++)
      }
      for (const i of changed) add(change(shapeOf(i), changesBy(i, block)), block, index++)
    }
    return logs
  }

  const S = {
    reserves: selectorOf(v2PairAbi, 'getReserves'),
    curve: selectorOf(curveAbi, 'state'),
    slot0: selectorOf(v3PoolAbi, 'slot0'),
    liquidity: selectorOf(v3PoolAbi, 'liquidity'),
    word: selectorOf(v3PoolAbi, 'tickBitmap'),
    tick: selectorOf(v3PoolAbi, 'ticks'),
    v4Slot0: selectorOf(v4StateViewAbi, 'getSlot0'),
    v4Liquidity: selectorOf(v4StateViewAbi, 'getLiquidity'),
    v4Word: selectorOf(v4StateViewAbi, 'getTickBitmap'),
    v4Tick: selectorOf(v4StateViewAbi, 'getTickLiquidity'),
  }
  /** Result of a contract call; empty without a contract. */
  function view(target: string, data: string, block: number): string {
    const selector = data.slice(0, 10)
    const isV4 = target === CONTRACTS.v4_state_view
    const id = isV4 ? `0x${data.slice(10, 74)}` : target
    const shape = shapeBy(id)
    const arg = data.slice(isV4 ? 74 : 10)
    if (!shape || createdAt(shape.i) > block) return isV4 ? ZERO.repeat(4) : ''
    const state = stateOf(shape, changesBy(shape.i, block))
    if ('reserve0' in state)
      return selector === S.reserves ? `${word(state.reserve0)}${word(state.reserve1)}${ZERO}` : ''
    if ('x' in state) {
      return selector === S.curve ? `${word(state.x)}${word(state.y)}${ZERO}${ZERO}${ZERO}` : ''
    }
    switch (selector) {
      case S.slot0:
        return `${word(state.root)}${ZERO.repeat(6)}`
      case S.v4Slot0:
        return `${word(state.root)}${ZERO}${ZERO}${word(3_000)}`
      case S.liquidity:
      case S.v4Liquidity:
        return word(state.liquidity)
      case S.word:
      case S.v4Word: {
        if (state.gross === 0n) return ZERO
        const position = Number(BigInt.asIntN(16, BigInt(`0x${arg}`)))
        const [low, high] = rangeOf(shape).map((tick) => tick / shape.spacing) as [number, number]
        let bits = 0n
        for (const at of [low, high]) if (at >> 8 === position) bits |= 1n << BigInt(at & 255)
        return word(bits)
      }
      case S.tick:
      case S.v4Tick: {
        const tick = Number(BigInt.asIntN(24, BigInt(`0x${arg}`)))
        const [low, high] = rangeOf(shape)
        const net = tick === low ? state.gross : tick === high ? -state.gross : 0n
        const gross = net === 0n ? ZERO : word(state.gross)
        return `${gross}${word(net)}${isV4 ? '' : ZERO.repeat(6)}`
      }
      default:
        return ''
    }
  }

  const header = (block: number) =>
    block > head || block < 0
      ? null
      : {
          number: `0x${block.toString(16)}`,
          hash: hashOf(block),
          parentHash: hashOf(block - 1),
          timestamp: `0x${(1_780_000_000 + Math.floor(block / 10)).toString(16)}`,
          baseFeePerGas: '0x1',
        }

  function answer(method: string, [first, second]: readonly unknown[]): unknown {
    switch (method) {
      case 'eth_chainId':
        return '0x1237'
      case 'eth_blockNumber':
        return `0x${head.toString(16)}`
      case 'eth_getBlockByNumber':
        return header(first === 'latest' ? head : Number(first))
      case 'eth_getLogs':
        return findLogs(first as LogRequest)
      case 'eth_call': {
        const { to, data } = first as { to: Address; data: Hex }
        const block = second === 'latest' ? head : Number(second)
        if (block > head || block < head - stateBlocks)
          throw new RpcError(method, -32_000, 'missing trie node', undefined)
        const answerOf = (target: string, asked: string) => view(target, asked, block)
        return to === CONTRACTS.multicall3 ? aggregate(data, answerOf) : `0x${answerOf(to, data)}`
      }
      default:
        throw new RpcError(method, -32_601, `no ${method} here`, undefined)
    }
  }

  /** The state that decides quotes, in words; null for a pool without liquidity. */
  function expected(i: number, block: number): { id: Hex; state: string } | null {
    const shape = shapeOf(i)
    const n = changesBy(i, block)
    if (createdAt(i) > block || (!shape.isLive && n === 0)) return null
    const state = stateOf(shape, n)
    return { id: idOf(shape), state: stateWords(shape, state) }
  }
  function stateWords(shape: Shape, state: State): string {
    if ('reserve0' in state) return `${state.reserve0} ${state.reserve1}`
    if ('x' in state) return `${state.x} ${state.y}`
    const [low, high] = rangeOf(shape)
    const { root, liquidity, gross } = state
    return `${root} ${liquidity} ${low}:${gross}:${gross} ${high}:${gross}:${-gross}`
  }
  return {
    answer,
    mine,
    forkAt,
    head: () => head,
    /** Every pool with liquidity after a block, with its state in words. */
    *livingAt(block: number): Generator<{ id: Hex; state: string }> {
      for (const i of new Set([...liveOnes, ...changes.keys()])) {
        const one = expected(i, block)
        if (one) yield one
      }
    },
    livePools: () => liveOnes.length,
  }
}
export type SyntheticChain = ReturnType<typeof createSyntheticChain>

interface LogRequest {
  blockHash?: Hex
  fromBlock?: Hex
  toBlock?: Hex
  address?: Address | Address[]
  topics?: (Hex | Hex[])[]
}
