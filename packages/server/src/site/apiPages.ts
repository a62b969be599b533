import { llmsText, openApi } from '@pit/api-docs'
import { referencePage } from '@pit/api-docs/pages'
import { JSON_POLICY, type PageAt, pagePolicy, type RawAnswer, type Reply } from '@pit/http'
import { guideScript } from './guidePages.ts'

/** Response of GET openapi.json. */
export const openApiAnswer = ({ version, publicUrl }: { version: string; publicUrl: string }): RawAnswer => ({
  serialised: Buffer.from(JSON.stringify(openApi({ version, serverUrl: new URL(publicUrl).origin }))),
})

/** Pages beside the API: the reference and llms.txt (the guide's replaces it if docs were built). Rendered once. */
export function apiPages({ version, publicUrl }: { version: string; publicUrl: string }): PageAt[] {
  const serverUrl = new URL(publicUrl).origin
  const script = guideScript()
  const reference = referencePage({ version, serverUrl, script })
  return [
    pageAt('/docs', 'docs', {
      status: 200,
      body: Buffer.from(reference),
      contentType: 'text/html; charset=utf-8',
      headers: ['Content-Security-Policy', pagePolicy(reference, script)],
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

const pageAt = (path: string, name: string, reply: Reply): PageAt => ({
  path,
  page: { kind: 'page', name, reply: () => ({ ...reply }) },
})
