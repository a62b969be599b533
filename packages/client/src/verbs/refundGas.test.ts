import { readFileSync } from 'node:fs'
import type { Address, Hex } from '@pit/chain'
import { CHAIN_ID, executorAttestationText } from '@pit/protocol'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { fromViem } from '../account.ts'
import type { ClientDeps } from '../deps.ts'
import { isRefusal } from '../errors.ts'
import { openNode } from '../own/node.ts'
import { type Rpc, RpcFailure } from '../own/rpc.ts'
import { pinsOf } from '../pins.ts'
import { memoryRecords, openRecords } from '../records.ts'
import { refundGas } from './refundGas.ts'

const NOW_S = 1_800_000_000
const keyOf = (digits: string) => privateKeyToAccount(`0x${digits.repeat(32)}`)
const [owner, executor, cosigner, stranger] = [keyOf('11'), keyOf('22'), keyOf('33'), keyOf('44')]
const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')), {
  cosigner: cosigner.address.toLowerCase() as Address,
})

interface Lie {
  to?: Address
  value?: bigint
  data?: Hex
  chainId?: number
  /** Who signs the transfer. */
  by?: typeof executor
  /** Who signs the attestation of the executor. */
  attestedBy?: typeof cosigner
  answer?: Record<string, unknown>
  isMined?: boolean
}

async function refund(lie: Lie = {}) {
  const sender = lie.by ?? executor
  const raw = await sender.signTransaction({
    type: 'eip1559',
    chainId: lie.chainId ?? CHAIN_ID,
    to: lie.to ?? owner.address,
    value: lie.value ?? 1_000n,
    data: lie.data ?? '0x',
    nonce: 3,
    gas: 21_000n,
    maxFeePerGas: 7n,
    maxPriorityFeePerGas: 0n,
  })
  const answer = {
    raw,
    tx_hash: keccak256(raw),
    to: owner.address,
    value_wei: '1000',
    executor: sender.address,
    ...lie.answer,
  }
  const signature = await (lie.attestedBy ?? cosigner).signMessage({
    message: executorAttestationText({
      executor: sender.address,
      owner: owner.address,
      agentId: 'agt_1',
      chainId: CHAIN_ID,
    }),
  })
  const sent: unknown[] = []
  const rpc: Rpc = {
    all: async (calls) =>
      calls.map(({ method, params }) => {
        if (method === 'eth_sendRawTransaction') return sent.push(params[0]) && keccak256(raw)
        if (method === 'eth_getBlockByNumber') return { timestamp: `0x${(NOW_S + 120).toString(16)}` }
        if (method === 'eth_getTransactionReceipt' && lie.isMined !== false)
          return { status: '0x1', blockNumber: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [] }
        return method === 'eth_getTransactionReceipt' ? null : new RpcFailure(`no ${method}`)
      }),
  }
  let nowMs = NOW_S * 1000
  const account = fromViem(owner)
  const deps: ClientDeps = {
    api: {
      'hosted.refund_gas': async () => answer,
      'hosted.executor': async () => ({ executor_attestation: { signature } }),
    } as never,
    account,
    endingAccount: account,
    pins,
    rpc: openNode(rpc, pins, () => nowMs),
    nowMs: () => nowMs,
    sleep: async () => {
      nowMs += 10_000
    },
    records: openRecords(memoryRecords(), account.address),
    checked: async () => {},
  }
  return { sent, raw, outcome: refundGas(deps, 'agt_1') }
}

describe('refundGas', () => {
  it('sends the executor’s transfer by the owner’s node and waits until it is mined', async () => {
    const { sent, raw, outcome } = await refund()
    expect(await outcome).toMatchObject({ value_wei: '1000' })
    expect(sent).toEqual([raw])
  })

  it.each<[string, Lie]>([
    ['to another address', { to: stranger.address }],
    ['with calldata', { data: '0x01' }],
    ['for another chain', { chainId: 1 }],
    ['of another amount than answered', { value: 999n }],
    ['under another hash', { answer: { tx_hash: `0x${'0'.repeat(64)}` } }],
    ['that names another executor', { answer: { executor: stranger.address } }],
    ['that is not a transaction', { answer: { raw: '0x02' } }],
    ['from an account that only the server calls the executor', { by: stranger, attestedBy: stranger }],
  ])('refuses a transfer %s, and sends nothing', async (_, lie) => {
    const { sent, outcome } = await refund(lie)
    const refusal = await outcome.catch((error) => error)
    expect(isRefusal(refusal) && refusal.code).toBe('REFUND_TO')
    expect(sent).toEqual([])
  })

  it('refuses when the owner’s node does not mine it', async () => {
    const refusal = await (await refund({ isMined: false })).outcome.catch((error) => error)
    expect(isRefusal(refusal) && refusal.code).toBe('REFUND_TO')
    expect(refusal.message).toContain('is not mined')
  })
})
