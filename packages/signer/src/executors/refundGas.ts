import { type Address, type Hex, LEAF_TTL_S, signTx } from '@pit/chain'
import { askBaseFee, askEther, askNonce, askReceipt, needAll, readOne } from '@pit/platform/reads'
import { RpcError } from '@pit/platform/rpc'
import { COSIGNER, fail, isPitError, maxOf } from '@pit/protocol'
import type { SignedRefund, SignerCheck } from '@pit/signer-wire'
import { unreadMessage } from '../checks.ts'
import { readFrozen } from '../ledger/openLedger.ts'
import { canOwnExecutor } from './createExecutor.ts'
import { type ExecutorDeps, needExecutor, refuseSanctioned } from './deps.ts'
import {
  activeRoots,
  addRefund,
  closeExecutor,
  findExecutor,
  findLastRefund,
  lastOpenLeaf,
  lockRoots,
} from './store.ts'
import type { Executor, Refund } from './types.ts'

/** The chain's clock may be behind, so a leaf counts as live a little past its end. */
const LEAF_LIVES_MS = (LEAF_TTL_S + COSIGNER.callWindowS) * 1000
/** Fee cap of the transfer in base fees; the unused part stays with the executor. */
const BASE_FEES = 2n

/**
 * Refunds an executor's gas: closes the executor permanently, then signs one plain transfer of its balance,
 * less that transfer's own gas, to the owner on record. A repeated call returns the same bytes while they can
 * still be mined or were mined; it signs a new transfer only if the chain shows that the nonce was used by
 * another transaction, or that more ETH arrived later.
 */
export async function refundGas(deps: ExecutorDeps, address: Address): Promise<SignedRefund> {
  const { db, pins } = deps
  const executor = await needExecutor(db, address)
  refuseSanctioned(deps, executor)
  if (!canOwnExecutor(pins, executor.owner) || (await findExecutor(db, executor.owner))) fail('REFUND_OWNER')
  const chain = await readAccount(deps, address)
  await close(deps, executor, chain)

  const last = await findLastRefund(db, address)
  if (last) {
    const stands = await refundState(deps, last, chain)
    if (stands === 'ahead') fail('REFUND_IN_FLIGHT')
    if (stands === 'same') return describe(last, true)
  }
  if (chain.pendingNonce > chain.nonce)
    refuse('TX_PENDING', 'The executor has a pending transaction.', chain.pendingNonce, chain.nonce)
  const refund = await build(deps, executor, chain)
  const earlier = await storeRefund(deps, refund)
  return earlier ? describe(earlier, true) : describe(refund, false)
}

/**
 * Closes the executor before anything is signed. Refused while a session of it can still be co-signed or a
 * transaction it signed can still trade.
 */
async function close({ db, clock }: ExecutorDeps, { address }: Executor, { nonce }: Account): Promise<void> {
  await db.transaction(async (sql) => {
    if (await readFrozen(sql)) fail('SIGNER_FROZEN')
    await findExecutor(sql, address, 'update')
    await lockRoots(sql, address)
    const nowMs = clock.nowMs()
    const active = await activeRoots(sql, address, Math.floor(nowMs / 1000))
    if (active > 0) refuse('SESSION_ACTIVE', 'A session for the executor can still be co-signed.', active, 0)
    const leafAtMs = await lastOpenLeaf(sql, address, nonce)
    const leftMs = leafAtMs === null ? 0 : leafAtMs + LEAF_LIVES_MS - nowMs
    if (leftMs > 0) {
      const leftS = Math.ceil(leftMs / 1000)
      refuse('LEAF_LIVE', `A signed trade of the executor may still be mined for ${leftS} s.`, leftS, 0)
    }
    await closeExecutor(sql, address, nowMs)
  })
}

function refuse(rule: string, message: string, value: string | number, limit: string | number): never {
  const check: SignerCheck = { rule, ok: false, message, value, limit }
  fail('REFUND_REFUSED', { message, checks: [check] })
}

interface Account {
  /** Of the last block. */
  nonce: number
  pendingNonce: number
  balanceWei: bigint
  baseFeeWei: bigint
}

const QUANTITY = /^0x[0-9a-f]{1,64}$/i

async function readAccount({ rpc, prices }: ExecutorDeps, address: Address): Promise<Account> {
  const requests = [
    askNonce(address),
    askNonce(address, 'pending'),
    askEther(address),
    askBaseFee('latest'),
  ] as const
  const values = await needAll(rpc, requests).catch(() =>
    fail('CHAIN_UNAVAILABLE', { message: unreadMessage(prices.whyUnread?.()) }),
  )
  const [nonce, pendingNonce, balanceWei, baseFeeWei] = values
  return { nonce, pendingNonce, balanceWei, baseFeeWei: baseFeeWei ?? fail('CHAIN_UNAVAILABLE') }
}

/**
 * Whether the refund signed last is still the one to send. The receipt is read after the nonce: a refund that
 * used the nonce has one by then.
 */
async function refundState(
  { rpc }: ExecutorDeps,
  last: Refund,
  { nonce, balanceWei }: Account,
): Promise<'same' | 'ahead' | 'over'> {
  if (nonce < last.nonce) return 'ahead'
  if (nonce === last.nonce) return 'same'
  const receipt = await readOne(rpc, askReceipt(last.txHash)).catch(() => fail('CHAIN_UNAVAILABLE'))
  if (!receipt?.ok) return 'over'
  // The refund leaves at most its own gas behind; anything more arrived later.
  return balanceWei > last.balanceWei - last.valueWei ? 'over' : 'same'
}

async function build(
  { rpc, crypto, pins, vault, clock }: ExecutorDeps,
  executor: Executor,
  { nonce, balanceWei, baseFeeWei }: Account,
): Promise<Refund> {
  const { address, owner } = executor
  const gas = await estimate()
  const maxFeePerGasWei = maxOf(baseFeeWei * BASE_FEES, 1n)
  const costWei = gas * maxFeePerGasWei
  if (balanceWei <= costWei) {
    const message = 'Nothing is left above the gas of sending it back.'
    refuse('BALANCE', message, balanceWei.toString(), costWei.toString())
  }
  const valueWei = balanceWei - costWei
  const { raw, hash } = vault.withKey(executor, (key) =>
    signTx(
      crypto,
      {
        type: 2,
        chainId: pins.addresses.chainId,
        nonce,
        maxPriorityFeePerGas: 0n,
        maxFeePerGas: maxFeePerGasWei,
        gas,
        to: owner,
        value: valueWei,
        data: '0x',
        accessList: [],
      },
      key,
    ),
  )
  return {
    executor: address,
    nonce,
    to: owner,
    valueWei,
    balanceWei,
    gas: Number(gas),
    maxFeePerGasWei,
    raw,
    txHash: hash,
    signedAtMs: clock.nowMs(),
  }

  /** A wallet with code needs more than 21,000 gas; one that refuses ETH cannot be paid. */
  async function estimate(): Promise<bigint> {
    try {
      const call = { from: address, to: owner, value: '0x1' }
      const answer = await rpc.request<Hex>('eth_estimateGas', [call])
      if (!QUANTITY.test(answer)) return fail('CHAIN_UNAVAILABLE')
      const gas = BigInt(answer)
      // Margin: the wallet's code or the rollup's data may cost a little more when it is mined.
      const roomy = gas > PLAIN_GAS ? (gas * 5n) / 4n : PLAIN_GAS
      return roomy <= MAX_GAS ? roomy : fail('REFUND_GAS')
    } catch (error) {
      if (isPitError(error)) throw error
      return fail(error instanceof RpcError ? 'REFUND_GAS' : 'CHAIN_UNAVAILABLE')
    }
  }
}
const PLAIN_GAS = 21_000n
const MAX_GAS = 500_000n

/**
 * Stores the refund before the response. Of two concurrent calls the second returns the first one's refund.
 */
async function storeRefund({ db }: ExecutorDeps, refund: Refund): Promise<Refund | null> {
  return db.transaction(async (sql) => {
    if (await readFrozen(sql)) fail('SIGNER_FROZEN')
    await findExecutor(sql, refund.executor, 'update')
    const last = await findLastRefund(sql, refund.executor)
    if (last && last.nonce >= refund.nonce) return last
    await addRefund(sql, refund)
    return null
  })
}

const describe = (refund: Refund, already: boolean): SignedRefund => ({
  raw: refund.raw,
  tx_hash: refund.txHash,
  executor: refund.executor,
  to: refund.to,
  value_wei: refund.valueWei.toString(),
  balance_wei: refund.balanceWei.toString(),
  nonce: refund.nonce,
  gas: refund.gas,
  max_fee_per_gas: refund.maxFeePerGasWei.toString(),
  already,
  closed: true,
})
