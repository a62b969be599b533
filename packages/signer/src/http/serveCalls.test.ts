import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { systemClock } from '@pit/platform/clock'
import { createLogger } from '@pit/platform/monitoring'
import { type PitError, refusal } from '@pit/protocol'
import { CALL_HEADERS, callSignature, createSignerClient, SignerUnreachable } from '@pit/signer-wire'
import { afterEach, describe, expect, it } from 'vitest'
import { createGate } from './gate.ts'
import { type CallRoutes, serveCalls } from './serveCalls.ts'

const SECRET = 'a secret of the server '.repeat(2)
const OPERATOR = 'a secret of the operator '.repeat(2)
const HASH = `0x${'ab'.repeat(32)}` as Hex
const ended: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

async function serve(
  routes: CallRoutes,
  { maxInFlight = 8, log = [] as string[], sharesUser = (): boolean => false, port = 0 } = {},
) {
  const served = await serveCalls({
    door: { kind: 'loopback', port },
    routes,
    gate: createGate({ secrets: { server: SECRET, operator: OPERATOR }, clock: systemClock, startedAtMs: 0 }),
    logger: createLogger({ level: 'info', destination: { write: (line) => void log.push(line) } }),
    maxInFlight,
    sharesUser,
  })
  const client = createSignerClient({
    url: `http://127.0.0.1:${served.port}`,
    secret: SECRET,
    clock: systemClock,
  })
  ended.push(
    () => served.close(),
    () => client.close(),
  )
  return { port: served.port, client }
}
const health: CallRoutes[number] = { method: 'GET', path: '/health', handle: async () => ({ status: 'ok' }) }

/** A raw call, signed or not. */
function raw(
  port: number,
  {
    method = 'POST',
    path = '/freeze',
    headers = {},
    body = '',
  }: { method?: string; path?: string; headers?: Record<string, string>; body?: string },
): Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, text, headers: answer.headers }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
const codeIn = (text: string): string => (JSON.parse(text) as { error: { code: string } }).error.code

describe('a call', () => {
  it('is answered if it is signed', async () => {
    const { client } = await serve([health])
    expect(await client.health()).toEqual({ status: 'ok' })
  })

  it('of a server that could read the signer’s key is not answered; the operator’s is', async () => {
    const { client, port } = await serve([health], { sharesUser: () => true })
    await expect(client.health()).rejects.toThrow('run the signer under a separate user')
    const url = `http://127.0.0.1:${port}`
    const operator = createSignerClient({ url, secret: OPERATOR, clock: systemClock })
    ended.push(() => operator.close())
    expect(await operator.health()).toEqual({ status: 'ok' })
  })

  it('carries a refusal with its status, checks and pause, and the log has no more than its rules', async () => {
    const log: string[] = []
    const signer_checks = [{ rule: 'PRICE_UNAVAILABLE', ok: false, message: 'old' }]
    const handle = async () => {
      throw refusal('PRICE_UNAVAILABLE', { signer_checks })
    }
    const { client } = await serve([{ method: 'POST', path: '/roots/revoke', handle }], { log })
    await expect(client.revokeRoot(HASH)).rejects.toMatchObject({
      code: 'PRICE_UNAVAILABLE',
      status: 503,
      retryAfterS: 5,
      extras: { signer_checks },
    })
    expect(log.join('')).toContain('"rules":["PRICE_UNAVAILABLE"]')
    expect(log.join('')).not.toContain(HASH)
  })

  it('that fails unexpectedly returns 503, with the details in the log only', async () => {
    const log: string[] = []
    const handle = async () => {
      throw new Error('the inside of the signer')
    }
    const { client } = await serve([{ method: 'GET', path: '/health', handle }], { log })
    await expect(client.health()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', status: 503 })
    await expect(client.health()).rejects.not.toThrow('inside')
    expect(log.join('')).toContain('the inside of the signer')
  })

  it('without a signature learns nothing, not even which routes there are', async () => {
    const { port } = await serve([health])
    for (const path of ['/health', '/nothing', '/leaves']) {
      const { status, text } = await raw(port, { method: 'GET', path })
      expect([status, codeIn(text)]).toEqual([401, 'UNAUTHORIZED'])
    }
  })

  it('waits for a signer that restarts, and fails at once when none ever answered', async () => {
    const probe = await serve([health])
    const { port } = probe
    const open = () => {
      const url = `http://127.0.0.1:${port}`
      const client = createSignerClient({ url, secret: SECRET, clock: systemClock, restartMs: 20_000 })
      ended.push(() => client.close())
      return client
    }
    const reopened = open()
    expect(await reopened.health()).toEqual({ status: 'ok' })
    for (const end of ended.splice(0, 2)) await end()
    await expect(open().health()).rejects.toMatchObject({ nothingSent: true })
    const waiting = reopened.health()
    await serve([health], { port })
    expect(await waiting).toEqual({ status: 'ok' })
  })

  it('with an unknown path or method is refused', async () => {
    const { port, client } = await serve([health])
    await expect(client.revokeRoot(HASH)).rejects.toThrow(SignerUnreachable)
    const signed = { method: 'DELETE', path: '/health', body: '', timeMs: Date.now(), nonce: '0'.repeat(32) }
    const { status } = await raw(port, {
      method: 'DELETE',
      path: '/health',
      headers: {
        [CALL_HEADERS.time]: String(signed.timeMs),
        [CALL_HEADERS.nonce]: signed.nonce,
        [CALL_HEADERS.signature]: callSignature(SECRET, signed),
      },
    })
    expect(status).toBe(404)
  })

  it('states its length, of at most 64 KB', async () => {
    const { port } = await serve([health])
    const chunked = await raw(port, { headers: { 'transfer-encoding': 'chunked' }, body: '{}' })
    expect([chunked.status, codeIn(chunked.text)]).toEqual([411, 'LENGTH_REQUIRED'])
    const body = ' '.repeat(65_537)
    const large = await raw(port, { headers: { 'content-length': String(body.length) }, body })
    expect([large.status, codeIn(large.text)]).toEqual([413, 'BAD_REQUEST'])
  })

  it('is BUSY while too many are in flight', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const handle = async () => {
      await gate
      return { status: 'ok' }
    }
    const { client } = await serve([{ method: 'GET', path: '/health', handle }], { maxInFlight: 2 })
    const first = [client.health(), client.health()]
    await sleep(100)
    await expect(client.health()).rejects.toMatchObject({
      code: 'BUSY',
      status: 503,
      retryAfterS: 1,
      extras: { signer_checks: [{ rule: 'BUSY', ok: false }] },
    })
    go()
    expect(await Promise.all(first)).toHaveLength(2)
    expect(await client.health()).toEqual({ status: 'ok' })
  })

  it('that is refused lists the failed check if its error has checks', async () => {
    let refused = refusal('SIGNER_FROZEN')
    const handle = () => {
      throw refused
    }
    const { client } = await serve([{ method: 'GET', path: '/health', handle }])
    const checks = [{ rule: 'SIGNER_FROZEN', ok: false, message: refused.message }]
    await expect(client.health()).rejects.toMatchObject({
      code: 'SIGNER_FROZEN',
      extras: { signer_checks: checks },
    })
    refused = refusal('SANCTIONED', { field: 'owner', message: 'The owner is.' })
    await expect(client.health()).rejects.toMatchObject({
      status: 451,
      extras: { field: 'owner', signer_checks: [{ rule: 'SANCTIONED', message: 'The owner is.' }] },
    })
    refused = refusal('REFUND_OWNER')
    const error = await client.health().catch((reason: PitError) => reason)
    expect(error).toMatchObject({ code: 'REFUND_OWNER', extras: {} })
  })

  it('without a secret does not use up a slot', async () => {
    const { port, client } = await serve([health], { maxInFlight: 1 })
    // Each sends half of its declared length.
    const halves = Array.from({ length: 1 }, () => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('POST /leaves HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{'),
      )
      socket.on('error', () => undefined)
      return socket
    })
    await sleep(100)
    expect(await client.health()).toEqual({ status: 'ok' })
    for (const socket of halves) socket.destroy()
  })

  it('that is malformed frees its slot', async () => {
    const handle = () => {
      throw refusal('BAD_REQUEST', { field: 'x' })
    }
    const { client } = await serve([{ method: 'GET', path: '/health', handle }], { maxInFlight: 1 })
    for (let i = 0; i < 3; i++) await expect(client.health()).rejects.toThrow('BAD_REQUEST')
  })

  it('that is not HTTP costs nothing', async () => {
    const { port, client } = await serve([health])
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('\x16\x03\x01 not http\r\n\r\n'))
      socket.on('error', () => undefined)
      socket.on('close', () => resolve())
    })
    expect(await client.health()).toEqual({ status: 'ok' })
  })
})
