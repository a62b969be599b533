import { CHAIN_ID, LEAGUE } from './numbers.ts'
import { mustBeKind } from './patterns.ts'
import type { Board, EntrantKind } from './values.ts'

/** The fields of a statement. The client knows or receives all of them, so it can rebuild the text. */
export interface StatementParts {
  /** The domain the wallet signed in to. */
  domain: string
  agentId: string
  board: Board
  kind: EntrantKind
  /** The trading wallet, the account's id or the hosted agent's. */
  entrant: string
  nonce: string
  expiresAtS: number
}

/** The owner's confirmation: the line before the last of every prize statement. */
export const CONFIRMATION = [
  `I confirm that I am ${LEAGUE.minAgeYears} or older`,
  'not a US person',
  'not in a sanctioned country or region or on a sanctions list',
  'eligible under applicable law, and that I accept the Prize League Rules.',
].join(', ')

const ENTRANTS: Record<EntrantKind, string> = {
  wallet: 'prize league, trading wallet',
  account: 'practice board, account',
  hosted: 'practice board, hosted agent',
}

const ENTRANT_KINDS = { wallet: 'address', account: 'accountId', hosted: 'id' } as const
/** The last second of the year 9999. */
const LAST_S = 253_402_300_799

function checkParts({ domain, agentId, kind, entrant, nonce, expiresAtS }: StatementParts): void {
  mustBeKind('domain', domain, 'domain')
  mustBeKind('agentId', agentId, 'agent id')
  mustBeKind(ENTRANT_KINDS[kind], entrant, 'entrant')
  mustBeKind('id', nonce, 'nonce')
  const isTime = Number.isSafeInteger(expiresAtS) && expiresAtS > 0 && expiresAtS <= LAST_S
  if (!isTime) throw new TypeError('the expiry is malformed')
}

/** The text an agent's owner signs with personal_sign. Throws a TypeError on a malformed part. */
export function statementText(parts: StatementParts): string {
  checkParts(parts)
  const { domain, agentId, board, kind, entrant, nonce, expiresAtS } = parts
  return [
    `${domain} asks the owner of an agent to sign for the Pit League.`,
    '',
    'I own this agent in the agent registry and enter it for this entrant.',
    '',
    `Agent: ${agentId}`,
    `Entrant: ${ENTRANTS[kind]} ${entrant}`,
    `Chain ID: ${CHAIN_ID}`,
    `Nonce: ${nonce}`,
    `Expires: ${new Date(expiresAtS * 1000).toISOString().replace('.000Z', 'Z')}`,
    ...(board === 'prize' ? [CONFIRMATION] : []),
    'Signing sends no transaction and costs no gas.',
  ].join('\n')
}

const STATEMENT = new RegExp(
  [
    '^([^\\n ]+) asks the owner of an agent to sign for the Pit League\\.',
    '',
    'I own this agent in the agent registry and enter it for this entrant\\.',
    '',
    'Agent: ([^\\n ]+)',
    `Entrant: (${Object.values(ENTRANTS).join('|')}) ([^\\n ]+)`,
    `Chain ID: ${CHAIN_ID}`,
    'Nonce: ([^\\n ]+)',
    'Expires: ([^\\n ]+)\\n',
  ].join('\\n'),
)

/** The parts of a statement, or null for any text that `statementText` would not have written. */
export function parseStatement(text: string): StatementParts | null {
  const [, domain, agentId, label, entrant, nonce, expires] = STATEMENT.exec(text) ?? []
  const kind = (Object.keys(ENTRANTS) as EntrantKind[]).find((one) => ENTRANTS[one] === label)
  if (!domain || !agentId || !kind || !entrant || !nonce || !expires) return null
  const board: Board = text.includes(CONFIRMATION) ? 'prize' : 'practice'
  const parts = { domain, agentId, board, kind, entrant, nonce, expiresAtS: Date.parse(expires) / 1000 }
  return rebuilds(() => statementText(parts), text) ? parts : null
}

/** Whether the builder writes the same text; it throws on a malformed part. */
export function rebuilds(build: () => string, text: string): boolean {
  try {
    return build() === text
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return false
    throw error
  }
}
