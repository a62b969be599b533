import type { RawTrade, SeasonRecord } from '@pit/league/rules'
import { type Rpc, RpcError } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { expect, it } from 'vitest'
import { readChain } from './readChain.ts'

const trade = (own: Partial<RawTrade> = {}): RawTrade => ({
  id: 7,
  wallet: '0x1',
  kind: 'swap',
  status: 'mined',
  token_in: null,
  token_out: null,
  amount_in: null,
  amount_out: null,
  tx_hash: '0xaa',
  mined_at_s: 100,
  block: 5,
  gas_wei: '6',
  taken: true,
  ...own,
})
const recordOf = (...trades: RawTrade[]) => ({ trades }) as unknown as SeasonRecord
const RECEIPT = {
  status: '0x1',
  blockNumber: '0x5',
  blockHash: '0x05',
  logs: [],
  gasUsed: '0x2',
  effectiveGasPrice: '0x3',
}

/** A node that has these receipts and one block; what is an error is answered as one. */
const nodeWith = (receipts: Record<string, object | RpcError | null>): Rpc =>
  rpcOf(async (method, [first]) => {
    if (method === 'eth_getBlockByNumber') return { timestamp: '0x64' }
    const receipt = receipts[first as string] ?? null
    if (receipt instanceof RpcError) throw receipt
    return receipt
  })

it('reads gas, and names what the chain says otherwise', async () => {
  const { facts, difference } = await readChain(nodeWith({ '0xaa': RECEIPT }), recordOf(trade()))
  expect(facts.gasOf(trade())).toBe(6n)
  expect(difference).toBeNull()
  const reverted = nodeWith({ '0xaa': { ...RECEIPT, status: '0x0' } })
  expect((await readChain(reverted, recordOf(trade()))).difference).toEqual({
    path: 'trades.7.status',
    recorded: 'mined',
    rebuilt: 'reverted',
  })
})

it('calls nothing different because a node would not say, or forgot', async () => {
  const busy = new RpcError('eth_getTransactionReceipt', -32_005, 'too many requests', undefined)
  await expect(readChain(nodeWith({ '0xaa': busy }), recordOf(trade()))).rejects.toThrow('too many requests')
  await expect(readChain(nodeWith({}), recordOf(trade()))).rejects.toThrow('no receipt of 0xaa')
})

it('leaves gas unknown that the league never knew', async () => {
  const lost = trade({ gas_wei: null })
  const { facts, difference } = await readChain(nodeWith({}), recordOf(lost))
  expect([facts.gasOf(lost), difference]).toEqual([null, null])
})
