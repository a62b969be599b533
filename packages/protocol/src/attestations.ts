import { rebuilds } from './leagueStatement.ts'
import { NATIVE_TOKEN } from './numbers.ts'
import { mustBeKind } from './patterns.ts'

/**
 * Texts that one party signs (EIP-191) and others rebuild from the fields. Each has exactly one spelling, so
 * that the bytes are the same in every language: lower-case addresses and hashes, times in unix seconds and as
 * ISO text.
 */

export interface ExecutorAttestation {
  executor: string
  /** The only wallet that may grant to the executor, and the only recipient of its gas. */
  owner: string
  agentId: string
  chainId: number
}

/** The text that the co-signer signs for an executor whose key it holds. */
export function executorAttestationText({ executor, owner, agentId, chainId }: ExecutorAttestation): string {
  return [
    'Pit executor attestation',
    '',
    'The co-signer holds the key of this executor. It signs with it only trades of sessions that the ' +
      'owner granted, and sends its gas back only to the owner.',
    '',
    `Chain ID: ${whole(chainId)}`,
    `Executor: ${address(executor)}`,
    `Owner: ${address(owner)}`,
    `Agent: ${id(agentId)}`,
  ].join('\n')
}

export interface StockAttestation {
  agentId: string
  executor: string
  sessionId: string
  /** Of the session's root. */
  rootHash: string
  issuedS: number
  expiresS: number
  chainId: number
}

/** The text that an owner signs to let a hosted agent trade stock tokens in one session until a given time. */
export function stockAttestationText(terms: StockAttestation): string {
  return [
    'Pit stock token attestation',
    '',
    'I own the wallet that granted this session. I am not a US person and do not act for one. Until ' +
      'this attestation expires or I take it back, this agent may trade stock tokens in this session.',
    '',
    `Chain ID: ${whole(terms.chainId)}`,
    `Agent: ${id(terms.agentId)}`,
    `Executor: ${address(terms.executor)}`,
    `Session: ${id(terms.sessionId)}`,
    `Session root: ${hash(terms.rootHash)}`,
    `Issued: ${time(terms.issuedS)}`,
    `Expires: ${time(terms.expiresS)}`,
  ].join('\n')
}

const STOCK_ATTESTATION =
  /^Pit stock token attestation\n\n[^\n]+\n\nChain ID: (\d{1,15})\nAgent: (\S+)\nExecutor: (\S+)\nSession: (\S+)\nSession root: (\S+)\nIssued: (\d{1,15}) \(\S+\)\nExpires: (\d{1,15}) \(\S+\)$/

/** The terms of an attestation, or null for any text that `stockAttestationText` would not have written. */
export function parseStockAttestation(text: string): StockAttestation | null {
  const [, chainId, agentId, executor, sessionId, rootHash, issued, expires] =
    STOCK_ATTESTATION.exec(text) ?? []
  if (!chainId || !agentId || !executor || !sessionId || !rootHash || !issued || !expires) return null
  const times = { issuedS: Number(issued), expiresS: Number(expires), chainId: Number(chainId) }
  const terms = { agentId, executor, sessionId, rootHash, ...times }
  return rebuilds(() => stockAttestationText(terms), text) ? terms : null
}

/** The last second of the year 9999. */
const LAST_S = 253_402_300_799

const id = (value: unknown): string => mustBeKind('id', value, 'id of the attestation')
const hash = (value: unknown): string => mustBeKind('hash', value, 'hash of the attestation').toLowerCase()
function address(value: unknown): string {
  const text = mustBeKind('address', value, 'address of the attestation').toLowerCase()
  if (text === NATIVE_TOKEN) throw new TypeError('the address of the attestation is the zero address')
  return text
}

function whole(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new TypeError('an attestation needs a whole number here')
  return value
}

function time(atS: number): string {
  if (whole(atS) > LAST_S) throw new TypeError('the time is out of range for an attestation')
  return `${atS} (${new Date(atS * 1000).toISOString().slice(0, 19)}Z)`
}
