import { createHash } from 'node:crypto'
import type { PagePlan } from './plan.ts'
import { JSON_POLICY } from './reply.ts'

export interface PageAt {
  path: string
  page: PagePlan
}

/** Wallet extensions and pages may call routes that need no key and set no cookie. */
export const ANY_ORIGIN = ['Access-Control-Allow-Origin', '*'] as const

/** CORS preflight of a route for any origin. */
export const preflightOf = (name: string): PagePlan => ({
  kind: 'page',
  name,
  reply: () => ({
    status: 204,
    body: '',
    contentType: 'text/plain; charset=utf-8',
    headers: [
      ...ANY_ORIGIN,
      ...['Access-Control-Allow-Methods', 'POST', 'Access-Control-Allow-Headers', 'Content-Type'],
      ...['Access-Control-Max-Age', '86400', ...JSON_POLICY],
    ],
  }),
})

/** Allows the page's own style sheets and one script, by their hashes; nothing else may run or load. */
export function pagePolicy(html: string, script = ''): string {
  const [, ...afterTags] = html.split('<style>')
  const styles = afterTags.map((text) => hashSource(text.split('</style>', 1)[0]!))
  const styleSources = styles.join(' ') || "'none'"
  const scripts =
    script === ''
      ? ''
      : `script-src ${hashSource(script)}; connect-src 'self'; require-trusted-types-for 'script'; `
  return (
    `default-src 'none'; style-src ${styleSources}; ${scripts}img-src 'self' data:; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  )
}

const hashSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
