import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Rpc, RpcError } from '../rpc/index.ts'
import { followChain } from './followChain.ts'
import type { FollowListener, Hex } from './types.ts'

const hex = (value: number): Hex => `0x${value.toString(16)}`
const TOPIC: Hex = '0xaa'
const START = { number: 0, hash: null }

interface Block {
  number: number
  hash: Hex
  parentHash: Hex
}

/** A chain that grows and forks between calls; each block has one log that names it. */
function modelChain() {
  let serial = 0
  const blocks: Block[] = [{ number: 0, hash: '0xgenesis' as Hex, parentHash: '0x0' }]
  const grow = (count: number) => {
    for (let i = 0; i < count; i++) {
      serial += 1
      const parent = blocks[blocks.length - 1]!
      blocks.push({ number: parent.number + 1, hash: `0xb${serial}`, parentHash: parent.hash })
    }
  }
  const fork = (depth: number) => {
    const keptLength = Math.max(1, blocks.length - depth)
    const lost = blocks.length - keptLength
    blocks.splice(keptLength)
    grow(lost + 1)
  }
  const log = (block: Block) => ({
    address: '0x01',
    topics: [TOPIC],
    data: '0x',
    blockNumber: hex(block.number),
    blockHash: block.hash,
    transactionHash: '0x02',
    logIndex: '0x0',
  })
  let beforeCall = () => {}
  const rpc: Pick<Rpc, 'request'> = {
    async request<T>(method: string, params: readonly unknown[] = []): Promise<T> {
      beforeCall()
      if (method === 'eth_getBlockByNumber') {
        const at = params[0] === 'latest' ? blocks.length - 1 : Number(params[0])
        const block = blocks[at]
        return (block ? { ...block, number: hex(block.number), timestamp: '0x1' } : null) as T
      }
      const where = params[0] as { blockHash?: Hex; fromBlock: Hex; toBlock: Hex }
      if (where.blockHash) {
        const block = blocks.find(({ hash }) => hash === where.blockHash)
        if (!block) throw new Error('unknown block')
        return [log(block)] as T
      }
      return blocks.slice(Number(where.fromBlock), Number(where.toBlock) + 1).map(log) as T
    },
  }
  return { blocks, grow, fork, rpc, onCall: (run: () => void) => (beforeCall = run) }
}

/** Records the blocks it receives, and checks that they come gapless and in order. */
function ledger() {
  const seen: Hex[] = []
  const listener: FollowListener = {
    onChunk: ({ from, head, logs }) => {
      expect(from).toBe(seen.length + 1)
      expect(logs.map((entry) => entry.blockNumber)).toEqual(logs.map((_, i) => from + i))
      for (const entry of logs) seen.push(entry.blockHash)
      expect(seen.length).toBe(head.number)
    },
    // The listener may rewind further than requested; everything from there is delivered again.
    onReorg: (fork) => {
      const wentTo = fork === null || fork.number % 3 === 2 ? START : fork
      seen.splice(wentTo.number)
      return wentTo
    },
    onFar: () => {
      throw new Error('not so far')
    },
  }
  return { seen, listener }
}

it('ends with exactly the chain through growth, forks and failures', async () => {
  const event = fc.oneof(
    fc.record({ kind: fc.constant('grow' as const), n: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ kind: fc.constant('fork' as const), n: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ kind: fc.constant('fail' as const), n: fc.constant(1) }),
    fc.record({ kind: fc.constant('nothing' as const), n: fc.constant(0) }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      async (events, maxRange) => {
        const chain = modelChain()
        const { seen, listener } = ledger()
        const follower = followChain({
          rpc: chain.rpc,
          topics: [TOPIC],
          listener,
          from: START,
          maxRange,
        })
        const script = [...events]
        chain.onCall(() => {
          const next = script.shift()
          if (next?.kind === 'grow') chain.grow(next.n)
          if (next?.kind === 'fork') chain.fork(next.n)
          if (next?.kind === 'fail') throw new Error('connection refused')
        })
        while (script.length > 0) await follower.catchUp().catch(() => {})
        await follower.catchUp()
        expect(seen).toEqual(chain.blocks.slice(1).map(({ hash }) => hash))
      },
    ),
    { numRuns: 300 },
  )
})

it('starts from a checkpoint, and where it is told when that is no longer on the chain', async () => {
  const chain = modelChain()
  chain.grow(10)
  const checkpoint = chain.blocks[6]!
  const first = ledger()
  first.seen.push(...chain.blocks.slice(1, 7).map(({ hash }) => hash))
  await followChain({
    rpc: chain.rpc,
    topics: [TOPIC],
    listener: first.listener,
    from: checkpoint,
  }).catchUp()
  expect(first.seen).toEqual(chain.blocks.slice(1).map(({ hash }) => hash))

  const second = ledger()
  second.seen.push('0xstranger')
  const stranger = { number: 1, hash: '0xstranger' as Hex }
  await followChain({
    rpc: chain.rpc,
    topics: [TOPIC],
    listener: second.listener,
    from: stranger,
  }).catchUp()
  expect(second.seen).toEqual(chain.blocks.slice(1).map(({ hash }) => hash))
})

it('reports the head if nothing came after the checkpoint', async () => {
  const chain = modelChain()
  chain.grow(5)
  const { seen, listener } = ledger()
  seen.push(...chain.blocks.slice(1).map(({ hash }) => hash))
  const from = chain.blocks.at(-1)!
  const follower = followChain({ rpc: chain.rpc, topics: [TOPIC], listener, from })
  await follower.catchUp()
  expect(follower.head()?.number).toBe(from.number)
  chain.grow(2)
  await follower.catchUp()
  expect(seen).toEqual(chain.blocks.slice(1).map(({ hash }) => hash))
})

it('requests less when a node rejects a range', async () => {
  const chain = modelChain()
  chain.grow(200)
  const { seen, listener } = ledger()
  const rpc: Pick<Rpc, 'request'> = {
    ...chain.rpc,
    request: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      const where = params[0] as { fromBlock?: Hex; toBlock?: Hex }
      if (
        method === 'eth_getLogs' &&
        where.fromBlock &&
        Number(where.toBlock) - Number(where.fromBlock) >= 7
      ) {
        throw new RpcError(method, -32_005, 'query returned more than 10000 results', undefined)
      }
      return chain.rpc.request<T>(method, params)
    },
  }
  const follower = followChain({ rpc, topics: [TOPIC], listener, from: START })
  for (let tries = 0; seen.length < 200 && tries < 100; tries++) await follower.catchUp().catch(() => {})
  expect(seen).toEqual(chain.blocks.slice(1).map(({ hash }) => hash))
})

it('asks the listener where to resume when it is far behind, once, and reads all that follows', async () => {
  const chain = modelChain()
  chain.grow(100)
  const { seen, listener } = ledger()
  let resumes = 0
  const onFar = () => {
    resumes += 1
    const place = chain.blocks[60]!
    seen.push(...chain.blocks.slice(1, 61).map(({ hash }) => hash))
    // The head advances meanwhile.
    chain.grow(50)
    return place
  }
  const options = { rpc: chain.rpc, topics: [TOPIC], listener: { ...listener, onFar }, from: START }
  const follower = followChain({ ...options, maxBehind: 40 })
  await follower.catchUp()
  chain.grow(40)
  await follower.catchUp()
  expect(seen).toEqual(chain.blocks.slice(1).map(({ hash }) => hash))
  expect(resumes).toBe(1)
})

it('rewinds to the blocks a node still has if that node stays behind', async () => {
  const chain = modelChain()
  chain.grow(30)
  const { seen, listener } = ledger()
  const options = { rpc: chain.rpc, topics: [TOPIC], listener, from: START }
  const follower = followChain({ ...options, patience: 3, maxRange: 1 })
  await follower.catchUp()
  chain.blocks.splice(22)
  for (let look = 0; look < 3; look++) await follower.catchUp()
  expect(seen).toHaveLength(30)
  await follower.catchUp()
  expect(seen).toHaveLength(21)
  chain.grow(4)
  await follower.catchUp()
  expect(seen).toEqual(chain.blocks.slice(1).map(({ hash }) => hash))
})

it('treats a node that stays behind as another chain', async () => {
  const chain = modelChain()
  chain.grow(30)
  const { seen, listener } = ledger()
  const follower = followChain({
    rpc: chain.rpc,
    topics: [TOPIC],
    listener,
    from: START,
    patience: 3,
  })
  await follower.catchUp()
  chain.blocks.splice(1)
  chain.grow(5)
  for (let look = 0; look < 3; look++) await follower.catchUp()
  expect(seen).toHaveLength(30)
  await follower.catchUp()
  expect(seen).toEqual(chain.blocks.slice(1).map(({ hash }) => hash))
})

it('waits for a lagging node', async () => {
  const chain = modelChain()
  chain.grow(5)
  const { seen, listener } = ledger()
  let reorgs = 0
  const follower = followChain({
    rpc: chain.rpc,
    topics: [TOPIC],
    listener: {
      ...listener,
      onReorg: (fork) => {
        reorgs += 1
        return fork ?? START
      },
    },
    from: START,
    maxRange: 1,
  })
  await follower.catchUp()
  const lost = chain.blocks.splice(4)
  await follower.catchUp()
  chain.blocks.push(...lost)
  await follower.catchUp()
  expect(reorgs).toBe(0)
  expect(seen).toHaveLength(5)
})

it('requests nothing for announced empty blocks, and the logs of the others', async () => {
  const { blocks, grow, rpc, onCall } = modelChain()
  const chunks: [number, number][] = []
  let announced: Block | null = null
  let requests = 0
  const follower = followChain({
    rpc,
    topics: [TOPIC],
    from: START,
    announced() {
      const block = announced
      announced = null
      if (block === null) return null
      const isEmpty = block.number % 2 === 0
      return { ...block, timestampS: 1, baseFeeWei: 0n, ...(isEmpty && { isEmpty: true as const }) }
    },
    listener: {
      onChunk: ({ head, logs }) => void chunks.push([head.number, logs.length]),
      onReorg: () => START,
      onFar: () => START,
    },
  })
  grow(1)
  await follower.catchUp()
  onCall(() => {
    requests += 1
  })
  const requestsOf: number[] = []
  for (let i = 0; i < 4; i++) {
    grow(1)
    announced = blocks.at(-1)!
    requests = 0
    await follower.catchUp()
    requestsOf.push(requests)
  }
  expect(chunks.slice(1)).toEqual([
    [2, 0],
    [3, 1],
    [4, 0],
    [5, 1],
  ])
  expect(requestsOf).toEqual([0, 1, 0, 1])
})
