import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { systemClock } from '@pit/platform/clock'
import { createAuthority, type Issued } from '@pit/platform/test/certificates'
import { afterEach, describe, expect, it } from 'vitest'
import type { HostedAgent } from '../../types.ts'
import type { BrainRequest } from '../deps.ts'
import { deliver, type WebhookDeps } from './deliver.ts'

const NAME = 'hook.owner.example'
const authority = createAuthority()
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A webhook over TLS on loopback with this certificate. */
async function hook({ cert, key }: Issued) {
  const requests: { servername: unknown; host: string | undefined; to: string | undefined }[] = []
  const server = createServer({ cert, key }, (request, response) => {
    const { servername, localAddress } = request.socket as TLSSocket & { servername?: unknown }
    requests.push({ servername, host: request.headers.host, to: localAddress })
    request.resume().on('end', () => response.end(JSON.stringify({ orders: [], reason: 'quiet' })))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, port: (server.address() as AddressInfo).port }
}

const run = (url: string, deps: Partial<WebhookDeps> = {}) =>
  deliver(
    {
      clock: systemClock,
      reach: 'public and loopback',
      resolve: async () => ['127.0.0.1'],
      timeoutMs: 20_000,
      ca: authority.cert,
      ...deps,
    },
    {
      agent: {
        id: 'agent1',
        params: { url },
        pairs: ['ETH/USDG'],
        tokens: [{ token: 'ETH' }],
        limits: { maxTradeMicroUsd: 1n, maxDayMicroUsd: 1n, maxPositionMicroUsd: 1n },
        brainState: null,
      } as unknown as HostedAgent,
      tick: 1,
      market: { atS: 1, pairs: [] },
      book: { cashMicroUsd: 1n, equityMicroUsd: 1n, positions: [], dayUsedMicroUsd: 0n },
      deadlineMs: Date.now() + 60_000,
    } satisfies BrainRequest,
    'whsec_test',
  )

describe('a webhook over TLS', () => {
  it('is called at the checked address, with its own name and certificate', async () => {
    const { requests, port } = await hook(authority.issue([NAME]))
    // Each lookup returns another address and no name server knows the name, so only the checked address
    // works.
    const addresses = ['127.0.0.2', '127.0.0.3']
    const resolved: string[] = []
    const resolve = async (name: string) => {
      resolved.push(name)
      return [addresses.shift() ?? '10.0.0.1']
    }
    const result = await run(`https://${NAME}:${port}/hook`, { resolve })
    expect(result).toMatchObject({ kind: 'decision', data: { tries: 1 } })
    expect(resolved).toEqual([NAME])
    expect(requests).toEqual([{ servername: NAME, host: `${NAME}:${port}`, to: '127.0.0.2' }])
  })

  it('at an IP address needs a certificate for that address', async () => {
    const { requests, port } = await hook(authority.issue(['127.0.0.1']))
    expect(await run(`https://127.0.0.1:${port}/`)).toMatchObject({ kind: 'decision' })
    expect(await run(`https://127.0.0.2:${port}/`)).toMatchObject({ code: 'WEBHOOK_UNREACHABLE' })
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['of another name', authority.issue(['other.owner.example']), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['of the address it is at', authority.issue(['127.0.0.1']), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that has run out', authority.issue([NAME], { from: -3, to: -1 }), 'CERT_HAS_EXPIRED'],
    ['that is not valid yet', authority.issue([NAME], { from: 1, to: 3 }), 'CERT_NOT_YET_VALID'],
    ['of an unknown authority', createAuthority().issue([NAME]), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('with a certificate %s receives nothing', async (_, issued, why) => {
    const { requests, port } = await hook(issued)
    const result = await run(`https://${NAME}:${port}/`)
    expect(result).toMatchObject({ kind: 'error', code: 'WEBHOOK_UNREACHABLE', data: { tries: 2 } })
    expect((result as { message: string }).message).toContain(why)
    expect(requests).toEqual([])
  })

  it('is verified against the system’s authorities by default', async () => {
    const { requests, port } = await hook(authority.issue([NAME]))
    expect(await run(`https://${NAME}:${port}/`, { ca: undefined })).toMatchObject({
      code: 'WEBHOOK_UNREACHABLE',
    })
    expect(requests).toEqual([])
  })
})
