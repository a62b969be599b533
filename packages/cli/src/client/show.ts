import { groupedText, trimEnd, visibleText } from '@pit/protocol'
import { InputNeeded, json } from './exit.ts'
import type { CommandDeps, Opened } from './openClient.ts'
import type { Target } from './settings.ts'

/** Real or simulated money. */
export type Book = 'live' | 'paper'

/** Heading of every table, so that paper is not mistaken for real money. */
export const headingOf = ({ name, url, profile }: Target, book: Book): string =>
  `${book === 'live' && profile.kind === 'devnet' ? 'live on a devnet' : book}: ${name} (${url})`

/** Text of the server or of third parties, in quotation marks. */
export const quoted = (text: string): string => `“${visibleText(text, 300)}”`

/**
 * Who states the figures of a table: the server, unless the client derived all of them from signed bytes, its own node
 * or its pins.
 */
export type Source = 'server' | 'own'

/** Prints JSON with --json, otherwise a table with a heading. */
export function show(
  { terminal }: Pick<CommandDeps, 'terminal'>,
  { options, target }: Pick<Opened, 'options' | 'target'>,
  value: unknown,
  shown: () => string,
  { book = 'live', source = 'server' }: { book?: Book; source?: Source } = {},
): void {
  const note = source === 'server' ? '; figures as the server states them' : ''
  if (!options.json) terminal.say(`${headingOf(target, book)}${note}`)
  terminal.data(options.json ? json(value) : shown())
}

/** Asks for confirmation before anything is signed; without a terminal --yes is required. */
export async function agree(
  { terminal }: Pick<CommandDeps, 'terminal'>,
  question: string,
  yes = false,
): Promise<void> {
  if (yes) return
  requireConfirmation({ terminal }, yes)
  if (!(await terminal.confirm(question))) throw new InputNeeded('Not confirmed; nothing was signed.')
}

/** Fails early if a later confirmation would be impossible. */
export function requireConfirmation({ terminal }: Pick<CommandDeps, 'terminal'>, yes = false): void {
  if (yes || terminal.isInteractive) return
  throw new InputNeeded('Confirmation required; add --yes.')
}

/** A token amount with its symbol; atoms if the token is unknown. */
export function amountText({ client }: Pick<Opened, 'client'>, atoms: bigint, token: `0x${string}`): string {
  const record = client.pins.tokens.get(token)
  return atomsText(atoms, {
    address: token,
    name: record?.symbol ?? token,
    decimals: record?.decimals ?? null,
  })
}

/** Whole tokens by decimals of the pins or your node; atoms if they are unknown. */
export const atomsText = (
  atoms: bigint,
  { address, name, decimals }: { address: string; name: string; decimals: number | null },
): string => (decimals === null ? `${atoms} atoms of ${address}` : `${groupedText(atoms, decimals)} ${name}`)

/** Explorer link of a transaction; on a devnet a page of its dashboard. */
export const transactionUrl = ({ url, profile }: Pick<Target, 'url' | 'profile'>, hash: string): string =>
  profile.kind === 'devnet' ? `${trimEnd(url, '/')}/tx/${hash}` : `${profile.explorer_tx}${hash}`

export const timeText = (unixS: number): string => new Date(unixS * 1000).toISOString().slice(0, 19)
