import { CHAIN_ID, LEAGUE } from './numbers.ts'
import type { Board, EntrantKind } from './values.ts'

/** What a statement is about. Every word of it is the client's own or in the answer, so it can be rebuilt. */
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

/**
 * The text an agent's owner signs with personal_sign. Nothing of it is other people's text: a name with a
 * line break could add a line of its own.
 */
export function statementText({ domain, agentId, board, kind, entrant, nonce, expiresAtS }: StatementParts) {
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
