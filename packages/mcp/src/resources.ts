import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { errorsDoc } from '@pit/api-docs'
import {
  CLIENT_ERRORS,
  type ClientErrorCode,
  clientCure,
  ERRORS,
  type ErrorCode,
  errorRow,
  RETRIES,
} from '@pit/protocol'
import { adviceOf } from './advice.ts'
import { MCP_ERRORS, type McpErrorCode } from './errors.ts'

/** The pages a trader's assistant needs, out of docs/reference/. */
export const DOCS = {
  mcp: 'This server: tools, limits, retries',
  client: 'Checks before a signature',
  trading: 'Quotes, plans, approvals, relay',
  market: 'Pools, marks, tokens and their screen',
  sessions: 'Delegated trading within limits',
  hosted: 'Hosted agents',
  brains: 'Agent brains and their parameters',
  league: 'Seasons, boards, prizes',
} as const

const MARKDOWN = 'text/markdown'

export function registerResources(server: McpServer, docsFolder: string): void {
  for (const [name, title] of Object.entries(DOCS)) {
    const uri = `pit://docs/${name}`
    server.registerResource(`docs-${name}`, uri, { title, mimeType: MARKDOWN }, () => ({
      contents: [
        { uri, mimeType: MARKDOWN, text: readFileSync(join(docsFolder, 'reference', `${name}.md`), 'utf8') },
      ],
    }))
  }
  server.registerResource(
    'errors',
    'pit://errors',
    { title: 'All errors and what to do about them', mimeType: MARKDOWN },
    () => ({ contents: [{ uri: 'pit://errors', mimeType: MARKDOWN, text: errorsDoc() }] }),
  )
  server.registerResource(
    'error',
    new ResourceTemplate('pit://errors/{code}', { list: undefined }),
    { title: 'One error by its code', mimeType: 'application/json' },
    (uri, { code }) => {
      const described = typeof code === 'string' ? describeError(code) : null
      if (described === null) throw new ResourceNotFoundError(uri.href)
      const text = JSON.stringify({ code, ...described })
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
    },
  )
}

/** Describes a code of this server, the service or the client; null if unknown. */
export function describeError(code: string): { message: string; what_to_do: string } | null {
  if (Object.hasOwn(MCP_ERRORS, code)) return MCP_ERRORS[code as McpErrorCode]
  if (Object.hasOwn(ERRORS, code)) {
    const { message, hint, retry } = errorRow(code as ErrorCode)
    const means = { retry, retry_means: RETRIES[retry] }
    return { message, what_to_do: adviceOf(code) ?? hint, ...means }
  }
  const cure = clientCure(code)
  if (cure === null) return null
  const message = Object.hasOwn(CLIENT_ERRORS, code)
    ? CLIENT_ERRORS[code as ClientErrorCode]
    : 'The client refused the request'
  return { message: `${message}.`, what_to_do: cure }
}
