import type { Address } from '@pit/chain'
import type { SignerClient } from '@pit/platform/signerClient'
import type { Body } from '@pit/protocol'
import type { Handlers } from '../../http/types.ts'
import { type Cosigner, createCosigner } from './cosigner.ts'
import type { SessionDeps, SessionOptions } from './deps.ts'
import type { StartBody } from './grant/readGrant.ts'
import { startGrant } from './grant/startGrant.ts'
import { switchOn } from './grant/switchOn.ts'
import { runJobs } from './jobs.ts'
import { mySessions, type ReadHosted } from './mySessions.ts'
import { lower, sessionPlaceOf } from './place.ts'
import { revokeSession } from './revoke/revokeSession.ts'
import { tradeSession } from './trade/tradeSession.ts'

export type SessionRoute = 'live.session.grant' | 'live.session.trade' | 'live.session.revoke' | 'me.sessions'

export interface Sessions {
  handlers: Pick<Handlers, SessionRoute>
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
    cosigner: cosigner.known,
    checkSigner: signer && cosigner.check,
    async close() {
      await jobs?.stop()
      cosigner.close()
    },
  }
}

const isStart = (body: Body<'live.session.grant'>): body is StartBody => !('session_id' in body)
