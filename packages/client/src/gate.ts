import { type AnswerShapes, type ClientErrorCode, createDecoder, RETRIES, type RouteId } from '@pit/protocol'
import { PitRefusal } from './errors.ts'

/** Deeper than any schema of a route. */
const MAX_DEPTH = 64
/** Several times the longest honest response. */
const MAX_VALUES = 400_000

/**
 * Parses the text of a response; undefined if it is not JSON, too deep or of too many values. Both are counted in the
 * text, before anything that recurses sees it.
 */
export function parseBounded(text: string): unknown {
  if (!isBounded(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [34, 92, 44, 123, 125, 91, 93]

function isBounded(text: string): boolean {
  let [depth, values] = [0, 1]
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      at = endOfString(text, at)
      if (at === -1) return false
    } else if (char === COMMA) {
      if (++values > MAX_VALUES) return false
    } else if (char === OPEN || char === OPEN_LIST) {
      if (++depth > MAX_DEPTH || ++values > MAX_VALUES) return false
    } else if (char === CLOSE || char === CLOSE_LIST) depth--
  }
  return true
}

/** Position of the closing quote; -1 without one. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at
  }
  return -1
}

/** Loaded with the first call, so that a page starts without them. */
let decoder: Promise<ReturnType<typeof createDecoder>> | null = null
function loadDecoder() {
  decoder ??= import('@pit/protocol/answers.json', { with: { type: 'json' } }).then((shapes) =>
    createDecoder(shapes.default as unknown as AnswerShapes),
  )
  // A page that could not load them tries again.
  decoder.catch(() => {
    decoder = null
  })
  return decoder
}

/** The decoded answer of a route, with the documented fields only; refuses a malformed one. */
export async function decodeAnswer(id: RouteId, body: unknown, acts: boolean): Promise<unknown> {
  const decoded = (await loadDecoder())(id, body)
  if (decoded.ok) return decoded.value
  throw new PitRefusal(
    CODES[id] ?? 'MALFORMED_RESPONSE',
    `The response of ${id} does not match its schema${decoded.field && ` (${decoded.field})`}.`,
    {
      retry: acts ? 'look_first' : 'no',
      hint: acts ? RETRIES.look_first : undefined,
      details: { route: id, field: decoded.field },
    },
  )
}

/** Routes for whose malformed responses the contract has a code. */
const CODES: { readonly [Id in RouteId]?: ClientErrorCode } = {
  config: 'CONFIG_MISMATCH',
  'auth.challenge': 'SIGNING_MISMATCH',
  'hosted.refund_gas': 'REFUND_TO',
  'league.statement': 'LEAGUE_STATEMENT',
  'me.portfolio': 'ACCOUNT_SHAPE',
  'me.sessions': 'ACCOUNT_SHAPE',
  'me.trades': 'ACCOUNT_SHAPE',
}
