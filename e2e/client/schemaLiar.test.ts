import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createTurn, isRefusal } from '@pit/client'
import {
  type Answer,
  type AnyRoute,
  answerShapes,
  createDecoder,
  ROUTE_IDS,
  type RouteId,
  shapeOf,
} from '@pit/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { failureOf } from '../../packages/cli/src/client/exit.ts'
import type { CommandDeps } from '../../packages/cli/src/client/openClient.ts'
import { createProgram } from '../../packages/cli/src/program.ts'
import { errorOf } from '../../packages/mcp/src/refusal.ts'
import { apiOf } from '../../packages/mcp/src/tool.ts'
import { TOOLS } from '../../packages/mcp/src/tools/index.ts'
import { ceilingsOf } from '../../packages/mcp/src/trade/ceilings.ts'
import { openJournal } from '../../packages/mcp/src/trade/journal.ts'
import { SidecarFault } from '../../packages/sidecar/src/fault.ts'
import { createPlans } from '../../packages/sidecar/src/plans.ts'
import { VERBS } from '../../packages/sidecar/src/verbs.ts'
import { sampleOf } from './schemaLiar/answers.ts'
import {
  AGENT,
  claimsOutcome,
  HASH,
  openRun,
  profile,
  type Run,
  SESSION,
  WALLET,
} from './schemaLiar/world.ts'

type TSchema = AnyRoute['answer']

// Every route and every field, changed by the route's schema, in library, command, MCP server and sidecar. A hundred
// thousand by hand: SCHEMA_LIES=100000 npx vitest run --project e2e e2e/client/schemaLiar.test.ts

const LIES = Number(process.env['SCHEMA_LIES'] ?? 4_000)
const SEED = Number(process.env['SEED'] ?? 11)
const EACH = Math.ceil(LIES / 5)
const TIMEOUT = 60_000 + LIES * 20

const decode = createDecoder(answerShapes())

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pit-liar-'))
  writeFileSync(join(folder, 'chain.json'), JSON.stringify(profile))
  const one = {
    url: 'http://pit.test',
    chain: join(folder, 'chain.json'),
    rpc_url: 'http://node.test',
    domain: 'pit.test',
  }
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ liar: one }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a step with each lie; `judge` returns a fault or null. */
async function lieTo(count: number, step: (run: Run, i: number) => Promise<string | null>): Promise<void> {
  const faults: string[] = []
  let [told, refused] = [0, 0]
  // Some verbs make a single call, or none.
  for (let i = 0; told < count && i < 4 * count; i++) {
    const run = openRun(SEED * 1_000_003 + i, { lieAt: [1, 1, 1, 2, 3][i % 5]! })
    const fault = await step(run, i)
    if (run.lie() !== 'none') told++
    if (fault === 'refused') refused++
    else if (fault !== null) faults.push(`${i}: ${run.lie()}: ${fault}`)
    if (run.signed.length > 0) faults.push(`${i}: ${run.lie()}: signed ${run.signed.join(', ')}`)
  }
  console.log(`${told} lies, ${refused} refused (seed ${SEED})`)
  expect(faults.slice(0, 20), `${faults.length} faults`).toEqual([])
}

const faultIn = (error: unknown, isOwn: boolean): string => {
  const text = String((error as Error)?.message ?? error)
  if (!isOwn) return `bare error ${(error as Error)?.stack ?? text}`
  return claimsOutcome(text) ? `states an outcome: ${text}` : 'refused'
}

describe('the library', () => {
  it(
    'returns documented answers or refuses, for every route',
    () =>
      lieTo(EACH, async ({ client }, i) => {
        const id = ROUTE_IDS[i % ROUTE_IDS.length] as RouteId
        const call = client.api[id] as (input: object) => Promise<Answer<RouteId>>
        try {
          const answer = await call({
            params: { id: AGENT, address: WALLET, number: 1, symbol: 'ETH' },
            body: {},
          })
          const again = decode(id, answer)
          return again.ok && isDeepStrictEqual(again.value, answer) ? null : `believed ${id}`
        } catch (error) {
          return faultIn(error, isRefusal(error))
        }
      }),
    TIMEOUT,
  )

  it(
    'refuses in every verb that reads',
    () =>
      lieTo(EACH, async ({ client }, i) => {
        const verbs: (() => Promise<unknown>)[] = [
          () => client.portfolio(),
          () => client.sessions(),
          () => client.trades()[Symbol.asyncIterator]().next(),
          () => client.hosted.stop(AGENT),
          () => client.hosted.stop(AGENT, { onChain: true }),
          () => client.hosted.refundGas(AGENT),
          () => client.hosted.grantLive(AGENT, { pairs: ['ETH/USDG'], max_trade_usd: 10, max_day_usd: 20 }),
          () => client.hosted.attestStocks({ agentId: AGENT, expiresS: 1_800_003_600 }),
          () => client.orders.list(AGENT),
          () => client.orders.cancel({ agentId: AGENT, ids: [HASH] }),
          () => client.sendBack({ to: WALLET }),
          () => client.signIn(),
          () => client.checkConfig(),
          () => client.warmUp(),
          () => client.revokeSession({ sessionId: SESSION }),
        ]
        try {
          await verbs[i % verbs.length]!()
          return null
        } catch (error) {
          return faultIn(error, isRefusal(error))
        }
      }),
    TIMEOUT,
  )
})

describe('the MCP server', () => {
  it(
    'answers or refuses with a code, in every tool',
    () =>
      lieTo(EACH, async ({ client, rpc, random }, i) => {
        const tool = TOOLS[i % TOOLS.length]!
        const args = { ...(sampleOf(inputShape(tool.input), random, INPUTS) as object), ...NAMES(tool.input) }
        const trading = {
          ...{
            client,
            journal: openJournal(mkdtempSync(join(folder, 'mcp-')), () => null),
            ceilings: ceilingsOf(20, 1_000),
          },
          ...{ nowMs: () => 1_800_000_000_000, answerWithinMs: 10_000, acceptRisks: [], attestsNonUs: false },
          ...{ allowsLiveResume: false, inTurn: createTurn(), log: () => {} },
        }
        const reach = { api: apiOf(client.api, tool.routes), own: client, rpc, nowMs: trading.nowMs, trading }
        try {
          const result = await tool.run(
            { ...reach, signal: new AbortController().signal } as never,
            args as never,
          )
          return claimsOutcome(JSON.stringify(result)) ? 'states an outcome' : null
        } catch (error) {
          return faultIn(error, errorOf(error).code !== 'FAILED')
        }
      }),
    TIMEOUT,
  )
})

describe('the sidecar', () => {
  it(
    'answers or refuses with a code, in every verb',
    () =>
      lieTo(EACH, async ({ client, random }, i) => {
        const names = Object.keys(VERBS).filter((name) => name !== 'report')
        const { run, input: schema } = VERBS[names[i % names.length]!]!
        const input = { ...(sampleOf(inputShape(schema), random, INPUTS) as object), ...NAMES(schema) }
        const deps = {
          client,
          plans: createPlans(() => 0),
          domain: 'pit.test',
          signal: new AbortController().signal,
        }
        try {
          const result = await run(deps, input as never, () => {})
          return claimsOutcome(
            JSON.stringify(result, (_, one: unknown) => (typeof one === 'bigint' ? 0 : one)) ?? '',
          )
            ? 'states an outcome'
            : null
        } catch (error) {
          return faultIn(error, isRefusal(error) || error instanceof SidecarFault)
        }
      }),
    TIMEOUT,
  )
})

describe('the command', () => {
  const plainFetch = globalThis.fetch
  afterEach(() => {
    globalThis.fetch = plainFetch
  })

  it(
    'prints or fails with a code, in every command',
    () =>
      lieTo(EACH, async ({ fetch: answer }, i) => {
        globalThis.fetch = answer
        const printed: string[] = []
        const terminal: CommandDeps['terminal'] = {
          ...{ isInteractive: false, confirm: async () => false, askSecret: async () => '' },
          ...{
            data: (text) => printed.push(text),
            say: (text) => printed.push(text),
            progress: () => () => {},
          },
        }
        const env = { PIT_HOME: folder, PIT_PROFILE: 'liar', PIT_PRIVATE_KEY: `0x${'11'.repeat(32)}` }
        const deps: CommandDeps = { env, terminal, nowMs: () => 1_800_000_000_000 }
        try {
          await createProgram(deps).parseAsync(
            [...COMMANDS[i % COMMANDS.length]!, ...(i % 2 ? ['--json'] : [])],
            { from: 'user' },
          )
          return claimsOutcome(printed.join('\n')) ? 'states an outcome' : null
        } catch (error) {
          return faultIn(error, failureOf(error).code !== 'FAILED')
        }
      }),
    TIMEOUT,
  )
})

/** Inputs that name what the answers name. */
const INPUTS = {
  ...{ wallet: WALLET, agent_id: AGENT, session_id: SESSION, id: AGENT, order_id: HASH, token: 'ETH' },
  ...{ token_in: 'ETH', token_out: 'USDG', sell: 'ETH', buy: 'USDG', route: 'stats', client_id: 'one' },
}
/** Formats bound names, which the samples keep anyway. */
const inputShape = (schema: TSchema) =>
  shapeOf(
    JSON.parse(
      JSON.stringify(schema, (key, value: unknown) => (key === 'format' ? undefined : value)),
    ) as TSchema,
  )
/** One size, where there is a choice. */
const NAMES = ({ properties = {} }: TSchema): object => ({
  ...('notional_usd' in properties && { notional_usd: 5, amount_in: undefined }),
  ...('usd' in properties && { usd: 5 }),
})

const COMMANDS: readonly (readonly string[])[] = [
  ['quote', 'ETH', 'USDG', '--usd', '5'],
  ['token', 'ETH'],
  ['portfolio'],
  ['trades'],
  ['trade', 'ETH', 'USDG', '--usd', '5'],
  ['fast', 'ETH', 'USDG', '--usd', '5', '--yes'],
  ['session', 'list'],
  ['session', 'revoke', SESSION, '--yes', '--no-on-chain'],
  ['session', 'revoke', '--all', '--yes'],
  ['agent', 'list'],
  ['agent', 'show', AGENT],
  ['agent', 'logs', AGENT],
  ['agent', 'pause', AGENT],
  ['agent', 'resume', AGENT],
  ['agent', 'stop', AGENT, '--yes'],
  ['agent', 'delete', AGENT, '--yes'],
  ['agent', 'create', 'dca'],
  ['orders', AGENT],
  ['sign', HASH, '--agent', AGENT, '--yes'],
  ['order', 'cancel', AGENT, '--all'],
  ['order', 'cancel', AGENT, HASH],
  ['league', 'status'],
  ['league', 'standings'],
  ['league', 'seasons'],
  ['league', 'me'],
]
