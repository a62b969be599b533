import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  acceptsEncoding,
  hasTag,
  JSON_POLICY,
  type PageAddress,
  type PageAt,
  type PagePlan,
  type Reply,
} from '@pit/http'
import type { ChainProfile } from '@pit/protocol'
import { walletPages } from './walletPages.ts'

/** Manifest of the build: which paths are pages, and which files they need. */
interface BuiltSite {
  folder: string
  pages: readonly string[]
  files: readonly string[]
}
export interface Site {
  pages: readonly PageAt[]
  /** The dashboard with status 404, for unknown addresses. */
  notFound?: PagePlan
}
export interface SiteDeps {
  profile: ChainProfile
  cosigner(): `0x${string}` | null
  publicUrl: string
  /** Where the trading wallet keeps its key; null: on the site's own origin. */
  walletOrigin: string | null
  /** Folder of the build; tests have their own. */
  folder?: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** In order of preference. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const
const BESIDE_THE_BUNDLE = join(dirname(fileURLToPath(import.meta.url)), 'web')

/**
 * The dashboard: every path serves the same page, its files are cached permanently. Null if it was not built.
 */
export function openSite({
  profile,
  cosigner,
  publicUrl,
  walletOrigin,
  folder = BESIDE_THE_BUNDLE,
}: SiteDeps): Site {
  const list = join(folder, 'site.json')
  if (!existsSync(list)) return { pages: [] }
  const site = JSON.parse(readFileSync(list, 'utf8')) as BuiltSite
  const at = (file: string) => join(folder, site.folder, file)
  const index = fileReply(at('index.html'), 'no-cache', [])
  const home = (headers: IncomingHttpHeaders, { search }: PageAddress): Reply => {
    const reply = index(headers)
    const policy = policyOf([...publicNodes(profile), ...namedNode(search)], walletOrigin)
    return { ...reply, headers: ['Content-Security-Policy', policy, ...(reply.headers ?? [])] }
  }
  const pages = [
    ...site.pages.map((path) => page(path, 'web', home)),
    ...site.files.map((file) =>
      page(`/${file}`, 'web file', fileReply(at(file), 'public, max-age=31536000, immutable', JSON_POLICY)),
    ),
    page('/pins.json', 'pins', () => pinsReply(profile, cosigner())),
    ...walletPages({
      frame: fileReply(at('wallet.html'), 'no-cache', []),
      ...{ publicUrl, walletOrigin, nodes: publicNodes(profile) },
    }),
  ]
  const { page: notFound } = page('', 'web', ({ 'if-none-match': _, ...headers }, address) => ({
    ...home(headers, address),
    status: 404,
    cacheControl: 'no-store',
  }))
  return { pages, notFound }
}

const page = (path: string, name: string, reply: PageAt['page']['reply']): PageAt => ({
  path,
  page: { kind: 'page', name, reply },
})

/** Scripts and styles of this server only, nothing inline; connections to it and to the verifying nodes. */
function policyOf(nodes: readonly string[], walletOrigin: string | null): string {
  const origins = nodes.map((url) => ` ${new URL(url).origin}`).join('')
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'${origins}; ` +
    `frame-src ${walletOrigin ?? "'self'"}; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
  )
}

/** A provider's key may be in the path, query or user name: only bare addresses are published. */
function publicNodes({ kind, rpc_urls }: ChainProfile): readonly string[] {
  return kind === 'devnet' ? rpc_urls : rpc_urls.filter((url) => BARE_HTTPS.test(url))
}
const BARE_HTTPS = /^https:\/\/[a-z0-9.-]+(:\d{1,5})?\/?$/i

/** `?node=` is the origin of the visitor's node; the page itself reads the choice from its browser. */
function namedNode(search: string): readonly string[] {
  const origin = new URLSearchParams(search).get('node') ?? ''
  return BARE_HTTPS.test(origin) || LOOPBACK.test(origin) ? [origin] : []
}
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1)(:\d{1,5})?$/

interface Variant {
  body: Buffer
  etag: string
  headers: readonly string[]
}

function fileReply(
  file: string,
  cacheControl: string,
  headers: readonly string[],
): (headers: IncomingHttpHeaders) => Reply {
  const contentType = TYPES[extname(file)] ?? 'application/octet-stream'
  const etag = createHash('sha256').update(readFileSync(file)).digest('base64url').slice(0, 22)
  const plain = variantOf(file, etag, headers, null)
  const encoded = ENCODINGS.filter(({ suffix }) => existsSync(file + suffix)).map((encoding) => ({
    name: encoding.name,
    variant: variantOf(file, etag, headers, encoding),
  }))
  return ({ 'accept-encoding': accepted, 'if-none-match': tags }): Reply => {
    const encoding = encoded.find(({ name }) => acceptsEncoding(accepted, name))
    const { body, ...variant } = encoding?.variant ?? plain
    return hasTag(tags, variant.etag)
      ? { status: 304, body: '', contentType, headers: variant.headers, cacheControl }
      : { status: 200, body, contentType, headers: variant.headers, cacheControl }
  }
}

function variantOf(
  file: string,
  hash: string,
  headers: readonly string[],
  encoding: (typeof ENCODINGS)[number] | null,
): Variant {
  const etag = `"${hash}${encoding === null ? '' : `-${encoding.name}`}"`
  return {
    body: readFileSync(file + (encoding?.suffix ?? '')),
    etag,
    headers: [
      ...headers,
      ...['ETag', etag, 'Vary', 'Accept-Encoding'],
      ...(encoding === null ? [] : ['Content-Encoding', encoding.name]),
    ],
  }
}

/**
 * Pins of the page's verifying client: this server's own files, as `npm start` writes them to pins.json. On a
 * real chain the sequencer is private to the operator, and so is a node whose address may contain a key.
 */
function pinsReply(profile: ChainProfile, cosigner: `0x${string}` | null): Reply {
  const isReal = profile.kind !== 'devnet'
  const own = isReal ? { rpc_urls: publicNodes(profile), ws_url: null, sequencer_url: null } : {}
  const pins = { ...profile, ...own, cosigner: profile.cosigner ?? cosigner }
  return { status: 200, body: JSON.stringify(pins) }
}
