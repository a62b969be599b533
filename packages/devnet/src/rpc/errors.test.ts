import { expect, test } from 'vitest'
import { rpcFailure } from '../engine/provider.ts'
import { toRpcError } from './errors.ts'

const reverted = (data: string) =>
  rpcFailure(-32000, 'VM Exception', { reason: { Revert: data }, data, transactionHash: null })
const word = (value: bigint) => value.toString(16).padStart(64, '0')
const text = (value: string) =>
  `0x08c379a0${word(32n)}${word(BigInt(Buffer.byteLength(value)))}${Buffer.from(value).toString('hex')}`

test('a revert is code 3 with its data and reason, if any', () => {
  expect(toRpcError(reverted('0x'))).toEqual({ code: 3, message: 'execution reverted', data: '0x' })
  expect(toRpcError(reverted('0xdeadbeef'))).toEqual({
    code: 3,
    message: 'execution reverted',
    data: '0xdeadbeef',
  })
  expect(toRpcError(reverted(text('zu spät')))).toMatchObject({
    code: 3,
    message: 'execution reverted: zu spät',
  })
})

test('a reason with a wrong length is ignored', () => {
  const lies = [
    `0x08c379a0${word(32n)}${word(10n ** 60n)}`,
    `0x08c379a0${word(10n ** 60n)}`,
    '0x08c379a0',
    `0x08c379a0${word(32n)}`,
    `0x08c379a0${word(32n)}${word(40n)}00`,
  ]
  for (const data of lies) expect(toRpcError(reverted(data)).message).toBe('execution reverted')
})

test('a halt, an unknown method and a bad parameter differ', () => {
  const halt = rpcFailure(-32000, 'VM Exception', { reason: 'OutOfGas', data: '0x', transactionHash: null })
  expect(toRpcError(halt)).toEqual({ code: -32000, message: 'out of gas' })
  expect(toRpcError(rpcFailure(-32004, 'Method eth_x is not supported', {}))).toEqual({
    code: -32601,
    message: 'the method eth_x does not exist/is not available',
  })
  expect(toRpcError(rpcFailure(-32602, 'bad', { jsonrpc: '2.0' }))).toEqual({ code: -32602, message: 'bad' })
  expect(toRpcError(new Error('oops'))).toEqual({ code: -32603, message: 'oops' })
  expect(toRpcError(undefined as never)).toEqual({ code: -32603, message: 'internal error' })
})

test('pool rejections use the wording of other nodes', () => {
  const said = (message: string) => toRpcError(rpcFailure(-32000, message)).message
  expect(said("Sender doesn't have enough funds to send tx. The max upfront cost is: 1")).toMatch(
    /^insufficient funds/,
  )
  expect(said('Transaction nonce too low. Expected nonce to be at least 2 but got 1.')).toMatch(
    /^nonce too low/,
  )
  expect(said('Known transaction: 0x12')).toMatch(/^already known/)
  expect(said('Transaction requires at least 21000 gas but got 20000')).toMatch(/^intrinsic gas too low/)
  expect(said('something else')).toBe('something else')
})
