import { changeLiquidity, newV3Pool, TOPIC } from '@pit/chain'
import type { ChainLog, Chunk, Hex } from '@pit/platform/follow'
import fc from 'fast-check'
import { encodeAbiParameters, pad, toHex } from 'viem'
import { expect, it } from 'vitest'
import { isAlive } from '../tokens/depth.ts'
import { freezePool, thawPool } from './freezePool.ts'
import { type Arrival, createPoolBook } from './poolBook.ts'
import type { AnyPool } from './poolLogs.ts'

const V2_FACTORY: Hex = `0x${'a2'.repeat(20)}`
const V3_FACTORY: Hex = `0x${'a3'.repeat(20)}`
const STRANGER: Hex = `0x${'ee'.repeat(20)}`
const PAIR: Hex = `0x${'b2'.repeat(20)}`
const POOL: Hex = `0x${'b3'.repeat(20)}`
const [TOKEN0, TOKEN1]: [Hex, Hex] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`]

const words = (types: string[], values: unknown[]) =>
  encodeAbiParameters(
    types.map((type) => ({ type })),
    values,
  )
const tickTopic = (tick: number) => toHex(BigInt.asUintN(256, BigInt(tick)), { size: 32 })
const log = (address: Hex, topics: Hex[], data: Hex): ChainLog => ({
  address,
  topics,
  data,
  blockNumber: 0,
  blockHash: '0x00',
  transactionHash: '0x00',
  logIndex: 0,
})

const pairCreated = (by: Hex) =>
  log(by, [TOPIC.v2PairCreated, pad(TOKEN0), pad(TOKEN1)], words(['address', 'uint256'], [PAIR, 1n]))
const poolCreated = (by: Hex) =>
  log(
    by,
    [TOPIC.v3PoolCreated, pad(TOKEN0), pad(TOKEN1), toHex(3000, { size: 32 })],
    words(['int24', 'address'], [60, POOL]),
  )
const sync = (a: bigint, b: bigint) => log(PAIR, [TOPIC.v2Sync], words(['uint112', 'uint112'], [a, b]))
const swap = (root: bigint, liquidity: bigint, tick: number) =>
  log(
    POOL,
    [TOPIC.v3Swap, pad(STRANGER), pad(STRANGER)],
    words(['int256', 'int256', 'uint160', 'uint128', 'int24'], [1n, -1n, root, liquidity, tick]),
  )
const mint = (lower: number, upper: number, amount: bigint) =>
  log(
    POOL,
    [TOPIC.v3Mint, pad(STRANGER), tickTopic(lower), tickTopic(upper)],
    words(['address', 'uint128', 'uint256', 'uint256'], [STRANGER, amount, 0n, 0n]),
  )
const burn = (lower: number, upper: number, amount: bigint) =>
  log(
    POOL,
    [TOPIC.v3Burn, pad(STRANGER), tickTopic(lower), tickTopic(upper)],
    words(['uint128', 'uint256', 'uint256'], [amount, 0n, 0n]),
  )

/** A book with a minimal store: pools without liquidity are rows. */
const newBook = () => {
  const isKept = (pool: AnyPool) => pool.version === 'curve' || isAlive(pool)
  const book = createPoolBook(
    { v2Factory: V2_FACTORY, v3Factory: V3_FACTORY, v4PoolManager: null, launchpads: [] },
    { onBorn: () => {}, onGone: () => {} },
    isKept,
    { admits: () => true, excess: () => [] },
  )
  let rows: { id: string; block: number; state: string }[] = []
  const rowOf = (id: string) => rows.findLast((row) => row.id === id)
  const empty = () =>
    [...new Set(rows.map(({ id }) => id))]
      .filter((id) => !book.get(id))
      .map((id) => thawPool(rowOf(id)!.state))
  return {
    inMemory: () => [...book.all()],
    all: () => [...book.all(), ...empty()],
    size: () => book.size() + empty().length,
    restore: book.restore,
    apply(given: Chunk) {
      const storedRows = book.unknownIn(given).flatMap((id) => rowOf(id) ?? [])
      const { emptied, lost } = book.apply(given, { known: storedRows.map(({ state }) => thawPool(state)) })
      rows.push(...emptied.map(({ pool, block }) => ({ id: pool.id, block, state: freezePool(pool) })))
      expect(this.inMemory().filter((pool) => !isKept(pool))).toEqual([])
      return lost
    },
    arrive: (given: Chunk, arrived: Arrival[]) => book.apply(given, { arrived }),
    dropAfter: book.dropAfter,
    undoTo(number: number) {
      rows = rows.filter(({ block }) => block <= number)
      return book.undoTo(number)
    },
  }
}
type PoolBook = ReturnType<typeof newBook>
const chunk = (number: number, logs: ChainLog[]): Chunk => ({
  from: number,
  logs: logs.map((log) => ({ ...log, blockNumber: number })),
  head: { number, hash: `0x${number}`, parentHash: '0x0', timestampS: number, baseFeeWei: 1n },
})
/** The order of ticks in memory is arbitrary; only their contents count. */
const contents = (book: PoolBook) =>
  [...book.all()]
    .map((pool) => {
      const plain = JSON.parse(freezePool(pool))
      plain.ticks?.sort((a: [number], b: [number]) => a[0] - b[0])
      plain.bitmap = plain.bitmap?.filter(([, bits]: [number, string]) => bits !== '0').sort()
      return JSON.stringify(plain)
    })
    .sort()

const position = fc.tuple(
  fc.integer({ min: -20, max: -1 }),
  fc.integer({ min: 0, max: 20 }),
  fc.bigInt(1n, 10n ** 18n),
)
const anyLogs = fc.array(
  fc.oneof(
    fc.tuple(fc.bigInt(1n, 10n ** 30n), fc.bigInt(1n, 10n ** 30n)).map(([a, b]) => [sync(a, b)]),
    fc
      .tuple(
        fc.bigInt(1n << 90n, 1n << 100n),
        fc.bigInt(0n, 10n ** 20n),
        fc.integer({ min: -1500, max: 1500 }),
      )
      .map(([root, liquidity, tick]) => [swap(root, liquidity, tick)]),
    position.map(([lower, upper, amount]) => [mint(lower * 60, upper * 60, amount)]),
    position.map(([lower, upper, amount]) => [
      mint(lower * 60, upper * 60, amount),
      burn(lower * 60, upper * 60, amount),
    ]),
    // Nothing is left in it.
    fc.constant([sync(0n, 0n)]),
    fc.constant([swap(1n << 96n, 0n, 0)]),
  ),
  { maxLength: 6 },
)

it('undoes blocks exactly', () => {
  fc.assert(
    fc.property(fc.array(anyLogs, { minLength: 1, maxLength: 12 }), fc.nat(), (blocks, pick) => {
      const book = newBook()
      const after: string[][] = []
      book.apply(chunk(0, [pairCreated(V2_FACTORY), poolCreated(V3_FACTORY)]))
      after.push(contents(book))
      for (const [i, logs] of blocks.entries()) {
        book.apply(chunk(i + 1, logs.flat()))
        after.push(contents(book))
      }
      const to = pick % after.length
      expect(book.undoTo(to)).toEqual([])
      expect(contents(book)).toEqual(after[to])
    }),
  )
})

it('survives a store round trip exactly', () => {
  fc.assert(
    fc.property(anyLogs, (logs) => {
      const book = newBook()
      book.apply(chunk(0, [pairCreated(V2_FACTORY), poolCreated(V3_FACTORY), ...logs.flat()]))
      for (const pool of book.all()) expect(thawPool(freezePool(pool))).toEqual(pool)
    }),
  )
})

it('accepts only the real factories', () => {
  const book = newBook()
  book.apply(chunk(1, [pairCreated(STRANGER), poolCreated(V2_FACTORY)]))
  expect(book.size()).toBe(0)
})

it('forgets a pool whose creation was undone', () => {
  const book = newBook()
  book.apply(chunk(1, [pairCreated(V2_FACTORY)]))
  book.apply(chunk(2, [sync(1n, 2n)]))
  expect(book.undoTo(0)).toEqual([])
  expect(book.size()).toBe(0)
})

it('reports if it cannot undo far enough', () => {
  const book = newBook()
  book.restore(100, [])
  book.apply(chunk(101, []))
  expect(book.undoTo(100)).toEqual([])
  expect(book.undoTo(99)).toBeNull()
})

it('drops only a pool that a log does not fit, until its state is read', () => {
  const book = newBook()
  book.apply(chunk(1, [pairCreated(V2_FACTORY), poolCreated(V3_FACTORY), mint(-60, 60, 5n), sync(1n, 2n)]))
  const misfit = [sync(3n, 4n), swap(1n << 96n, 7n, 0), burn(-60, 60, 6n), mint(-60, 60, 9n)]
  expect(book.apply(chunk(2, misfit))).toEqual([POOL])
  expect(book.inMemory()).toMatchObject([{ id: PAIR, reserve0: 3n }])
  const read = newV3Pool({ id: POOL, token0: TOKEN0, token1: TOKEN1, feePips: 3000, tickSpacing: 60 })
  changeLiquidity(read, -60, 60, 8n)
  Object.assign(read, { sqrtPriceX96: 1n << 96n })
  // Its own block's logs are in the state that was read.
  book.arrive(chunk(3, [mint(-60, 60, 1n)]), [{ pool: read, at: 3 }])
  book.apply(chunk(4, [mint(-60, 60, 2n)]))
  expect(book.inMemory().find(({ id }) => id === POOL)).toMatchObject({ liquidity: 10n })
  // Before the read its state is unknown; the other pool's is known.
  expect(book.undoTo(1)).toEqual([POOL])
  expect(book.inMemory()).toMatchObject([{ id: PAIR, reserve0: 1n }])
})

it('drops changed pools if it cannot undo far enough', () => {
  const book = newBook()
  book.apply(chunk(1, [pairCreated(V2_FACTORY), poolCreated(V3_FACTORY), mint(-60, 60, 5n), sync(1n, 2n)]))
  book.apply(chunk(2, [swap(1n << 96n, 5n, 0)]))
  book.apply(chunk(5, [sync(5n, 6n)]))
  expect(book.dropAfter(3)).toEqual([PAIR])
  expect(book.inMemory()).toMatchObject([{ id: POOL, liquidity: 5n }])
})

it('skips a malformed log', () => {
  const book = newBook()
  book.apply(chunk(1, [pairCreated(V2_FACTORY), log(PAIR, [TOPIC.v2Sync], '0x01')]))
  expect(book.size()).toBe(1)
})
