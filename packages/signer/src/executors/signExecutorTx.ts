import { type Address, type Hex, signTx, type UnsignedTx } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import type { ExecutorTx, SignedExecutorTx, SignerCheck } from '@pit/signer-wire'
import { failuresOf, txRefusal } from '../checks.ts'
import { readFrozen } from '../ledger/openLedger.ts'
import { type ExecutorDeps, needExecutor, refuseSanctioned } from './deps.ts'
import { findExecutor, putExecutorTx } from './store.ts'
import { type RedeemReading, readRedeem, txRules } from './txRules.ts'

export interface SignRequest {
  executor: Address
  tx: ExecutorTx
}

/**
 * Signs an executor's transaction: one redemption of a leaf this co-signer signed for it. The nonce is stored
 * before the key is used, so that a leaf never gets a second transaction.
 */
export async function signExecutorTx(deps: ExecutorDeps, request: SignRequest): Promise<SignedExecutorTx> {
  const { db, crypto, clock, pins, prices, vault, sessions } = deps
  const { tx } = request
  const executor = await needExecutor(db, request.executor)
  refuseSanctioned(deps, executor)
  const reading = readRedeem(pins, tx.data)
  const rootHash = reading && (await routerRootOf(db, executor.address, reading))
  const session = rootHash === undefined ? null : await sessions.find(rootHash)
  if (session) refuseSanctioned(deps, { address: session.binding.executor, owner: session.binding.wallet })
  const failures = failuresOf(txRules, {
    crypto,
    pins,
    nowS: Math.floor(clock.nowMs() / 1000),
    executor,
    tx,
    reading,
    session,
    baseFeeWei: prices.isChainRead() ? prices.baseFeeWei() : null,
    whyUnread: prices.whyUnread?.() ?? null,
  })
  if (failures.length > 0) throw txRefusal(failures)
  if (!reading || !session) throw new Error('a transaction passed that was not read')

  const { sequence } = reading.terms
  const nonceFailures = await db.transaction((sql) =>
    storeNonce(sql, { executor: executor.address, rootHash: session.rootHash, sequence, nonce: tx.nonce }),
  )
  if (nonceFailures.length > 0) throw txRefusal(nonceFailures)
  const { raw, hash } = vault.withKey(executor, (key) => signTx(crypto, unsigned(), key))
  return { raw, tx_hash: hash }

  function unsigned(): UnsignedTx {
    const common = {
      chainId: pins.addresses.chainId,
      nonce: tx.nonce,
      maxPriorityFeePerGas: tx.max_priority_fee_per_gas,
      maxFeePerGas: tx.max_fee_per_gas,
      gas: BigInt(tx.gas),
      to: tx.to,
      value: tx.value_wei,
      data: tx.data,
      accessList: [],
    }
    const authorizationList = tx.authorizations ?? []
    return authorizationList.length > 0 ? { type: 4, ...common, authorizationList } : { type: 2, ...common }
  }

  async function storeNonce(
    sql: Sql,
    leaf: { executor: Address; rootHash: Hex; sequence: number; nonce: number },
  ): Promise<SignerCheck[]> {
    if (await readFrozen(sql)) fail('SIGNER_FROZEN')
    const now = await findExecutor(sql, leaf.executor, 'share')
    const failure = (rule: string, message: string): SignerCheck[] => [{ rule, ok: false, message }]
    if (!now || now.closedAtMs !== null)
      return failure('EXECUTOR_CLOSED', 'The executor is closed: its gas was refunded.')
    // Lock first, then read: values read in the locking statement would be from before it waited.
    await sql.query('select hash from roots where hash = $1 for share', [leaf.rootHash])
    const [row] = await sql.query<{ counted: boolean; revoked: boolean }>(
      `select exists (select from revocations where root_hash = hash) as revoked,
         exists (select from leaves where root_hash = hash and sequence = $2) as counted
       from roots where hash = $1`,
      [leaf.rootHash, leaf.sequence],
    )
    if (!row?.counted) return failure('LEAF', 'The ledger has no such leaf.')
    if (row.revoked) return failure('SESSION_REVOKED', 'The session was revoked.')
    const isStored = await putExecutorTx(sql, { ...leaf, atMs: clock.nowMs() })
    return isStored ? [] : failure('TX_NONCE', 'The leaf has a transaction with another nonce.')
  }
}

/** All roots of a session have the same salt, which is its binding's hash. */
async function routerRootOf(sql: Sql, executor: Address, { root }: RedeemReading): Promise<Hex | undefined> {
  const salt = `0x${root.salt.toString(16).padStart(64, '0')}`
  const [row] = await sql.query<{ hash: Hex }>(
    `select hash from roots where executor = $1 and root ->> 'salt' = $2`,
    [executor, salt],
  )
  return row?.hash
}
