import type { Address } from '@pit/chain'
import { createScriptedChain } from '@pit/platform/test/scriptedChain'
import { describe, expect, it } from 'vitest'
import { findTokenFunders } from './findTokenFunders.ts'

const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [USDG, OTHER] = [at(0xe1), at(0xe9)]

function open() {
  const chain = createScriptedChain({ clock: { nowMs: () => 1_000_000_000 }, startS: 0, blockS: 10 })
  const send = (to: Address, { from, block, atoms = 5n, token = USDG }: Sent) =>
    chain.add({ from, gasUsed: 0n, moves: [{ token, from, to, atoms }] }, block)
  const find = (own: { from?: [Address, number][]; head?: number; maxRanges?: number } = {}) =>
    findTokenFunders(chain.rpc, {
      tokens: [USDG],
      from: new Map(own.from ?? [[at(1), 0]]),
      head: own.head ?? 90_000,
      maxRanges: own.maxRanges ?? 20,
    })
  return { chain, send, find }
}
interface Sent {
  from: Address
  block: number
  atoms?: bigint
  token?: Address
}

describe('the first sender of a core token', () => {
  it('is found in block order, and a transfer of nothing or of another token does not count', async () => {
    const { send, find } = open()
    send(at(1), { from: at(7), block: 100, atoms: 0n })
    send(at(1), { from: at(6), block: 200, token: OTHER })
    send(at(1), { from: at(9), block: 70_000 })
    send(at(1), { from: at(8), block: 50_000 })
    const { fundings: found, next } = await find()
    expect(found.get(at(1))).toEqual({ funder: at(8), token: USDG, block: 50_000 })
    expect(next.size).toBe(0)
  })

  it('is null if a contract sent it or if it was minted', async () => {
    const { chain, send, find } = open()
    chain.code.set(at(8), '0x6000')
    chain.code.set(at(9), '0xef0100')
    send(at(1), { from: at(8), block: 10 })
    send(at(2), { from: at(0), block: 10 })
    send(at(3), { from: at(9), block: 10 })
    const { fundings: found } = await find({ from: [1, 2, 3].map((n) => [at(n), 0]) })
    expect([1, 2, 3].map((n) => found.get(at(n))?.funder)).toEqual([null, null, at(9)])
  })

  it('is looked for in bounded steps that a later run continues, many addresses per request', async () => {
    const { chain, send, find } = open()
    const wallets = Array.from({ length: 20 }, (_, i) => at(0x100 + i))
    for (const wallet of wallets) send(wallet, { from: at(8), block: 55_000 })
    const cut = await find({ from: wallets.map((wallet) => [wallet, 0]), maxRanges: 1 })
    expect(cut.fundings.size).toBe(0)
    expect(new Set(cut.next.values())).toEqual(new Set([20_000]))
    chain.asked.length = 0
    const { fundings: found } = await find({ from: [...cut.next, [at(1), 0]] })
    expect(found.size).toBe(20)
    const logs = chain.asked.filter(({ method }) => method === 'eth_getLogs')
    expect(logs.length).toBeLessThan(4)
  })

  it('is not looked for beyond the last final block', async () => {
    const { send, find } = open()
    send(at(1), { from: at(8), block: 500 })
    const { fundings: found, next } = await find({ head: 499 })
    expect([found.size, next.get(at(1))]).toEqual([0, 500])
  })
})
