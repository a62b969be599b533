import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuseForeign } from '../localOnly.ts'
import { findAggregator, type QuoteNearMid, quoteAggregator } from './aggregators.ts'
import { readAudit, type Verdict } from './audit.ts'
import { type GatewayLedger, serveGateway } from './gateway.ts'
import { findGateway } from './gatewayStyles.ts'
import { readGoplus } from './goplus.ts'
import { createVendorModes, type VendorName, type VendorOptions } from './modes.ts'
import { BodyTooLarge, json, misbehave, problem, type Reply, writeReply } from './reply.ts'

export interface VendorsOptions {
  host: string
  port: number
  nowMs: () => number
  seed: string
  quote: QuoteNearMid
  /** Fixed audit verdicts by token address. */
  verdicts?: Record<string, Verdict>
}

export interface Vendors {
  url: string
  port: number
  /** Throws UnknownVendorMode. */
  setVendor(name: string, mode: string, options?: VendorOptions): void
  modes(): Record<VendorName, string>
  setVerdict(address: string, verdict: Verdict): void
  /** Actual charges per gateway key. */
  ledger(): Record<string, GatewayLedger>
  close(): Promise<void>
}

/** The outside vendors on one HTTP server: audit, AI gateway, aggregators. */
export async function startVendors(options: VendorsOptions): Promise<Vendors> {
  const modes = createVendorModes()
  const ledger = new Map<string, GatewayLedger>()
  const fixtures = new Map<string, Verdict>()
  for (const [address, verdict] of Object.entries(options.verdicts ?? {}))
    fixtures.set(address.toLowerCase(), verdict)
  let url = ''

  const audit = { nowMs: options.nowMs, fixtures, baseUrl: () => url }
  const gateway = { modes, nowMs: options.nowMs, ledger }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<Reply | 'silent'> {
    const refused = refuseForeign(request)
    if (refused) {
      request.resume()
      return problem(refused.status, 'refused', refused.why)
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://vendors')
    if (pathname === '/') return json(200, { vendors: modes.all() })
    const asGateway = findGateway(pathname)
    if (asGateway) return serveGateway(gateway, asGateway, request, response)
    const aggregator = findAggregator(pathname)
    if (aggregator) {
      const state = modes.take(aggregator.name)
      const fault = await misbehave(request, response, state)
      return fault ?? quoteAggregator(options, aggregator, request, state)
    }
    if (request.method !== 'GET') return problem(405, 'method_not_allowed', 'Use GET.', { allow: 'GET' })

    const token = /^\/audit\/v1\/tokens\/([^/]+)\/([^/]+)$/.exec(pathname)
    if (token) {
      const state = modes.take('audit')
      return (
        (await misbehave(request, response, state)) ??
        readAudit(audit, token[1] as string, token[2] as string, state)
      )
    }
    const goplus = /^\/goplus\/api\/v1\/token_security\/([^/]+)$/.exec(pathname)
    if (goplus) {
      const state = modes.take('audit')
      const fault = await misbehave(request, response, state)
      return fault ?? readGoplus(audit, goplus[1] as string, searchParams, state)
    }
    const report = /^\/audit\/reports\/([^/]+)\/([^/]+)$/.exec(pathname)
    if (report) return readAudit(audit, report[1] as string, report[2] as string, { mode: 'ok', options: {} })

    return problem(404, 'not_found', 'No such path.')
  }

  const server = createServer((request, response) => {
    answer(request, response)
      .catch((error: unknown) =>
        error instanceof BodyTooLarge
          ? problem(413, 'too_large', error.message)
          : problem(500, 'internal', error instanceof Error ? error.message : String(error)),
      )
      .then((reply) => {
        if (reply !== 'silent') writeReply(response, reply)
      })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const port = (server.address() as AddressInfo).port
  url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`

  return {
    url,
    port,
    setVendor: (name, mode, vendorOptions) => modes.set(name, mode, vendorOptions),
    modes: modes.all,
    setVerdict: (address, verdict) => void fixtures.set(address.toLowerCase(), verdict),
    ledger: () => Object.fromEntries(ledger),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Hanging requests would keep the server open forever.
      server.closeAllConnections()
      await closed
    },
  }
}
