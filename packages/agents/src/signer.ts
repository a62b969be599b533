import type { Address } from '@pit/chain'
import {
  executorAttestationText,
  fail,
  isPitError,
  lower,
  type RouteId,
  refusal,
  routeById,
} from '@pit/protocol'
import { type AttestedExecutor, SignerUnreachable } from '@pit/signer-wire'
import type { ExecutorSigner, HostedDeps } from './deps.ts'

/** Calls the signing service; passes on refusals that the route declares. */
export async function askSigner<T>(
  { signer, logger }: Pick<HostedDeps, 'signer' | 'logger'>,
  route: RouteId,
  ask: (signer: ExecutorSigner) => Promise<T>,
): Promise<T> {
  if (signer === null) return fail('SIGNER_REQUIRED')
  try {
    return await ask(signer)
  } catch (error) {
    if (error instanceof SignerUnreachable) {
      logger.warn({ err: error, route }, 'the signer did not respond')
      return fail('SIGNER_UNAVAILABLE')
    }
    if (!isPitError(error) || routeById(route).errors.includes(error.code)) throw error
    logger.warn({ err: error, route }, 'the signer refused with a code that the route does not declare')
    throw refusal('SIGNER_UNAVAILABLE', {
      message: `The signing service refused: ${error.message}`,
      ...(error.retryAfterS !== undefined && { retryAfterS: error.retryAfterS }),
    })
  }
}

export interface Attested {
  executor: Address
  owner: Address
  agentId: string
  attestation: AttestedExecutor
}

/** Whether the co-signer signed exactly these values, rebuilt here. */
export function isAttested(
  { crypto, profile, cosigner }: Pick<HostedDeps, 'crypto' | 'profile' | 'cosigner'>,
  { executor, owner, agentId, attestation }: Attested,
): boolean {
  const { text, signature } = attestation
  if (text !== executorAttestationText({ executor, owner, agentId, chainId: profile.chain_id })) return false
  const signedBy = crypto.recoverMessage(text, signature)
  return signedBy !== undefined && signedBy === lower(attestation.cosigner) && signedBy === cosigner()
}

/** A new key for the agent, created and attested by the signing service. */
export async function newExecutor(
  deps: HostedDeps,
  route: 'hosted.create' | 'hosted.rotate_executor',
  { agentId, owner }: Pick<Attested, 'agentId' | 'owner'>,
): Promise<Attested> {
  const first = route === 'hosted.create' && ({ first: true } as const)
  const created = await askSigner(deps, route, (signer) =>
    signer.createExecutor({ agent_id: agentId, owner, ...first }),
  )
  const attested = { executor: lower(created.executor), owner, agentId, attestation: created.attestation }
  if (!isAttested(deps, attested)) {
    deps.logger.error({ agentId }, 'the attestation of an executor is not signed by the co-signer')
    fail('EXECUTOR_ATTESTATION')
  }
  return attested
}
