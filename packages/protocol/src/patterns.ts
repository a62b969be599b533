/**
 * Every value that a text to sign, a local record or a schema interpolates, by its kind. ASCII only, so no value has a
 * second Unicode form, and none has a line break.
 */
export const PATTERNS = {
  address: '^0x[0-9a-fA-F]{40}$',
  hash: '^0x[0-9a-fA-F]{64}$',
  /** Sessions, agents, routes and nonces. */
  id: '^[A-Za-z0-9_.:-]{1,128}$',
  /** An id that names a local file. */
  recordId: '^[A-Za-z0-9_.:-]{1,64}$',
  /** Of the registry: a uint256. */
  agentId: '^(0|[1-9][0-9]{0,77})$',
  accountId: '^[1-9][0-9]{0,15}$',
  atoms: '^(0|[1-9][0-9]{0,77})$',
  code: '^[A-Z][A-Z0-9_]{0,63}$',
  /** A code, kind or state: no text of several words. */
  word: '^[A-Za-z][A-Za-z0-9_.:-]{0,63}$',
  /** BASE/QUOTE, each a core symbol or an address. */
  pair: '^[A-Za-z0-9._$+-]{1,64}/[A-Za-z0-9._$+-]{1,64}$',
  /** A core symbol or an address. */
  tokenName: '^(0x[0-9a-fA-F]{40}|[A-Za-z][A-Za-z0-9]{0,15})$',
  modelId: '^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$',
  domain: '^[A-Za-z0-9.:[\\]-]{1,255}$',
} as const
export type PatternName = keyof typeof PATTERNS

const compiled = new Map<PatternName, RegExp>()

/** Whether it is a text of this kind; a number or a list of one text is not. */
export function isKind(name: PatternName, value: unknown): value is string {
  const pattern = compiled.get(name) ?? new RegExp(PATTERNS[name])
  compiled.set(name, pattern)
  return typeof value === 'string' && pattern.test(value)
}

/** The value; throws a TypeError that names what is malformed. */
export function mustBeKind(name: PatternName, value: unknown, what: string): string {
  if (!isKind(name, value)) throw new TypeError(`the ${what} is malformed`)
  return value
}
