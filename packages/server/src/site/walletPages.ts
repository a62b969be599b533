import type { IncomingHttpHeaders } from 'node:http'
import type { PageAt, Reply } from '@pit/http'

interface WalletPagesDeps {
  frame(headers: IncomingHttpHeaders): Reply
  publicUrl: string
  /** WALLET_ORIGIN; null: the frame is on the site's own origin. */
  walletOrigin: string | null
  /** Of the pins: the frame asks one whether a launchpad lists a curve. */
  nodes: readonly string[]
}

/** The trading wallet's frame, and the file by which page and frame find each other. */
export function walletPages({ frame, publicUrl, walletOrigin, nodes }: WalletPagesDeps): PageAt[] {
  const site = walletOrigin === null ? [] : sitesOf(publicUrl)
  const place = JSON.stringify({ origin: walletOrigin, site })
  return [
    {
      path: '/wallet-frame',
      page: {
        kind: 'page',
        name: 'wallet frame',
        reply: (headers) => {
          const reply = frame(headers)
          const policy = framePolicy(String(headers.host ?? ''), site, nodes)
          return { ...reply, headers: ['Content-Security-Policy', policy, ...(reply.headers ?? [])] }
        },
      },
    },
    {
      path: '/wallet.json',
      page: { kind: 'page', name: 'wallet place', reply: () => ({ status: 200, body: place }) },
    },
  ]
}

const PLAIN_HOST = /^[a-z0-9._-]+(:\d{1,5})?$/i

/**
 * Connects to two files of the same origin and the pinned nodes, and never to the API; only the site may hold it in
 * a frame.
 */
function framePolicy(host: string, site: readonly string[], nodes: readonly string[]): string {
  const files = PLAIN_HOST.test(host) ? `${host}/pins.json ${host}/wallet.json` : "'self'"
  return (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; " +
    `connect-src ${[files, ...nodes.map((url) => new URL(url).origin)].join(' ')}; base-uri 'none'; form-action 'none'; ` +
    `frame-ancestors ${["'self'", ...site].join(' ')}; require-trusted-types-for 'script'; trusted-types pit-signer`
  )
}

/** On this machine, every loopback name is the same site. */
function sitesOf(publicUrl: string): string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl)
  if (!['localhost', '127.0.0.1'].includes(hostname)) return [origin]
  return ['localhost', '127.0.0.1'].map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)
}
