import { type Address, NATIVE } from '@pit/chain'
import { executorAttestationText, fail } from '@pit/protocol'
import type { CreatedExecutor, ExecutorStatus } from '@pit/signer-wire'
import { readFrozen } from '../ledger/openLedger.ts'
import type { Pins } from '../pins.ts'
import { type ExecutorDeps, needExecutor, refuseSanctioned } from './deps.ts'
import {
  activeRoots,
  addExecutor,
  countExecutors,
  findExecutor,
  findLastRefund,
  findStockAttestation,
  holdFirst,
  stockNotBefore,
} from './store.ts'
import type { Executor } from './types.ts'

/** Enough for twenty agents whose keys are changed now and then. */
const MAX_PER_OWNER = 1_000

export interface CreateRequest {
  agentId: string
  owner: Address
  callNonce: string
  /** The agent's first key, which may exist already from a call whose response was lost. */
  isFirst?: boolean
}

/**
 * Creates a key for a hosted agent, with the co-signer's attestation of its owner; both are stored before the
 * response.
 */
export async function createExecutor(deps: ExecutorDeps, request: CreateRequest): Promise<CreatedExecutor> {
  const { db, clock, pins, cosigner, vault } = deps
  const { agentId, owner, callNonce, isFirst } = request
  if (!canOwnExecutor(pins, owner))
    fail('BAD_REQUEST', { field: 'owner', message: '`owner` cannot own an executor.' })
  const { address, sealed } = vault.make()
  refuseSanctioned(deps, { address, owner })
  const { signature } = await cosigner.attest({
    executor: address,
    owner,
    agentId,
    chainId: pins.addresses.chainId,
  })
  const executor: Executor = {
    address,
    agentId,
    owner,
    sealedKey: sealed,
    attestationSignature: signature,
    createdAtMs: clock.nowMs(),
    closedAtMs: null,
  }
  const before = await db.transaction(async (sql) => {
    if (await readFrozen(sql)) fail('SIGNER_FROZEN')
    const existing = isFirst ? await holdFirst(sql, { agentId, owner }) : null
    if (existing) return existing
    // An executor that owns executors could receive gas that cannot be withdrawn.
    if (await findExecutor(sql, owner)) fail('BAD_REQUEST', { field: 'owner' })
    if ((await countExecutors(sql, owner)) >= MAX_PER_OWNER) fail('TOO_MANY_AGENTS')
    if (!(await addExecutor(sql, executor, callNonce)))
      fail('UNAUTHORIZED', { message: 'Duplicate request.' })
    return null
  })
  const made = before ?? executor
  return {
    executor: made.address,
    attestation: {
      text: executorAttestationText({
        executor: made.address,
        owner,
        agentId,
        chainId: pins.addresses.chainId,
      }),
      signature: made.attestationSignature,
      cosigner: cosigner.address,
    },
  }
}

/** False for the co-signer and the contracts in the pins. */
export function canOwnExecutor(
  { addresses, cosigner, router, weth, feeRecipient }: Pins,
  address: Address,
): boolean {
  const others: readonly Address[] = [
    NATIVE,
    cosigner,
    router,
    weth,
    feeRecipient,
    addresses.manager,
    addresses.delegator,
  ]
  return !others.includes(address)
}

/** An executor's state as the signer returns it. */
export async function describeExecutor(deps: ExecutorDeps, address: Address): Promise<ExecutorStatus> {
  const { db, clock, pins, cosigner } = deps
  const executor = await needExecutor(db, address)
  const { agentId, owner, closedAtMs } = executor
  const nowS = Math.floor(clock.nowMs() / 1000)
  const [active, stock, notBefore, refund] = await Promise.all([
    activeRoots(db, address, nowS),
    findStockAttestation(db, address),
    stockNotBefore(db, agentId),
    findLastRefund(db, address),
  ])
  return {
    executor: address,
    owner,
    agent_id: agentId,
    created_at: inS(executor.createdAtMs),
    closed: closedAtMs !== null,
    closed_at: closedAtMs === null ? null : inS(closedAtMs),
    attestation: {
      text: executorAttestationText({ executor: address, owner, agentId, chainId: pins.addresses.chainId }),
      signature: executor.attestationSignature,
      cosigner: cosigner.address,
    },
    active_roots: active,
    stock:
      stock?.rootHash == null
        ? null
        : {
            session_id: stock.sessionId!,
            root_hash: stock.rootHash,
            issued: stock.issuedS!,
            expires: stock.expiresS!,
            revoked_at: stock.revokedAtMs === null ? null : inS(stock.revokedAtMs),
          },
    stock_not_before: notBefore,
    refund: refund && {
      tx_hash: refund.txHash,
      nonce: refund.nonce,
      value_wei: refund.valueWei.toString(),
      signed_at: inS(refund.signedAtMs),
    },
  }
}

const inS = (ms: number): number => Math.floor(ms / 1000)
