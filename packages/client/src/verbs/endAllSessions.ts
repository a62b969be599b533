import { endAllCall, readRoot } from '@pit/chain'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import { readSessionNonce } from '../own/sessionNonce.ts'
import { hashing } from '../verify/grant.ts'
import { type RecordedSession, recordedSessions } from './recordedSessions.ts'
import { ending, sendOwn } from './sendOwn.ts'
import type { Receipt } from './sendSigned.ts'

/**
 * Result of `revokeAll`.
 * @public
 */
export interface EndedAll {
  /** The wallet's nonce before and after, by the client's own node. */
  nonce: { before: bigint; after: bigint }
  receipts: readonly Receipt[]
  /** Sessions with controls that were signed on this machine and were alive: all ended. */
  ended: readonly string[]
  /** Sessions without controls that are alive: end them one by one. */
  left: readonly string[]
}

/**
 * Ends every session with controls of this wallet by one transaction that the client builds and sends by its
 * own node; no server is needed. Refused unless the chain shows it.
 * @param options `signal`
 * @returns the nonce before and after; `left` are sessions without controls, which it does not end
 * @throws REVOCATION_INCOMPLETE the chain does not show the higher nonce
 * @example
 * ```ts
 * const { ended: endedIds, left } = await client.revokeAll()
 * console.log(endedIds.length, left.length)
 * ```
 */
export async function endAllSessions(deps: ClientDeps, options: VerbOptions = {}): Promise<EndedAll> {
  const { sessions } = await recordedSessions(deps, options)
  const alive = sessions.filter(({ state }) => state === 'alive')
  const before = await readSessionNonce(deps, options)
  const receipts = await sendOwn(ending(deps), [endAllCall(deps.pins.addresses)], options)
  const after = await readSessionNonce(deps, options)
  if (after <= before)
    throw new PitRefusal(
      'REVOCATION_INCOMPLETE',
      'The transaction was mined, but your node shows no higher nonce: sessions may be alive.',
      { details: { transactions: receipts.map(({ hash }) => hash) } },
    )
  const [ended, left] = [alive.filter(hasNonce(deps)), alive.filter((one) => !hasNonce(deps)(one))]
  const idOf = ({ session_id }: RecordedSession) => session_id
  return { nonce: { before, after }, receipts, ended: ended.map(idOf), left: left.map(idOf) }
}

const hasNonce =
  ({ pins }: ClientDeps) =>
  ({ roots }: RecordedSession): boolean =>
    roots.every(({ delegation }) => (readRoot(hashing, pins.addresses, delegation)?.nonce ?? null) !== null)
