import { isUtf8 } from 'node:buffer'
import { fail } from '@pit/protocol'

export type JsonObject = { [name: string]: unknown }

const MAX_DEPTH = 16
const CONTROL = /[\u0000-\u001f\u007f]/
const LONE_SURROGATE = /\p{Surrogate}/u

/** Parses one JSON object, strictly. */
export function parseJsonObject(bytes: Buffer, multiline: readonly string[] = []): JsonObject {
  const value = parseJson(bytes, multiline)
  if (Array.isArray(value)) refuse('', NOT_AN_OBJECT)
  return value as JsonObject
}
const NOT_AN_OBJECT = 'The body is not one JSON object.'

/**
 * Parses a JSON object or list, strictly: no duplicate keys, no keys that reach a prototype, no number a
 * double cannot hold, no control characters, no lone surrogates. JSON.parse drops duplicates, so the keys of
 * its result are counted against those in the text. Only strings at `multiline` paths may have line breaks
 * and tabs.
 */
export function parseJson(bytes: Buffer, multiline: readonly string[] = []): object {
  if (!isUtf8(bytes)) refuse('', 'The body is not valid UTF-8.')
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's message quotes the text, which may contain a secret.
    refuse('', 'The body is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null) return refuse('', NOT_AN_OBJECT)
  const keys = inspect(value, '', 1, multiline)
  if (keys !== countKeys(text)) refuse(findDuplicate(text), 'A key appears twice.')
  return value
}

/** Rejects forbidden content; returns the number of keys, nested ones included. */
function inspect(value: object, path: string, depth: number, multiline: readonly string[]): number {
  if (depth > MAX_DEPTH) refuse(path, `Nested deeper than ${MAX_DEPTH}.`)
  const isList = Array.isArray(value)
  const names = Object.keys(value)
  let count = isList ? 0 : names.length
  for (const name of names) {
    const inner = (value as JsonObject)[name]
    if (!isList && (name === '__proto__' || (name === 'constructor' && reachesPrototype(inner)))) {
      refuse(join(path, name), 'This key is not allowed.')
    }
    if (!isList && hasBadCharacters(name)) refuse(path, 'A key has control characters or broken text.')
    if (typeof inner === 'string') {
      const checked = multiline.includes(join(path, name)) ? inner.replace(/[\n\t]/g, ' ') : inner
      if (hasBadCharacters(checked)) {
        refuse(join(path, name), 'Control characters or broken text are not allowed.')
      }
    } else if (typeof inner === 'number') {
      if (!Number.isFinite(inner) || (Number.isInteger(inner) && !Number.isSafeInteger(inner))) {
        refuse(join(path, name), 'The number is too large; send large amounts as strings.')
      }
    } else if (typeof inner === 'object' && inner !== null) {
      count += inspect(inner, join(path, name), depth + 1, multiline)
    }
  }
  return count
}

const reachesPrototype = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')

const hasBadCharacters = (text: string): boolean => CONTROL.test(text) || LONE_SURROGATE.test(text)

/** Counts the keys in valid JSON text: strings followed by a colon. */
function countKeys(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    at = afterString(text, at)
    if (isKey(text, at)) count += 1
  }
  return count
}

/** Whether a colon follows the string that ends before `at`. */
function isKey(text: string, at: number): boolean {
  let next = text.charCodeAt(at)
  while (next === 32 || next === 10 || next === 13 || next === 9) next = text.charCodeAt(++at)
  return next === 58
}

/** The position after a string that starts at `start`. */
function afterString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 92) slashes += 1
  return slashes % 2 === 1
}

/** The path of the first repeated key in valid JSON text. Slow; runs only to reject. */
function findDuplicate(text: string): string {
  const open: { path: string; seen: Set<string> | null; name: string; index: number }[] = []
  const here = () => open[open.length - 1]
  const inner = () => {
    const top = here()
    return top === undefined ? '' : join(top.path, top.seen === null ? String(top.index) : top.name)
  }
  for (let at = 0; at < text.length; ) {
    const char = text[at]
    if (char === '"') {
      const end = afterString(text, at)
      const top = here()
      if (top?.seen && isKey(text, end)) {
        top.name = JSON.parse(text.slice(at, end)) as string
        if (top.seen.has(top.name)) return join(top.path, top.name)
        top.seen.add(top.name)
      }
      at = end
      continue
    }
    if (char === '{') open.push({ path: inner(), seen: new Set(), name: '', index: 0 })
    else if (char === '[') open.push({ path: inner(), seen: null, name: '', index: 0 })
    else if (char === '}' || char === ']') open.pop()
    else if (char === ',' && here()?.seen === null) here()!.index += 1
    at += 1
  }
  return ''
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** A field name for an error: the caller chose it, so it is cut and made printable. */
export const printableField = (field: string): string =>
  field === ''
    ? 'body'
    : field
        .replace(/[\u0000-\u001f\u007f]/g, '?')
        .replace(/\p{Surrogate}/gu, '?')
        .slice(0, 128)

const refuse = (field: string, message: string): never =>
  fail('BAD_REQUEST', { field: printableField(field), message })
