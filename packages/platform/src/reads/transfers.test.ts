import { type Address, ERC20_TRANSFER_TOPIC } from '@pit/chain'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Rpc, RpcError } from '../rpc/index.ts'
import { addressWord } from './hex.ts'
import { createLogSpan } from './logSpan.ts'
import { scanTransfers, type Transfer } from './transfers.ts'

const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const topicOf = (address: Address): string => `0x${addressWord(address)}`

interface Moved {
  token: Address
  from: Address
  to: Address
  block: number
}

/** A node that filters logs and rejects more than this many. */
function nodeOf(moved: readonly Moved[], maxLogs = Number.POSITIVE_INFINITY) {
  const state = { asked: 0 }
  const rpc: Pick<Rpc, 'request'> = {
    async request<T>(method: string, params: readonly unknown[] = []) {
      state.asked++
      const { address, topics, fromBlock, toBlock } = params[0] as {
        address: string[]
        topics: (string | string[] | null)[]
        fromBlock: string
        toBlock: string
      }
      const logs = moved
        .map((move, i) => ({
          ...move,
          i,
          named: [ERC20_TRANSFER_TOPIC, topicOf(move.from), topicOf(move.to)],
        }))
        .filter(
          ({ token, block }) =>
            address.includes(token) && block >= Number(fromBlock) && block <= Number(toBlock),
        )
        .filter(({ named }) =>
          topics.every((topic, i) => topic === null || [topic].flat().includes(named[i]!)),
        )
        .map(({ token, named, block, i }) => ({
          address: token,
          topics: named,
          data: topicOf(at(i)),
          blockNumber: `0x${block.toString(16)}`,
          blockHash: '0xb1',
          transactionHash: '0xc1',
          logIndex: `0x${i.toString(16)}`,
        }))
      if (logs.length > maxLogs) throw new RpcError(method, -32_005, 'too many results', undefined)
      return logs as T
    },
  }
  return { rpc, state }
}

it('finds every transfer from or to the named, each once, range after range', async () => {
  const who = fc.integer({ min: 1, max: 6 }).map(at)
  const token = fc.integer({ min: 0x70, max: 0x72 }).map(at)
  const move = fc.record({ token, from: who, to: who, block: fc.nat(200) })
  const some = fc.uniqueArray(who, { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { maxLength: 60 }),
      fc.uniqueArray(token, { maxLength: 3 }),
      some,
      some,
      fc.integer({ min: 60, max: 80 }),
      async (moved, tokens, senders, receivers, maxLogs) => {
        const { rpc, state } = nodeOf(moved, maxLogs)
        const span = createLogSpan({ max: 64 })
        const transfers: Transfer[] = []
        for (let from = 0; from <= 200; ) {
          const read = await scanTransfers(rpc, span, { tokens, senders, receivers }, { from, to: 200 })
          transfers.push(...read.transfers)
          from = read.to + 1
        }
        const expected = moved
          .map((one, i) => ({ ...one, i }))
          .filter((one) => tokens.includes(one.token))
          .filter(({ from, to }) => senders.includes(from) || receivers.includes(to))
        const byIndex = (a: { logIndex: number }, b: { logIndex: number }) => a.logIndex - b.logIndex
        expect(transfers.sort(byIndex)).toEqual(
          expected.map(({ i, token, from, to, block }) => ({
            token,
            from,
            to,
            block,
            atoms: BigInt(i),
            txHash: '0xc1',
            logIndex: i,
          })),
        )
        // An empty list matches nobody, never everybody.
        if (tokens.length === 0) expect(state.asked).toBe(0)
      },
    ),
  )
})

it('shrinks for the second filter as for the first, and reads both again', async () => {
  const moved = Array.from({ length: 8 }, (_, block) => ({ token: at(0x70), from: at(9), to: at(1), block }))
  const { rpc } = nodeOf(moved, 3)
  const filter = { tokens: [at(0x70)], senders: [at(1)], receivers: [at(1)] }
  const read = await scanTransfers(rpc, createLogSpan({ max: 8 }), filter, { from: 0, to: 7 })
  expect(read.to).toBe(1)
  expect(read.transfers.map(({ block }) => block)).toEqual([0, 1])
})

it('has no amount for a non-ERC-20 log, and skips logs without parties', async () => {
  const [word, from, to] = [topicOf(at(5)), topicOf(at(1)), topicOf(at(2))]
  const log = {
    address: at(0x70),
    blockNumber: '0x1',
    blockHash: '0xb',
    transactionHash: '0xc',
    logIndex: '0x0',
  }
  const logs = [
    { ...log, topics: [ERC20_TRANSFER_TOPIC, from, to], data: word },
    { ...log, topics: [ERC20_TRANSFER_TOPIC, from, to, word], data: '0x' },
    { ...log, topics: [ERC20_TRANSFER_TOPIC, from, to], data: '0x05' },
    { ...log, topics: [ERC20_TRANSFER_TOPIC, from], data: word },
    { ...log, topics: [ERC20_TRANSFER_TOPIC, from, to], data: word, removed: true },
  ]
  const rpc = { request: async () => logs } as unknown as Pick<Rpc, 'request'>
  const filter = { tokens: [at(0x70)], receivers: [at(2)] }
  const read = await scanTransfers(rpc, createLogSpan({ max: 8 }), filter, { from: 0, to: 7 })
  expect(read.transfers.map(({ atoms }) => atoms)).toEqual([5n, null, null])
})
