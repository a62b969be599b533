import type { Address, Hex } from '@pit/chain'
import { withinMs } from '@pit/platform/clock'
import type { Logger } from '@pit/platform/monitoring'
import { fail, isPitError, type RouteId, refusal, routeById } from '@pit/protocol'
import {
  type CancelOrdersParams,
  type ControlLevels,
  type Cosigned,
  type CosignParams,
  type RegisteredOrders,
  type RegisterOrdersParams,
  type RegisterParams,
  type Rehearsal,
  type RootStatus,
  type SettledLeaf,
  type SettleParams,
  type SignedReceipt,
  type SignerClient,
  SignerUnreachable,
} from '@pit/signer-wire'

/** Calls of the signing process. Every refusal is one of the route's documented codes. */
export interface Cosigner {
  /**
   * Address of the co-signer. Throws SIGNER_REQUIRED without a signer, SIGNER_UNAVAILABLE if it does not
   * answer.
   */
  address(): Promise<Address>
  /** The pinned or last reported address, without a call. */
  currentAddress(): Address | null
  /** Requests the address; false until one is known. Never throws. */
  refreshAddress(): Promise<boolean>
  register(request: RegisterParams): Promise<void>
  /** Throws LostAnswer if it is unknown whether the leaf was counted. */
  cosign(request: CosignParams): Promise<Cosigned>
  /** Every rule of the co-signer with its verdict; counts nothing. */
  rehearse(request: CosignParams): Promise<Rehearsal>
  registerOrders(request: RegisterOrdersParams): Promise<RegisteredOrders>
  /** A receipt for each order that ended. */
  cancelOrders(request: CancelOrdersParams): Promise<{ receipts: SignedReceipt[] }>
  /** Names the transaction that used a leaf; the co-signer reads it on the chain. */
  settleLeaf(request: SettleParams): Promise<SettledLeaf>
  /** Throws an error with a readable message if the signer does not answer or does not sign. */
  check(): Promise<void>
  /** Result of the last check; true before the first. */
  answers(): boolean
  /** Never throws; null if not confirmed. With a challenge there is a receipt, if the signer gives one. */
  revoke(rootHash: Hex, challenge?: Hex): Promise<{ receipt: SignedReceipt | null } | null>
  /** Never throws; empty if the signer does not answer in time. */
  levels(rootHashes: readonly Hex[]): Promise<readonly ControlLevels[]>
  /** Undefined if the signer does not answer or does not know the root. */
  root(rootHash: Hex): Promise<RootStatus | undefined>
  close(): void
}

/** A list of sessions does not wait longer for its levels. */
const LEVELS_WAIT_MS = 1_000

/** The co-signer may have counted the request. */
export class LostAnswer extends Error {}

/** Calls of the signer that sessions make. */
export type CosignerClient = Pick<
  SignerClient,
  | 'health'
  | 'registerRoot'
  | 'registerOrders'
  | 'cancelOrders'
  | 'cosign'
  | 'rehearse'
  | 'revokeRoot'
  | 'root'
  | 'levels'
  | 'settleLeaf'
  | 'close'
>

export function createCosigner({
  client,
  pinned,
  logger,
}: {
  /** Null if this server has no signer. */
  client: CosignerClient | null
  /** The profile's co-signer; any other is rejected. */
  pinned: Address | null
  logger: Pick<Logger, 'warn' | 'error'>
}): Cosigner {
  let reported: Address | null = null
  let answers = true
  const need = (): CosignerClient => client ?? fail('SIGNER_REQUIRED')

  async function readAddress(): Promise<Address> {
    const { cosigner } = await need().health()
    const address = cosigner.toLowerCase() as Address
    if (pinned !== null && address !== pinned) {
      logger.error({ pinned, reported: address }, 'the signer is not the co-signer of this chain’s profile')
      throw new SignerUnreachable('the signer is not the pinned co-signer')
    }
    reported = address
    return address
  }

  return {
    address: () => (reported === null ? reached(logger, readAddress) : Promise.resolve(reported)),
    currentAddress: () => reported ?? pinned,
    async refreshAddress() {
      await readAddress().catch(() => {})
      return reported !== null
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
        if (isRefusal(error, 'live.session.trade')) throw error
        logger.warn({ err: error }, 'the signer did not answer a leaf request')
        if (error instanceof SignerUnreachable && error.nothingSent) return fail('SIGNER_UNAVAILABLE')
        throw new LostAnswer('the signer may have counted a leaf', { cause: error })
      }
    },
    registerOrders: (request) =>
      reached(logger, () => documented(logger, 'live.session.trade', () => need().registerOrders(request))),
    cancelOrders: (request) =>
      reached(logger, () =>
        documented(logger, 'live.session.orders.cancel', () => need().cancelOrders(request)),
      ),
    settleLeaf: (request) => need().settleLeaf(request),
    rehearse: (leaf) =>
      reached(logger, () => documented(logger, 'live.session.trade', () => need().rehearse(leaf))),
    async check() {
      try {
        const { frozen } = await need().health()
        // Other problems may be normal, such as stocks without a price on a Sunday; trades report them.
        if (frozen) throw new Error('frozen by its operator')
        answers = true
      } catch (error) {
        answers = false
        throw error
      }
    },
    answers: () => answers,
    async revoke(rootHash, challenge) {
      try {
        const { receipt = null } = await (challenge
          ? need().revokeRoot(rootHash, challenge)
          : need().revokeRoot(rootHash))
        return { receipt }
      } catch (error) {
        if (client) logger.warn({ err: error }, 'the signer did not confirm a revocation')
        return null
      }
    },
    async levels(rootHashes) {
      if (!client || rootHashes.length === 0) return []
      const tooLate = () => new SignerUnreachable(`no levels in ${LEVELS_WAIT_MS} ms`)
      try {
        return (await withinMs(LEVELS_WAIT_MS, client.levels(rootHashes), tooLate)).levels
      } catch (error) {
        logger.warn({ err: error }, 'the signer did not report the levels of controls')
        return []
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
 * A refusal declared by the route, sent before anything was counted. Any other error, such as a failed store,
 * leaves open whether it was counted.
 */
const isRefusal = (error: unknown, route: RouteId): boolean =>
  isPitError(error) && error.code !== 'ENGINE_UNAVAILABLE' && routeById(route).errors.includes(error.code)

async function reached<T>(logger: Pick<Logger, 'warn'>, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof SignerUnreachable)) throw error
    logger.warn({ err: error }, 'the signer is unavailable')
    return fail('SIGNER_UNAVAILABLE')
  }
}

/** Passes on refusals that the route declares; hides all others. */
async function documented<T>(
  logger: Pick<Logger, 'error'>,
  route: RouteId,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!isPitError(error) || isRefusal(error, route)) throw error
    logger.error({ err: error, route }, 'the signer refused with a code that the route does not declare')
    throw refusal('SIGNER_UNAVAILABLE')
  }
}
