import { decimalText } from '@pit/protocol'
import { InputNeeded, json } from './exit.ts'
import type { CommandDeps, Opened } from './openClient.ts'
import type { Target } from './settings.ts'

/** Whose money a table is about. */
export type Book = 'live' | 'paper'

/** What every table is headed with, so that nobody takes paper for money. */
export const headingOf = ({ name, url, profile }: Target, book: Book): string =>
  `${book === 'live' && profile.kind === 'devnet' ? 'live on a devnet' : book}: ${name} (${url})`

/** Data for programs with --json, a headed table for people otherwise. */
export function show(
  { terminal }: Pick<CommandDeps, 'terminal'>,
  { options, target }: Pick<Opened, 'options' | 'target'>,
  value: unknown,
  shown: () => string,
  book: Book = 'live',
): void {
  if (!options.json) terminal.say(headingOf(target, book))
  terminal.data(options.json ? json(value) : shown())
}

/** A person's word before anything is signed; without a terminal only --yes is one. */
export async function agree(
  { terminal }: Pick<CommandDeps, 'terminal'>,
  question: string,
  yes = false,
): Promise<void> {
  if (yes) return
  needWord({ terminal }, yes)
  if (!(await terminal.confirm(question))) throw new InputNeeded('Not confirmed: nothing was signed.')
}

/** Refuses early where nobody could be asked later. */
export function needWord({ terminal }: Pick<CommandDeps, 'terminal'>, yes = false): void {
  if (yes || terminal.isInteractive) return
  throw new InputNeeded('This needs your word, and there is no terminal to ask at: add --yes.')
}

/** Atoms of a token as people read them; an unknown token's stay atoms. */
export function amountText({ client }: Pick<Opened, 'client'>, atoms: bigint, token: `0x${string}`): string {
  const known = client.pins.tokens.get(token)
  return known ? `${decimalText(atoms, known.decimals)} ${known.symbol}` : `${atoms} atoms of ${token}`
}

/** A page that shows the transaction: a devnet has no explorer but its own dashboard. */
export const transactionUrl = ({ url, profile }: Pick<Target, 'url' | 'profile'>, hash: string): string =>
  profile.kind === 'devnet' ? `${url.replace(/\/+$/, '')}/tx/${hash}` : `${profile.explorer_tx}${hash}`

export const timeText = (unixS: number): string => new Date(unixS * 1000).toISOString().slice(0, 19)
