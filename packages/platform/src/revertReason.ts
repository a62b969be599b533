import type { Hex } from '@pit/chain'
import { type AbiParameter, decodeAbiParameters, parseAbiParameters, toFunctionSelector } from 'viem'
import { WORDS_OF_ERROR, WORDS_OF_REASON } from './revertErrors.ts'

const ERROR_STRING = '0x08c379a0'
const MAX_OWN_CHARS = 80
const MAX_CHARS = 240
const MAX_STRING_BYTES = 4 * MAX_OWN_CHARS
/** A router's error holds a hook's error holds a token's. */
const MAX_DEPTH = 4

/** Why a call failed, for people: from what it reverted with, else from what the node says. */
export function revertReason(data: Hex, message = 'reverted'): string {
  const text = data.length > 2 ? reasonIn(data, 0) : plainText(message)
  return (text || 'reverted').slice(0, MAX_CHARS)
}

function reasonIn(data: Hex, depth: number): string {
  if (data.startsWith(ERROR_STRING)) {
    const text = errorString(data)
    return WORDS_OF_REASON.get(text) ?? (plainText(text) || 'reverted')
  }
  const selector = data.slice(0, 10)
  const known = knownErrors().get(selector)
  const unknown = data.length >= 10 ? `reverted with ${selector}` : 'reverted without a reason'
  if (!known) return unknown
  if (typeof known.words === 'string') return known.words
  try {
    const args = decodeAbiParameters(known.parameters, `0x${data.slice(10)}`)
    return known.words(args, (inner) => (depth < MAX_DEPTH ? reasonIn(inner as Hex, depth + 1) : 'and so on'))
  } catch {
    // Somebody else's error of the same four bytes.
    return unknown
  }
}

interface KnownError {
  parameters: readonly AbiParameter[]
  words: (typeof WORDS_OF_ERROR)[string]
}
let known: Map<string, KnownError> | undefined

/** Made when the first call fails: a hundred selectors are no work for a start. */
function knownErrors(): Map<string, KnownError> {
  known ??= new Map(
    Object.entries(WORDS_OF_ERROR).map(([signature, words]) => {
      const types = signature.slice(signature.indexOf('(') + 1, -1)
      return [toFunctionSelector(signature), { parameters: types ? parseAbiParameters(types) : [], words }]
    }),
  )
  return known
}

function errorString(data: Hex): string {
  const body = Buffer.from(data.slice(10, 10 + 2 * (64 + MAX_STRING_BYTES)), 'hex')
  // Offset and length are whoever reverted's to choose: one that does not fit shows what there is.
  const length = body.length >= 64 ? Number(BigInt(`0x${body.toString('hex', 32, 64)}`)) : 0
  return body.subarray(64, 64 + Math.min(length, MAX_STRING_BYTES)).toString('utf8')
}

/** Somebody's text: short, and letters only. */
export const plainText = (text: string): string =>
  text
    .replace(/[^ -~]/g, '')
    .replace(/[<>&"']/g, '')
    .trim()
    .slice(0, MAX_OWN_CHARS)
