import type { Address } from '@pit/chain'
import { lastBlockBefore } from '@pit/platform/reads'
import { createScriptedChain, ETH } from '@pit/platform/test/scriptedChain'
import { describe, expect, it } from 'vitest'
import { findFunders } from './findFunders.ts'

const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
function open() {
  const chain = createScriptedChain({ clock: { nowMs: () => 1_000_000_000 }, startS: 0, blockS: 10 })
  const fund = (to: Address, { from, block }: { from: Address; block: number }) => {
    chain.setBalance(ETH, to, 1n, block)
    chain.add({ from, to, valueWei: 1n, gasUsed: 0n }, block)
  }
  return { chain, rpc: chain.rpc, fund }
}

describe('first funders', () => {
  it('are found by binary search, many at once, in few requests', async () => {
    const { chain, rpc, fund } = open()
    const wallets = Array.from({ length: 40 }, (_, i) => at(0x100 + i))
    for (const [i, wallet] of wallets.entries()) fund(wallet, { from: at(0xf00 + i), block: 1 + i * 2_400 })
    let requests = 0
    const fundings = await findFunders(
      {
        request: (...params) => {
          requests++
          return rpc.request(...params)
        },
        batch: (...params) => {
          requests++
          return rpc.batch(...params)
        },
      },
      wallets,
    )
    for (const [i, wallet] of wallets.entries())
      expect(fundings.get(wallet)).toEqual({ funder: at(0xf00 + i), block: 1 + i * 2_400 })
    // Two reads, a binary search over the chain, and two reads for each address.
    expect(requests).toBeLessThan(3 + Math.ceil(Math.log2(chain.head())) + 2 * wallets.length + 2)
  })

  it('are null if the ETH was there from the start or came from a contract', async () => {
    const { chain, rpc, fund } = open()
    fund(at(1), { from: at(9), block: 0 })
    fund(at(2), { from: at(8), block: 77 })
    chain.code.set(at(8), '0x6000')
    const fundings = await findFunders(rpc, [at(1), at(2), at(3)])
    expect(fundings.get(at(1))).toEqual({ funder: null, block: 0 })
    expect(fundings.get(at(2))).toEqual({ funder: null, block: 77 })
    // Not funded yet: it is looked up again.
    expect(fundings.get(at(3))).toBeNull()
  })

  it('are undefined if the node lacks old state or the ETH came inside another transaction', async () => {
    const { chain, rpc, fund } = open()
    chain.setBalance(ETH, at(1), 1n, 500)
    expect((await findFunders(rpc, [at(1)])).get(at(1))).toBeUndefined()
    chain.stateFrom = Number.POSITIVE_INFINITY
    fund(at(2), { from: at(9), block: 500 })
    expect((await findFunders(rpc, [at(2)])).get(at(2))).toBeUndefined()
  })
})

describe('a wallet whose code was delegated while it had no ETH', () => {
  it('has no ETH funder, although its nonce is used', async () => {
    const { chain, rpc } = open()
    chain.on('eth_getTransactionCount', ([address, tag], usual) =>
      address === at(1) && Number(tag) >= 700 ? '0x1' : usual(),
    )
    expect((await findFunders(rpc, [at(1)])).get(at(1))).toBeNull()
  })
})

describe('the last block before a time', () => {
  it('is the one whose next is not before it', async () => {
    const {
      rpc,
      chain: { head, timeOf },
    } = open()
    for (const timeS of [1, 10, 11, 4_321, 999_990]) {
      const block = (await lastBlockBefore(rpc, timeS))!
      expect(timeOf(block)).toBeLessThan(timeS)
      if (block < head()) expect(timeOf(block + 1)).toBeGreaterThanOrEqual(timeS)
    }
    expect(await lastBlockBefore(rpc, 2_000_000)).toBe(head())
    expect(await lastBlockBefore(rpc, 0)).toBeNull()
  })
})
