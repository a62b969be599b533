import type { Hex } from '@pit/chain'
import { keccak256 } from 'viem'
import { expect, it } from 'vitest'
import type { Transaction } from '../account.ts'
import type { ClientDeps } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import { sendSigned } from './sendSigned.ts'

const RAW: Hex = '0x02c0ffee'
const HASH = keccak256(RAW)
const DEADLINE_S = 1_000
const lost = () => new PitRefusal('SERVER_UNREACHABLE', 'no answer', { retry: 'look_first' })

/** A wallet whose submits are answered in turn, over a chain that knows these hashes from the start. */
function open(answers: (() => unknown)[], { known = new Set<Hex>(), startS = 0 } = {}) {
  let signatures = 0
  let nowS = startS
  const sent: unknown[] = []
  const deps = {
    account: {
      async signTransaction() {
        signatures++
        return RAW
      },
    },
    api: {
      'live.submit': async ({ body }: { body: unknown }) => {
        sent.push(body)
        return answers.shift()!()
      },
    },
    rpc: { all: async () => [known.has(HASH) ? { hash: HASH } : null] },
    nowMs: () => nowS * 1000,
    async sleep(ms: number) {
      nowS += ms / 1000
    },
  } as unknown as ClientDeps
  const send = () => sendSigned(deps, [{} as Transaction], { deadlineS: DEADLINE_S })
  return { send, sent, signatures: () => signatures }
}
const throwing = (error: () => Error) => () => {
  throw error()
}

it('sends the same bytes again when the answer was lost and the chain has not seen them', async () => {
  const { send, sent, signatures } = open([throwing(lost), throwing(lost), () => ({ tx_hash: HASH })])
  expect(await send()).toEqual([HASH])
  expect(sent).toEqual([{ raw_tx: RAW }, { raw_tx: RAW }, { raw_tx: RAW }])
  expect(signatures()).toBe(1)
})

it('sends nothing again once the chain knows the transaction', async () => {
  const { send, sent, signatures } = open([throwing(lost)], { known: new Set([HASH]) })
  expect(await send()).toEqual([HASH])
  expect([sent.length, signatures()]).toEqual([1, 1])
})

it('gives up at the deadline and says what to look for; it never signs a second time', async () => {
  const { send, signatures } = open([throwing(lost), throwing(lost)], { startS: DEADLINE_S })
  const error = (await send().catch((caught: unknown) => caught)) as PitRefusal
  expect([error.retry, error.details['tx_hashes']]).toEqual(['look_first', [HASH]])
  expect(error.hint).toContain(HASH)
  expect(signatures()).toBe(1)
})

it('passes a plain refusal on at once', async () => {
  const refused = () => new PitRefusal('SUBMIT_DISABLED', 'off', { retry: 'no' })
  const { send, sent } = open([throwing(refused)])
  await expect(send()).rejects.toMatchObject({ code: 'SUBMIT_DISABLED' })
  expect(sent).toHaveLength(1)
})

it('refuses a server that names another hash, and does not send again', async () => {
  const { send, sent } = open([() => ({ tx_hash: `0x${'11'.repeat(32)}` })])
  await expect(send()).rejects.toMatchObject({ code: 'HASH_MISMATCH', retry: 'look_first' })
  expect(sent).toHaveLength(1)
})
