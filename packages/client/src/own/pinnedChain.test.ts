import { expect, it } from 'vitest'
import { account, codeOf, pins } from '../../test/ordersKit.ts'
import type { TypedData } from '../account.ts'
import { createChainCheck, onPinnedChain } from './pinnedChain.ts'
import { type Rpc, RpcFailure } from './rpc.ts'

const nodeOn = (answers: unknown[]): Rpc & { asked: number } => ({
  asked: 0,
  async all() {
    return [answers[Math.min(this.asked++, answers.length - 1)]]
  },
})
const pinned = `0x${pins.profile.chain_id.toString(16)}`
const guarded = (node: Rpc) => onPinnedChain(account, createChainCheck(node, pins))

const DATA: TypedData = {
  domain: { name: 'Test' },
  types: { Vote: [{ name: 'yes', type: 'bool' }] },
  primaryType: 'Vote',
  message: { yes: true },
}

it('signs on the pinned chain, and asks the node once', async () => {
  const node = nodeOn([pinned])
  const signer = guarded(node)
  expect(await signer.signTypedData(DATA)).toBe(await account.signTypedData(DATA))
  await signer.signTypedData(DATA)
  expect(node.asked).toBe(1)
})

it.each([['0x1'], [pins.profile.chain_id], [null], ['0x'], [{}], [`${pinned}0`]])(
  'signs nothing with a node on chain %s',
  async (answer) => {
    const signer = guarded(nodeOn([answer]))
    expect(await codeOf(signer.signTypedData(DATA))).toBe('WRONG_CHAIN')
    expect(await codeOf(signer.signTransaction({} as never))).toBe('WRONG_CHAIN')
    expect(await codeOf(signer.signAuthorization!({} as never))).toBe('WRONG_CHAIN')
  },
)

it('asks a node again that failed before', async () => {
  const signer = guarded(nodeOn([new RpcFailure('busy'), pinned]))
  expect(await codeOf(signer.signTypedData(DATA))).toBe('RPC_UNAVAILABLE')
  expect(await signer.signTypedData(DATA)).toMatch(/^0x/)
})
