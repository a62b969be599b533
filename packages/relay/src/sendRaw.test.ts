import { type Rpc, RpcError } from '@pit/platform/rpc'
import { expect, it } from 'vitest'
import { saysKnown, saysNonce, saysRefused, sendRaw } from './sendRaw.ts'

it.each([
  [-32_003, 'transaction rejected by the sequencer'],
  [-32_602, 'cannot unmarshal'],
  [-32_000, 'nonce too low: next nonce 4, tx nonce 3'],
  [-32_000, 'insufficient funds for gas * price + value: have 1 want 2'],
  [-32_000, 'intrinsic gas too low'],
  [-32_000, 'max fee per gas less than block base fee'],
  [-32_000, 'exceeds block gas limit'],
  [-32_000, 'replacement transaction underpriced'],
  [-32_000, 'transaction type not supported'],
  [-32_000, 'invalid sender'],
  [-32_000, 'already known'],
  [-32_010, 'insufficient balance'],
  [3, 'execution reverted'],
])('%i %s is a refusal', (code, message) => expect(saysRefused({ code, message })).toBe(true))

it.each([
  [-32_603, 'Internal error'],
  [-32_603, 'nonce too low'],
  [-32_005, 'limit exceeded'],
  [-32_002, 'resource unavailable'],
  [-32_000, 'request timed out'],
  [-32_000, 'timeout'],
  [-32_000, 'context deadline exceeded'],
  [-32_000, 'upstream rejected the request'],
  [-32_003, 'internal error'],
  [-32_000, 'busy'],
  [-32_000, 'invalid response'],
  [-32_099, 'something else'],
  [429, 'too many requests'],
])('treats %i %s as undecided', (code, message) => expect(saysRefused({ code, message })).toBe(false))

it.each([
  [3, 'execution reverted: already known'],
  [-32_000, 'execution reverted: nonce too low'],
  [3, 'execution reverted: upstream timed out, try again'],
])('reads %i %s as a refusal and ignores the contract’s text', async (code, message) => {
  const error = new RpcError('eth_sendRawTransaction', code, message, undefined)
  const answer = await sendRaw({ request: () => Promise.reject(error) } as unknown as Rpc, '0x02')
  expect(answer).toEqual({ kind: 'refused', words: message })
  expect([saysKnown(message), saysNonce(message)]).toEqual([false, false])
})

it('treats an error as undecided if its data may be the transaction’s hash', () => {
  const data = `0x${'ab'.repeat(32)}`
  expect(saysRefused(new RpcError('eth_sendRawTransaction', -32_000, 'timed out', data))).toBe(false)
})
