import { expect, it } from 'vitest'
import { findSlowPatterns } from './regexes.mjs'

const whyOf = (code: string): string | undefined => findSlowPatterns('a.ts', code)[0]?.why
const SEARCH = 'a search that starts again inside its own run'
const ADJACENT = 'adjacent quantifiers that overlap'

it.each([
  [String.raw`header.split(/\s*,\s*/)`, SEARCH],
  [String.raw`url.replace(/\/+$/, '')`, SEARCH],
  [String.raw`/<[^>]+>/g`, SEARCH],
  [String.raw`/<style>([\s\S]*?)<\/style>/g`, SEARCH],
  [String.raw`/"(?:[^"\\]|\\.)*"\s*(:?)/g`, SEARCH],
  [String.raw`/\B(?=(\d{3})+$)/g`, SEARCH],
  [String.raw`/^application\/json\s*(;\s*x\s*)?;?\s*$/`, ADJACENT],
  [String.raw`/^\w+\d*$/`, ADJACENT],
  [String.raw`/^(?:a|b?)*b*c/`, ADJACENT],
  [String.raw`/^(a+)+$/`, 'nested quantifiers'],
  [String.raw`/^(?:a*b?)*$/`, 'nested quantifiers'],
  [String.raw`/^(a|a)*$/`, ADJACENT],
  [String.raw`/^(\w+) \1$/`, 'a reference to a group'],
  ["new RegExp('\\\\s+$')", SEARCH],
  ['new RegExp(`^${name}\\\\s*\\\\s*$`)', ADJACENT],
  ["new RegExp(['^a*', 'a*$'].join(''))", ADJACENT],
  ['new RegExp(textOf(name))', 'not a literal, so it cannot be checked'],
  ["Type.String({ pattern: '^[a-z]+[a-z0-9]*$' })", ADJACENT],
])('finds %s', (code, why) => expect(whyOf(code)).toBe(why))

it.each([
  String.raw`/^0x(?:[0-9a-f]{2})*$/`,
  String.raw`/^\s*\d+(\.\d+)?\s*$/`,
  String.raw`/\s+/g`,
  String.raw`/"[^"]*"/g`,
  String.raw`/<[^<>]+>/g`,
  String.raw`/[^"]*"(?:[^"\\]|\\.)*"\s*(:?)/gy`,
  String.raw`/[a-z]{1,20}:\/\/\S+/gi`,
  String.raw`/(?<!\\)\\+"/g`,
  String.raw`/^(.*)_(bps|usd)$/`,
  String.raw`/^[a-z]+(,[a-z]+)*$/`,
  String.raw`/a.*$/s`,
  'new RegExp(`^${prefix}[a-z]{43}$`)',
])('passes %s', (code) => expect(findSlowPatterns('a.ts', code)).toEqual([]))
