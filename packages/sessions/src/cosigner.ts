import type { Address, Hex } from '@pit/chain'
import type { Logger } from '@pit/platform/logger'
import type { Cosigned, CosignParams, RegisterParams, RootStatus } from '@pit/platform/signerCalls'
import { type SignerClient, SignerUnreachable } from '@pit/platform/signerClient'
import { fail, isPitError, type RouteId, refusal, routeById } from '@pit/protocol'

/** What sessions ask of the signing process. Every refusal is one of the route's documented ones. */
export interface Cosigner {
  /** Who co-signs. Refuses SIGNER_REQUIRED without a signer, SIGNER_UNAVAILABLE while it is silent. */
  address(): Promise<Address>
  /** The same without asking: what is pinned, or was last heard. */
  known(): Address | null
  /** Asks who co-signs; false as long as nobody was heard. Never throws. */
  hear(): Promise<boolean>
  register(request: RegisterParams): Promise<void>
  /** Throws LostAnswer where nobody can tell whether the leaf was counted. */
  cosign(request: CosignParams): Promise<Cosigned>
  /** Throws in words when it does not answer, or signs nothing. */
  check(): Promise<void>
  /** What the last check found; true before the first. */
  answers(): boolean
  /** Never throws: false when it was not confirmed. */
  revoke(rootHash: Hex): Promise<boolean>
  /** Undefined when it does not answer or knows no such root. */
  root(rootHash: Hex): Promise<RootStatus | undefined>
  close(): void
}

/** The co-signer may have counted what was asked. */
export class LostAnswer extends Error {}

type Client = Pick<SignerClient, 'health' | 'registerRoot' | 'cosign' | 'revokeRoot' | 'root' | 'close'>

export function createCosigner({
  client,
  pinned,
  logger,
}: {
  /** Null: this server has no signer. */
  client: Client | null
  /** The profile's: another one is not believed. */
  pinned: Address | null
  logger: Pick<Logger, 'warn' | 'error'>
}): Cosigner {
  let heard: Address | null = null
  let answers = true
  const need = (): Client => client ?? fail('SIGNER_REQUIRED')

  async function ask(): Promise<Address> {
    const { cosigner } = await need().health()
    const address = cosigner.toLowerCase() as Address
    if (pinned !== null && address !== pinned) {
      logger.error({ pinned, heard: address }, 'the signer is not the co-signer of this chain’s profile')
      throw new SignerUnreachable('the signer is not the pinned co-signer')
    }
    heard = address
    return address
  }

  return {
    address: () => (heard === null ? reached(logger, ask) : Promise.resolve(heard)),
    known: () => heard ?? pinned,
    async hear() {
      await ask().catch(() => {})
      return heard !== null
    },
    async register(root) {
      const run = () => need().registerRoot(root)
      await reached(logger, () => documented(logger, 'live.session.grant', run))
    },
    async cosign(leaf) {
      const { cosign } = need()
      try {
        return await cosign(leaf)
      } catch (error) {
        if (isNo(error, 'live.session.trade')) throw error
        logger.warn({ err: error }, 'the signer did not answer for a leaf')
        if (error instanceof SignerUnreachable && error.nothingSent) return fail('SIGNER_UNAVAILABLE')
        throw new LostAnswer('the signer may have counted a leaf', { cause: error })
      }
    },
    async check() {
      try {
        const { frozen } = await need().health()
        // What else ails it may be ordinary, as stocks without a price on a Sunday: trades are told of it.
        if (frozen) throw new Error('frozen by its operator')
        answers = true
      } catch (error) {
        answers = false
        throw error
      }
    },
    answers: () => answers,
    async revoke(rootHash) {
      try {
        await need().revokeRoot(rootHash)
        return true
      } catch (error) {
        if (client) logger.warn({ err: error }, 'the signer did not confirm a revocation')
        return false
      }
    },
    async root(rootHash) {
      try {
        return await need().root(rootHash)
      } catch (error) {
        if (error instanceof SignerUnreachable || isPitError(error)) return undefined
        throw error
      }
    },
    close: () => client?.close(),
  }
}

/**
 * A refusal the route knows, made before anything was counted. Any other answer, such as that its store
 * failed it in the middle, leaves open what was.
 */
const isNo = (error: unknown, route: RouteId): boolean =>
  isPitError(error) && error.code !== 'ENGINE_UNAVAILABLE' && routeById(route).errors.includes(error.code)

async function reached<T>(logger: Pick<Logger, 'warn'>, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof SignerUnreachable)) throw error
    logger.warn({ err: error }, 'the signer cannot be used')
    return fail('SIGNER_UNAVAILABLE')
  }
}

/** Its refusals are passed on as they are, if the route knows them: nothing else is the caller's to read. */
async function documented<T>(
  logger: Pick<Logger, 'error'>,
  route: RouteId,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!isPitError(error) || isNo(error, route)) throw error
    logger.error({ err: error, route }, 'the signer refused with a code this route does not have')
    throw refusal('SIGNER_UNAVAILABLE')
  }
}
