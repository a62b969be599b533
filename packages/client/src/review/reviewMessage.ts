import {
  challengePurposeOf,
  isOriginOf,
  lower,
  parseSiwe,
  parseStatement,
  parseStockAttestation,
} from '@pit/protocol'
import type { Effect } from './effects.ts'
import { timeText } from './effects.ts'
import { deny, type Reading, type ReviewContext } from './terms.ts'

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** The texts of this service, each rebuilt from its parsed values and compared to the byte. */
export function reviewMessage(context: ReviewContext, text: string): Reading {
  return (
    signIn(context, text) ??
    league(context, text) ??
    stocks(context, text) ??
    deny('the message is not one of this service')
  )
}

function signIn({ wallet, host }: ReviewContext, text: string): Reading | null {
  const siwe = parseSiwe(text)
  if (!siwe) return null
  mustBeHere(host, siwe.domain)
  if (lower(siwe.address) !== wallet) deny('the message names another wallet')
  const purpose = challengePurposeOf(siwe.statement)
  if (purpose === null) deny('the message states another purpose than this service has')
  if (!isOriginOf(siwe.uri, siwe.domain)) deny('the message names a URI outside its domain')
  return {
    title: `${purpose === 'sign-in' ? 'Sign in to' : 'Confirm for'} ${siwe.domain}`,
    effects: stated({ Statement: siwe.statement, URI: siwe.uri, 'Valid until': timeText(siwe.expiresAtS) }),
  }
}

function league({ host }: ReviewContext, text: string): Reading | null {
  const parts = parseStatement(text)
  if (!parts) return null
  mustBeHere(host, parts.domain)
  const { domain, agentId, board, kind, entrant, expiresAtS } = parts
  return {
    title: `Enter the ${board} league of ${domain}`,
    effects: stated({
      Agent: agentId,
      Entrant: `${kind} ${entrant}`,
      'Valid until': timeText(expiresAtS),
      Statement: text.split('\n').slice(9).join(' '),
    }),
  }
}

function stocks({ pins }: ReviewContext, text: string): Reading | null {
  const terms = parseStockAttestation(text)
  if (!terms) return null
  if (terms.chainId !== pins.profile.chain_id) deny('the attestation is for another chain')
  return {
    title: 'Let an agent trade stock tokens',
    effects: stated({
      Statement: text.split('\n')[2]!,
      Agent: terms.agentId,
      Executor: terms.executor,
      Session: terms.sessionId,
      'Session root': terms.rootHash,
      'Valid until': timeText(terms.expiresS),
    }),
  }
}

/** A loopback name stands for each other one. */
function mustBeHere(host: string, domain: string): void {
  const isHere =
    [host, host.replace(/:\d+$/, '')].includes(domain) || (LOOPBACK.test(domain) && LOOPBACK.test(host))
  if (!isHere) deny(`the message is for ${domain}, and this page is ${host}`)
}

const stated = (fields: Record<string, string>): Effect[] =>
  Object.entries(fields).map(([name, value]) => ({ kind: 'states', name, value }))
