import type { Hex } from '@pit/chain'
import { type AbiParameter, decodeAbiParameters, parseAbiParameters, toFunctionSelector } from 'viem'
import { WORDS_OF_ERROR, WORDS_OF_REASON } from './revertErrors.ts'

const ERROR_STRING = '0x08c379a0'
const MAX_OWN_CHARS = 80
const MAX_CHARS = 240
const MAX_STRING_BYTES = 4 * MAX_OWN_CHARS
/** Errors are nested: a router's error wraps a hook's, which wraps a token's. */
const MAX_DEPTH = 4

/** Why a call failed, in words: from its revert data, otherwise from the node's message. */
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
  const knownError = knownErrors().get(selector)
  const unknown = data.length >= 10 ? `reverted with ${selector}` : 'reverted without a reason'
  if (!knownError) return unknown
  if (typeof knownError.words === 'string') return knownError.words
  try {
    const args = decodeAbiParameters(knownError.parameters, `0x${data.slice(10)}`)
    return knownError.words(args, (inner) =>
      depth < MAX_DEPTH ? reasonIn(inner as Hex, depth + 1) : 'and so on',
    )
  } catch {
    // Another contract's error with the same selector.
    return unknown
  }
}

interface KnownError {
  parameters: readonly AbiParameter[]
  words: (typeof WORDS_OF_ERROR)[string]
}
let errorsBySelector: Map<string, KnownError> | undefined

/** Built on the first failure, to keep start-up fast. */
function knownErrors(): Map<string, KnownError> {
  errorsBySelector ??= new Map(
    Object.entries(WORDS_OF_ERROR).map(([signature, words]) => {
      const types = signature.slice(signature.indexOf('(') + 1, -1)
      return [toFunctionSelector(signature), { parameters: types ? parseAbiParameters(types) : [], words }]
    }),
  )
  return errorsBySelector
}

function errorString(data: Hex): string {
  const body = Buffer.from(data.slice(10, 10 + 2 * (64 + MAX_STRING_BYTES)), 'hex')
  // The reverting contract chooses offset and length: if they do not fit, decode what is there.
  const length = body.length >= 64 ? Number(BigInt(`0x${body.toString('hex', 32, 64)}`)) : 0
  return body.subarray(64, 64 + Math.min(length, MAX_STRING_BYTES)).toString('utf8')
}

/** Untrusted text: cut it short and keep printable characters only. */
export const plainText = (text: string): string =>
  text
    .replace(/[^ -~]/g, '')
    .replace(/[<>&"']/g, '')
    .trim()
    .slice(0, MAX_OWN_CHARS)
