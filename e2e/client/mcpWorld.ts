import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Hex } from '@pit/chain'
import type { SessionWorld } from '../session/world.ts'

/** What the gate does with a trade's bytes: pass, hold without an answer, or relay and answer a refusal. */
export type AtGate = 'pass' | 'hold_before' | 'hold_after' | 'refuse_after'

/** Stands between the MCP server and the service, and can hold a relay at the worst moment. */
export interface SubmitGate {
  url: string
  set(next: AtGate): void
  /** Resolves once a relay is held. */
  held(): Promise<void>
  /** Every raw transaction that came by, as often as it came. */
  raws: string[]
  close(): Promise<void>
}

const REFUSED = JSON.stringify({
  error: { code: 'SUBMIT_REJECTED', message: 'It was refused.', retry: 'different_request' },
})

export async function openSubmitGate(serverUrl: string): Promise<SubmitGate> {
  let at: AtGate = 'pass'
  let tell = () => {}
  let held = Promise.resolve()
  const raws: string[] = []
  const server = createServer(async (request, response) => {
    try {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const isSubmit = request.url?.endsWith('/live/submit') ?? false
      if (isSubmit) {
        const { raw_tx, raw_txs } = JSON.parse(body) as { raw_tx?: string; raw_txs?: string[] }
        raws.push(...(raw_txs ?? [raw_tx!]))
        if (at === 'hold_before') return tell()
      }
      const answer = await fetch(`${serverUrl}${request.url}`, {
        method: request.method!,
        headers: {
          'content-type': 'application/json',
          ...(request.headers.authorization && { authorization: request.headers.authorization }),
        },
        ...(request.method === 'POST' && { body }),
      })
      const text = await answer.text()
      if (isSubmit && at === 'hold_after') return tell()
      const isRefused = isSubmit && at === 'refuse_after'
      response.writeHead(isRefused ? 422 : answer.status, { 'content-type': 'application/json' })
      response.end(isRefused ? REFUSED : text)
    } catch {
      // Who asked was killed.
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    set(next) {
      at = next
      held = new Promise((resolve) => {
        tell = resolve
      })
    },
    held: () => held,
    raws,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface Called {
  isError: boolean
  /** The structured answer, or the error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every tool
  answer: any
  text: string
}
export interface Mcp {
  client: Client
  call(name: string, args?: Record<string, unknown>): Promise<Called>
  /** At once and without a word, as a crash would. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** The host's user, where the host can ask one (elicitation). */
export type OnQuestion = (message: string) => 'accept' | 'decline'

export interface McpHome {
  folder: string
  env: Record<string, string>
  /** `pit mcp` over stdio, with the SDK's own client at the other end. */
  start(args?: readonly string[], mode?: 'legacy' | { pin: string }, onQuestion?: OnQuestion): Promise<Mcp>
  remove(): void
}

/** A folder of settings with one profile: the world behind the gate. */
export function openMcpHome(world: SessionWorld, url: string, key: Hex, cosigner: string): McpHome {
  const folder = mkdtempSync(join(tmpdir(), 'pit-mcp-'))
  const chain = join(folder, 'pins.json')
  writeFileSync(chain, JSON.stringify({ ...world.profile, cosigner }))
  const profile = { url, chain, rpc_url: world.devnet.url, domain: 'pit.test' }
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ test: profile }))
  const env = { PATH: process.env['PATH']!, PIT_HOME: folder, PIT_PROFILE: 'test', PIT_PRIVATE_KEY: key }
  return {
    folder,
    env,
    async start(args = [], mode = 'legacy', onQuestion) {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: ['dist/pit.js', 'mcp', ...args],
        env,
        stderr: 'ignore',
      })
      const capabilities = onQuestion ? { elicitation: {} } : {}
      const client = new Client(
        { name: 'test', version: '1' },
        { capabilities, versionNegotiation: { mode } },
      )
      if (onQuestion)
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          const action = onQuestion(params.message)
          return action === 'accept' ? { action, content: {} } : { action }
        })
      await client.connect(transport)
      return {
        client,
        call: (name, given = {}) => callTool(client, name, given),
        async kill() {
          const closed = new Promise<void>((resolve) => {
            client.onclose = resolve
          })
          process.kill(transport.pid!, 'SIGKILL')
          await closed
        },
        close: () => client.close(),
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<Called> {
  const result = await client.callTool({ name, arguments: args })
  const {
    content,
    structuredContent,
    isError = false,
  } = result as {
    content: { type: string; text?: string }[]
    structuredContent?: unknown
    isError?: boolean
  }
  const text = content.map((one) => one.text ?? '').join('\n')
  const parsed = (): unknown => {
    try {
      return (JSON.parse(text) as { error: unknown }).error
    } catch {
      return text
    }
  }
  return { isError, text, answer: isError ? parsed() : structuredContent }
}
