import type { Address } from '@pit/chain'
import type { CapabilityJobs } from '@pit/platform/jobs'
import { lower } from '@pit/protocol'
import type { MinedTrade } from '@pit/relay'
import type { SignedReceipt } from '@pit/signer-wire'
import { sessionAddressesOf } from './addresses.ts'
import { type Cosigner, type CosignerClient, createCosigner } from './cosigner.ts'
import type { SessionDeps, SessionOptions } from './deps.ts'
import type { GrantParams } from './grant/readGrant.ts'
import { type Granted, startGrant } from './grant/startGrant.ts'
import { type Signatures, switchOn } from './grant/switchOn.ts'
import { sessionJobs } from './jobs.ts'
import { type ListedSessions, listSessions } from './listSessions.ts'
import { type CancelOrdersRequest, cancelOrders } from './revoke/cancelOrders.ts'
import { type Revoked, type RevokeParams, revokeSession } from './revoke/revokeSession.ts'
import { createLeafSettler } from './settleMined.ts'
import { findSession, usedBy } from './store.ts'
import { rehearseTrade } from './trade/rehearseTrade.ts'
import { tradeInSession } from './trade/tradeInSession.ts'
import type { RehearsedTrade, SessionTrade, SessionTradeParams } from './trade/types.ts'
import type { Session, Used } from './types.ts'

export interface Sessions {
  /** Throws SESSIONS_UNAVAILABLE on a chain without a required contract. */
  refuseUnavailable(): void
  startGrant(request: GrantParams): Promise<Granted>
  switchOn(request: Signatures): Promise<Session>
  tradeInSession(request: SessionTradeParams): Promise<SessionTrade>
  rehearseTrade(request: SessionTradeParams): Promise<RehearsedTrade>
  revokeSession(request: RevokeParams): Promise<Revoked>
  cancelOrders(request: CancelOrdersRequest): Promise<SignedReceipt[]>
  listSessions(wallet: Address): Promise<ListedSessions>
  sessionOf(id: string): Promise<Session | null>
  /** Trades and dollars used, as the co-signer counts them; absent without trades. */
  usedOf(ids: readonly string[]): Promise<Map<string, Used>>
  /** The co-signer that clients pin; null while unknown. */
  cosigner(): Address | null
  /**
   * Throws an error with a readable message if the signer does not answer or does not sign; null without a
   * signer.
   */
  checkSigner: (() => Promise<void>) | null
  /** Result of the last check; true before the first. */
  signerAnswers(): boolean
  /** Call with transactions of sessions that were mined. */
  mined(trades: readonly MinedTrade[]): void
  /** Jobs for every process and for the jobs role. */
  jobs: CapabilityJobs
  close(): void
}

export type OpenSessions = SessionOptions & {
  /** Null if this server has no signer: sessions can then only be listed and revoked. */
  signer: CosignerClient | null
}

/** Delegated trading: granted by the owner, co-signed per trade, revocable at any time. */
export function openSessions({ signer, ...options }: OpenSessions): Sessions {
  const { profile, logger } = options
  const cosigner: Cosigner = createCosigner({
    client: signer,
    pinned: profile.cosigner === null ? null : lower(profile.cosigner),
    logger,
  })
  const deps: SessionDeps = { ...options, cosigner, addresses: sessionAddressesOf(profile) }
  const settler = createLeafSettler(deps)
  return {
    refuseUnavailable: () => void deps.addresses(),
    startGrant: (request) => startGrant(deps, request),
    switchOn: (request) => switchOn(deps, request),
    tradeInSession: (request) => tradeInSession(deps, request),
    rehearseTrade: (request) => rehearseTrade(deps, request),
    revokeSession: (request) => revokeSession(deps, request),
    cancelOrders: (request) => cancelOrders(deps, request),
    listSessions: (wallet) => listSessions(deps, wallet),
    sessionOf: async (id) => (await findSession(deps.db, id)) ?? null,
    usedOf: (ids) => usedBy(deps.db, ids, deps.clock.nowMs()),
    cosigner: cosigner.currentAddress,
    checkSigner: signer && cosigner.check,
    signerAnswers: cosigner.answers,
    mined: settler.mined,
    jobs: signer ? sessionJobs(deps, settler.job) : { everywhere: [], worker: [] },
    close: cosigner.close,
  }
}
