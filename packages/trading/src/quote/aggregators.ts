import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Address } from '@pit/chain'
import { exchange, type HttpAnswer, type NoAnswer } from '@pit/platform/exchange'
import { CHAIN_ID, QUOTE_ONLY_VENUES, TRADE } from '@pit/protocol'
import type { FailedRoute } from '../types.ts'
import { idOf, type QuoterDeps } from './deps.ts'
import type { Found, Outcome } from './found.ts'
import type { Labels } from './labels.ts'
import { ATOMS_END } from './size.ts'

type Aggregator = (typeof QUOTE_ONLY_VENUES)[number]

export interface AggregatorRequest {
  tokenIn: Address
  tokenOut: Address
  /** Less an input-side fee, so that the rows compare. */
  amountIn: bigint
  /** More output than this is nobody's real offer; null: cannot be told. */
  maxOut: bigint | null
}

export interface Aggregators {
  /** Asks those named, side by side, and waits for none longer than the budget. */
  ask(names: readonly Aggregator[], request: AggregatorRequest): Promise<Outcome>
  /** Whether a route id is an aggregator's for this pair. */
  isRoute(id: string, tokenIn: Address, tokenOut: Address): boolean
}

const MAX_ANSWER_BYTES = 16_384
/** Beyond this many unanswered questions nobody asks more: a slow vendor must not fill our memory. */
const MAX_AT_ONCE = 64
/** When a vendor does not say, or says nonsense. */
const USUAL_GAS = 260_000
const GAS_RANGE = [21_000, 30_000_000] as const

export const isAggregator = (venue: string): venue is Aggregator =>
  (QUOTE_ONLY_VENUES as readonly string[]).includes(venue)

/** Quoted for comparison and never built; nothing they say is believed beyond its own row. */
export function createAggregators({
  profile,
  crypto,
  labels,
  budgetMs = TRADE.aggregatorBudgetMs,
}: Pick<QuoterDeps, 'profile' | 'crypto'> & { labels: Labels; budgetMs?: number }): Aggregators {
  const urls: Record<string, string | undefined> = profile.vendors.aggregator_urls
  const routeId = (name: string, tokenIn: Address, tokenOut: Address) =>
    idOf(crypto, `${name}:${tokenIn}:${tokenOut}`)
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  let underWay = 0

  /** Once more on another connection, within the same bound, where the vendor had closed a kept one. */
  async function get(url: URL): Promise<HttpAnswer | NoAnswer> {
    const agent = url.protocol === 'https:' ? agents.https : agents.http
    const startedMs = performance.now()
    const ask = { method: 'GET', url, agent, maxAnswerBytes: MAX_ANSWER_BYTES } as const
    const outcome = await exchange({ ...ask, timeoutMs: budgetMs })
    const leftMs = budgetMs - (performance.now() - startedMs)
    const isAgain = outcome.kind === 'broken' && outcome.onStaleConnection && leftMs > 0
    return isAgain ? exchange({ ...ask, timeoutMs: leftMs }) : outcome
  }

  async function askOne(name: Aggregator, request: AggregatorRequest): Promise<Offer> {
    const url = urls[name]
    if (url === undefined) throw new Failed('It is not set up here.')
    if (underWay >= MAX_AT_ONCE) throw new Failed('Too many questions are open.')
    underWay += 1
    try {
      const asked = new URL(`${url.replace(/\/$/, '')}/quote`)
      asked.searchParams.set('token_in', request.tokenIn)
      asked.searchParams.set('token_out', request.tokenOut)
      asked.searchParams.set('amount_in', request.amountIn.toString())
      const answer = await get(asked)
      if (answer.kind !== 'answer') throw new Failed(whyNone(answer))
      if (answer.status === 404) throw new Failed('It has no route.')
      if (answer.status >= 300 && answer.status < 400) throw new Failed(SILENT)
      if (answer.status !== 200) throw new Failed(`It answered ${answer.status}.`)
      return readOffer(parse(answer.text), request)
    } finally {
      underWay -= 1
    }
  }

  return {
    async ask(names, request) {
      const { tokenIn, tokenOut } = request
      const outcome: Outcome = { found: [], failed: [] }
      await Promise.all(
        [...new Set(names)].map(async (name) => {
          const row = {
            id: routeId(name, tokenIn, tokenOut),
            venue: name,
            label: labels.ofVenue(request, name),
          }
          try {
            const { amountOut, gas } = await askOne(name, request)
            const rest = {
              way: null,
              quotedBy: 'vendor',
              impactBps: null,
              risks: [],
            } satisfies Partial<Found>
            outcome.found.push({ ...row, ...rest, amountOut, gas })
          } catch (error) {
            outcome.failed.push({ ...row, why: whyOf(error) } satisfies FailedRoute)
          }
        }),
      )
      return outcome
    },
    isRoute: (id, tokenIn, tokenOut) =>
      QUOTE_ONLY_VENUES.some((name) => routeId(name, tokenIn, tokenOut) === id),
  }
}

class Failed extends Error {}

const SILENT = 'It does not answer.'
const whyOf = (error: unknown): string => (error instanceof Failed ? error.message : SILENT)

function whyNone({ kind, code }: NoAnswer): string {
  if (kind === 'too large') return 'Its answer is too large.'
  // Without a code of the system it was the time that ran out before there was a connection.
  const isLate = kind === 'timeout' || (kind === 'unreachable' && code === undefined)
  return isLate ? 'It did not answer in time.' : SILENT
}

interface Offer {
  amountOut: bigint
  gas: number
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failed('Its answer is not JSON.')
  }
}

function readOffer(answer: unknown, request: AggregatorRequest): Offer {
  if (typeof answer !== 'object' || answer === null) throw new Failed('Its answer is malformed.')
  const said = answer as Record<string, unknown>
  if (
    said['chain_id'] !== CHAIN_ID ||
    lowerText(said['token_in']) !== request.tokenIn ||
    lowerText(said['token_out']) !== request.tokenOut ||
    said['amount_in'] !== request.amountIn.toString()
  ) {
    throw new Failed('Its answer is about another trade.')
  }
  const atoms = said['amount_out']
  if (typeof atoms !== 'string' || !/^[1-9][0-9]{0,77}$/.test(atoms)) {
    throw new Failed('Its answer has no amount above zero.')
  }
  const amountOut = BigInt(atoms)
  if (amountOut >= ATOMS_END || (request.maxOut !== null && amountOut > request.maxOut)) {
    throw new Failed('Its amount is far above the market: not believed.')
  }
  const gas = said['gas']
  const plausible =
    typeof gas === 'number' && Number.isInteger(gas) && gas >= GAS_RANGE[0] && gas <= GAS_RANGE[1]
  return { amountOut, gas: plausible ? gas : USUAL_GAS }
}

const lowerText = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : undefined)
