import type { Hex } from '@pit/chain'
import { expect, it } from 'vitest'
import type { Transaction } from '../account.ts'
import type { ClientDeps } from '../deps.ts'
import { RpcFailure } from '../own/rpc.ts'
import { sendSigned } from './sendSigned.ts'

// Wallets that send themselves: what they sent is compared once it is mined.

const WALLET: Hex = `0x${'aa'.repeat(20)}`
const transaction = { chainId: 4663, to: `0x${'22'.repeat(20)}` as Hex, data: '0x1234', value: 5n } as const
const sentAsGiven = { from: WALLET, to: transaction.to, input: '0x1234', value: '0x5' }

function open(mined: unknown, count = 1) {
  const handed: Transaction[] = []
  const deps = {
    account: {
      address: WALLET,
      async sendTransaction(one: Transaction) {
        handed.push(one)
        return `0x${String(handed.length).repeat(64)}`
      },
    },
    rpc: {
      all: async ([call]: { method: string }[]) => [
        call!.method === 'eth_getTransactionByHash'
          ? mined
          : { status: '0x1', blockNumber: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [] },
      ],
    },
    nowMs: () => 0,
    sleep: async () => {},
  } as unknown as ClientDeps
  const send = () => sendSigned(deps, Array(count).fill(transaction), { deadlineS: 1 })
  return { send, handed }
}

it('accepts what the wallet was given', async () => {
  const { send, handed } = open(sentAsGiven, 2)
  expect(await send()).toHaveLength(2)
  expect(handed).toHaveLength(2)
})

it.each([
  ['another recipient', { to: WALLET }],
  ['another call', { input: '0x1235' }],
  ['another value', { value: '0x6' }],
  ['another sender', { from: transaction.to }],
])('refuses a wallet that sent %s, before it is given the next', async (_, changed) => {
  const { send, handed } = open({ ...sentAsGiven, ...changed }, 2)
  await expect(send()).rejects.toMatchObject({ code: 'MINED_MISMATCH' })
  expect(handed).toHaveLength(1)
})

it.each([null, new RpcFailure('pruned')])('does not assume what its node cannot show (%s)', async (mined) => {
  await expect(open(mined).send()).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE', retry: 'look_first' })
})
