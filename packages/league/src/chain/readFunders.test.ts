import { describe, expect, it } from 'vitest'
import { createScriptedChain } from '../../test/scriptedChain.ts'
import { lastBlockBefore } from './blockAt.ts'
import { findFunders } from './readFunders.ts'

const at = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const clock = { nowMs: () => 1_000_000_000 }
const open = () => createScriptedChain(clock, 0)

describe('first funders', () => {
  it('are found by halving, many side by side, in few requests', async () => {
    const { chain, rpc, head } = open()
    const wallets = Array.from({ length: 40 }, (_, i) => at(0x100 + i))
    for (const [i, wallet] of wallets.entries())
      chain.fundings.set(wallet, { from: at(0xf00 + i), block: 1 + i * 2_400 })
    const before = chain.asked
    const found = await findFunders(rpc, wallets)
    for (const [i, wallet] of wallets.entries())
      expect(found.get(wallet)).toEqual({ funder: at(0xf00 + i), block: 1 + i * 2_400 })
    // Two looks, a halving of the chain, and two reads for each address.
    expect(chain.asked - before).toBeLessThan(3 + Math.ceil(Math.log2(head())) + 2 * wallets.length + 2)
  })

  it('are nobody where the ETH was there from the start, or came from a contract', async () => {
    const { chain, rpc } = open()
    chain.fundings.set(at(1), { from: at(9), block: 0 })
    chain.fundings.set(at(2), { from: at(8), block: 77 })
    chain.contracts.add(at(8))
    const found = await findFunders(rpc, [at(1), at(2), at(3)])
    expect(found.get(at(1))).toEqual({ funder: null, block: 0 })
    expect(found.get(at(2))).toEqual({ funder: null, block: 77 })
    // Nobody has funded it yet: it is looked at again.
    expect(found.get(at(3))).toBeNull()
  })

  it('cannot be told by a node without a past, nor where the ETH came inside another transaction', async () => {
    const { chain, rpc } = open()
    chain.fundings.set(at(1), { from: at(9), block: 500, inside: true })
    expect((await findFunders(rpc, [at(1)])).get(at(1))).toBeUndefined()
    chain.archive = false
    chain.fundings.set(at(2), { from: at(9), block: 500 })
    expect((await findFunders(rpc, [at(2)])).get(at(2))).toBeUndefined()
  })
})

describe('the last block before a time', () => {
  it('is the one whose next is not before it', async () => {
    const { rpc, head, timeOf } = open()
    for (const timeS of [1, 10, 11, 4_321, 999_990]) {
      const block = (await lastBlockBefore(rpc, timeS))!
      expect(timeOf(block)).toBeLessThan(timeS)
      if (block < head()) expect(timeOf(block + 1)).toBeGreaterThanOrEqual(timeS)
    }
    expect(await lastBlockBefore(rpc, 2_000_000)).toBe(head())
    expect(await lastBlockBefore(rpc, 0)).toBeNull()
  })
})
