import { createHash } from 'node:crypto'
import { llmsText, openApi } from '@pit/protocol'
import { referencePage } from '../docs/reference.ts'
import type { PagePlan } from './plan.ts'
import { JSON_POLICY, type Reply } from './reply.ts'
import type { RawAnswer } from './types.ts'

export interface PageAt {
  path: string
  page: PagePlan
}

/** Response of GET openapi.json. */
export const openApiAnswer = ({ version, publicUrl }: { version: string; publicUrl: string }): RawAnswer => ({
  serialised: Buffer.from(JSON.stringify(openApi({ version, serverUrl: new URL(publicUrl).origin }))),
})

/** Pages beside the API: the reference and llms.txt. Rendered once. */
export function createPages({ version, publicUrl }: { version: string; publicUrl: string }): PageAt[] {
  const serverUrl = new URL(publicUrl).origin
  const reference = referencePage({ version, serverUrl })
  return [
    pageAt('/docs', 'docs', {
      status: 200,
      body: Buffer.from(reference),
      contentType: 'text/html; charset=utf-8',
      headers: ['Content-Security-Policy', pagePolicy(reference)],
    }),
    pageAt('/llms.txt', 'llms', {
      status: 200,
      body: Buffer.from(llmsText(serverUrl)),
      contentType: PLAIN,
      headers: JSON_POLICY,
    }),
    // The dashboard replaces it if it was built.
    pageAt('/', 'home', {
      status: 302,
      body: Buffer.from('The reference is at /docs.\n'),
      contentType: PLAIN,
      headers: ['Location', '/docs', ...JSON_POLICY],
    }),
  ]
}

const PLAIN = 'text/plain; charset=utf-8'

/** Wallet extensions and pages may call routes that need no key and set no cookie. */
export const ANY_ORIGIN = ['Access-Control-Allow-Origin', '*'] as const

/** CORS preflight for the wallets' JSON-RPC. */
export const rpcPreflight: PagePlan = {
  kind: 'page',
  name: 'rpc',
  reply: () => ({
    status: 204,
    body: '',
    contentType: PLAIN,
    headers: [
      ...ANY_ORIGIN,
      ...['Access-Control-Allow-Methods', 'POST', 'Access-Control-Allow-Headers', 'Content-Type'],
      ...['Access-Control-Max-Age', '86400', ...JSON_POLICY],
    ],
  }),
}

const pageAt = (path: string, name: string, reply: Reply): PageAt => ({
  path,
  page: { kind: 'page', name, reply: () => ({ ...reply }) },
})

/** Allows the page's own style sheets by their hash; nothing else may run or load. */
export function pagePolicy(html: string): string {
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, css]) => `'sha256-${createHash('sha256').update(css!).digest('base64')}'`,
  )
  const styleSources = styles.join(' ') || "'none'"
  return (
    `default-src 'none'; style-src ${styleSources}; img-src 'self' data:; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  )
}
