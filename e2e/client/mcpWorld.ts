import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Hex } from '@pit/chain'
import type { SessionWorld } from '../session/world.ts'
import { openProxy, type ProxyReply } from './proxy.ts'

/** How the gate treats a trade's bytes: pass, hold without an answer, or relay and answer a refusal. */
export type GateMode = 'pass' | 'hold_before' | 'hold_after' | 'refuse_after'

/** A proxy between the MCP server and the service that can hold a submit before or after the relay. */
export interface SubmitGate {
  url: string
  set(next: GateMode): void
  /** Resolves once a submit is held. */
  held(): Promise<void>
  /** Every raw transaction submitted, repeats included. */
  raws: string[]
  close(): Promise<void>
}

const REFUSED: ProxyReply = {
  status: 422,
  body: { error: { code: 'SUBMIT_REJECTED', message: 'It was refused.', retry: 'different_request' } },
}

export async function openSubmitGate(serverUrl: string): Promise<SubmitGate> {
  let mode: GateMode = 'pass'
  let reportHeld = () => {}
  let held = Promise.resolve()
  const raws: string[] = []
  const hold = (): ProxyReply => {
    reportHeld()
    return 'hang'
  }
  const { url, close } = await openProxy(serverUrl, {
    intercept({ path, body }) {
      if (path !== 'live/submit') return
      raws.push(...(body.raw_txs ?? [body.raw_tx]))
      if (mode === 'hold_before') return hold()
    },
    change({ path }) {
      if (path !== 'live/submit') return
      if (mode === 'hold_after') return hold()
      if (mode === 'refuse_after') return REFUSED
    },
  })
  return {
    url,
    set(next) {
      mode = next
      held = new Promise((resolve) => {
        reportHeld = resolve
      })
    },
    held: () => held,
    raws,
    close,
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
  /** Kills the process, as in a crash. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** The host's user, if the host supports elicitation. */
export type OnQuestion = (message: string) => 'accept' | 'decline'

export interface McpHome {
  folder: string
  env: Record<string, string>
  /** `pit mcp` over stdio, with the SDK's client at the other end. */
  start(args?: readonly string[], mode?: 'legacy' | { pin: string }, onQuestion?: OnQuestion): Promise<Mcp>
  remove(): void
}

/** A settings folder with one profile: the world behind the gate. */
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
        call: (name, args = {}) => callTool(client, name, args),
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
