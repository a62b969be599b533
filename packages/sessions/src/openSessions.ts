import type { Address } from '@pit/chain'
import type { Handlers } from '@pit/platform/call'
import type { SignerClient } from '@pit/platform/signerClient'
import type { Answer, Body } from '@pit/protocol'
import { type Cosigner, createCosigner } from './cosigner.ts'
import type { SessionDeps, SessionOptions } from './deps.ts'
import type { StartBody } from './grant/readGrant.ts'
import { startGrant } from './grant/startGrant.ts'
import { switchOn } from './grant/switchOn.ts'
import { runJobs } from './jobs.ts'
import { mySessions, type ReadHosted } from './mySessions.ts'
import { lower, sessionPlaceOf } from './place.ts'
import { revokeOwn, revokeSession } from './revoke/revokeSession.ts'
import { findSession } from './store.ts'
import { type HostedTradeAsk, tradeHosted } from './trade/tradeHosted.ts'
import { tradeSession } from './trade/tradeSession.ts'
import type { Session } from './types.ts'

export type SessionRoute = 'live.session.grant' | 'live.session.trade' | 'live.session.revoke' | 'me.sessions'

export interface Sessions {
  handlers: Pick<Handlers, SessionRoute>
  /** A hosted agent's trade: as live/session/trade, stored as path hosted. */
  tradeHosted(ask: HostedTradeAsk): ReturnType<typeof tradeHosted>
  sessionOf(id: string): Promise<Session | null>
  /** As live/session/revoke by the wallet's own key; with a key's id what ends it on chain can be relayed for that key. */
  revokeFor(wallet: Address, sessionId: string, keyId?: number): Promise<Answer<'live.session.revoke'>>
  /** The co-signer that clients pin; null while nobody knows it. */
  cosigner(): Address | null
  /** Throws in words when the signer does not answer or signs nothing; null where there is none. */
  checkSigner: (() => Promise<void>) | null
  close(): Promise<void>
}

export type OpenSessions = SessionOptions & {
  /** Null where this server has no signer: sessions can then only be listed and revoked. */
  signer: Pick<SignerClient, 'health' | 'registerRoot' | 'cosign' | 'revokeRoot' | 'root' | 'close'> | null
  /** Whether this process tells the co-signer what it missed, and sweeps. */
  writes: boolean
  readHosted?: ReadHosted
}

/** Delegated trading that no key can widen: granted by the owner, co-signed trade by trade, revoked at once. */
export function openSessions({ signer, writes, ...options }: OpenSessions): Sessions {
  const { profile, logger } = options
  const cosigner: Cosigner = createCosigner({
    client: signer,
    pinned: profile.cosigner === null ? null : lower(profile.cosigner),
    logger,
  })
  const deps: SessionDeps & { readHosted?: ReadHosted } = {
    ...options,
    cosigner,
    place: sessionPlaceOf(profile),
  }
  const jobs = writes && signer ? runJobs(deps) : null
  return {
    handlers: {
      'live.session.grant': ({ body, caller }) =>
        isStart(body) ? startGrant(deps, { body, caller }) : switchOn(deps, { body, caller }),
      'live.session.trade': (call) => tradeSession(deps, call),
      'live.session.revoke': (call) => revokeSession(deps, call),
      'me.sessions': (call) => mySessions(deps, call),
    },
    tradeHosted: (ask) => tradeHosted(deps, ask),
    sessionOf: async (id) => (await findSession(deps.db, id)) ?? null,
    revokeFor: (wallet, sessionId, keyId) =>
      revokeOwn(deps, { wallet, keyId: keyId ?? null, sessionId, resetCode: false }),
    cosigner: cosigner.known,
    checkSigner: signer && cosigner.check,
    async close() {
      await jobs?.stop()
      cosigner.close()
    },
  }
}

const isStart = (body: Body<'live.session.grant'>): body is StartBody => !('session_id' in body)
