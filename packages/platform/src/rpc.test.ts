import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createRpc, RpcError, RpcUnreachable } from './rpc.ts'

let server: Server | undefined
afterEach(() => server?.close())

async function answering(reply: string | null): Promise<string> {
  server = createServer((_, response) => {
    if (reply !== null) response.end(reply)
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('gives the result, null included', async () => {
  const rpc = createRpc({ url: await answering('{"jsonrpc":"2.0","id":1,"result":null}') })
  expect(await rpc.request('eth_getTransactionReceipt', ['0x'])).toBeNull()
  rpc.close()
})

it('keeps code and revert data of an error', async () => {
  const rpc = createRpc({
    url: await answering('{"error":{"code":3,"message":"execution reverted","data":"0x01"}}'),
  })
  const error = await rpc.request('eth_call').catch((e) => e)
  expect(error).toBeInstanceOf(RpcError)
  expect(error).toMatchObject({ code: 3, data: '0x01' })
  rpc.close()
})

it.each([
  ['not JSON', '<html>', 1_000],
  ['no result', '{}', 1_000],
  ['null', 'null', 1_000],
  ['a bare text', '"busy"', 1_000],
  ['silence', null, 20],
])('calls %s unreachable', async (_, reply, timeoutMs) => {
  const rpc = createRpc({ url: await answering(reply as string | null), timeoutMs: timeoutMs as number })
  await expect(rpc.request('eth_chainId')).rejects.toBeInstanceOf(RpcUnreachable)
  rpc.close()
})

it('calls a closed port unreachable', async () => {
  const url = await answering('')
  await new Promise((resolve) => server?.close(resolve))
  const rpc = createRpc({ url })
  await expect(rpc.request('eth_chainId')).rejects.toBeInstanceOf(RpcUnreachable)
})
