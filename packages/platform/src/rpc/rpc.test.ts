import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createRpc, RpcError, RpcUnreachable } from './index.ts'

let server: Server | undefined
afterEach(() => server?.close())

async function answering(reply: string | null): Promise<string> {
  server = createServer((_, response) => {
    if (reply !== null) response.end(reply)
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('returns the result, null included', async () => {
  const rpc = createRpc({ url: await answering('{"jsonrpc":"2.0","id":1,"result":null}') })
  expect(await rpc.request('eth_getTransactionReceipt', ['0x'])).toBeNull()
  rpc.close()
})

it('preserves code and revert data of an error', async () => {
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

it('tells a node that is slow or busy from one that is away', async () => {
  const whyOf = async (url: string, timeoutMs = 1_000) => {
    const rpc = createRpc({ url, timeoutMs })
    const error = await rpc.request('eth_chainId').catch((thrown) => thrown)
    rpc.close()
    return (error as RpcUnreachable).why
  }
  expect(await whyOf(await answering(null), 20)).toBe('slow')
  server?.close()
  expect(await whyOf(await answering('<html>'))).toBe('silent')
  server?.close()
  server = createServer((_, response) => response.writeHead(429).end('Too Many Requests'))
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  expect(await whyOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).toBe('busy')
  expect(await whyOf('http://127.0.0.1:1')).toBe('silent')
})

it('reports a closed port as unreachable', async () => {
  const url = await answering('')
  await new Promise((resolve) => server?.close(resolve))
  const rpc = createRpc({ url })
  await expect(rpc.request('eth_chainId')).rejects.toBeInstanceOf(RpcUnreachable)
})

/** A node that closes each kept-alive connection on its second request; counts requests. */
async function forgetful(): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = []
  const used = new WeakSet<object>()
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const calls = [JSON.parse(text)].flat() as { id: number; method: string }[]
      requests.push(calls.map(({ method }) => method).join(' '))
      if (used.has(request.socket)) return request.socket.resetAndDestroy()
      used.add(request.socket)
      const answers = calls.map(({ id }) => ({ id, result: '0x1' }))
      response.end(JSON.stringify(text.startsWith('[') ? answers : answers[0]))
    })
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

it('retries reads only when a kept-alive connection was closed', async () => {
  const { url, requests } = await forgetful()
  const rpc = createRpc({ url })
  expect(await rpc.request('eth_chainId')).toBe('0x1')
  expect(await rpc.request('eth_call', [{}])).toBe('0x1')
  expect(requests.splice(0)).toEqual(['eth_chainId', 'eth_call', 'eth_call'])
  expect(
    await rpc.batch([
      ['eth_getBalance', []],
      ['eth_blockNumber', []],
    ]),
  ).toHaveLength(2)
  expect(requests.splice(0)).toEqual(['eth_getBalance eth_blockNumber', 'eth_getBalance eth_blockNumber'])

  // The connection of the retry was used once: the next request on it is cut off.
  const once = async (work: Promise<unknown>, what: string) => {
    await expect(work).rejects.toBeInstanceOf(RpcUnreachable)
    expect(requests.splice(0)).toEqual([what])
    await rpc.request('eth_chainId')
    requests.length = 0
  }
  await once(rpc.request('eth_sendRawTransaction', ['0x']), 'eth_sendRawTransaction')
  await once(rpc.request('eth_getFilterChanges', ['0x']), 'eth_getFilterChanges')
  await once(rpc.request('devnet_setFeed', []), 'devnet_setFeed')
  await once(
    rpc.batch([
      ['eth_chainId', []],
      ['eth_sendRawTransaction', ['0x']],
    ]),
    'eth_chainId eth_sendRawTransaction',
  )
  rpc.close()
})

it('retries on a new connection when all kept-alive ones are dead', async () => {
  const { url, requests } = await forgetful()
  const rpc = createRpc({ url })
  const several = Array.from({ length: 4 }, () => rpc.request('eth_chainId'))
  expect(await Promise.all(several)).toEqual(['0x1', '0x1', '0x1', '0x1'])
  requests.length = 0
  expect(await rpc.request('eth_blockNumber')).toBe('0x1')
  expect(requests).toEqual(['eth_blockNumber', 'eth_blockNumber'])
  rpc.close()
})

it('does not retry on a fresh connection', async () => {
  let requestCount = 0
  server = createServer((request) => {
    requestCount += 1
    request.socket.resetAndDestroy()
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const rpc = createRpc({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  await expect(rpc.request('eth_chainId')).rejects.toBeInstanceOf(RpcUnreachable)
  expect(requestCount).toBe(1)
  rpc.close()
})
