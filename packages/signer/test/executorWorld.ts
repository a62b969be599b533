import {
  type Address,
  type Delegation,
  encodeRedeem,
  type Hex,
  NATIVE,
  type SessionRoot,
  serializeSignature,
  sessionLeaf,
  signDelegation,
} from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { quantity, rpcOf } from '@pit/platform/test/scriptedChain'
import { executorAttestationText, isPitError } from '@pit/protocol'
import type { ExecutorTx, SignerCheck } from '@pit/signer-wire'
import { createExecutor } from '../src/executors/createExecutor.ts'
import type { ExecutorDeps } from '../src/executors/deps.ts'
import { openVault } from '../src/executors/openVault.ts'
import type { Cosigner } from '../src/keys/createCosigner.ts'
import { openLedger } from '../src/ledger/openLedger.ts'
import type { LeafVerdict } from '../src/ledger/types.ts'
import { openSessions } from '../src/roots/openSessions.ts'
import {
  CURVE,
  crypto,
  grant,
  JUNK,
  JUNK_MARK,
  KEYS,
  makeBinding,
  NOW_S,
  PINS,
  storedOf,
  swapCall,
  WHO,
} from './kit.ts'

export const BASE_FEE = 10_000_000n
export const PASSPHRASE = 'a passphrase of the tests'

type RouterRoot = Extract<SessionRoot, { kind: 'router' }>

let calls = 0
export const callNonce = (): string => (calls++).toString(16).padStart(32, '0')

/** Executors on a real store; the chain is a table of balances and nonces. */
export async function openExecutorWorld(db: Db) {
  const time = { nowMs: NOW_S * 1000 }
  const clock = { nowMs: () => time.nowMs }
  const chain = {
    silent: false,
    isRead: true,
    balance: 10n ** 16n,
    nonce: 0,
    pending: null as number | null,
    gas: 21_000n as bigint | Error,
    receipts: new Map<Hex, object>(),
  }
  const sanctioned = new Set<string>()
  const rpc = rpcOf(async (method, params) => {
    if (chain.silent) throw new Error('no answer')
    switch (method) {
      case 'eth_getTransactionCount':
        return quantity(params[1] === 'pending' ? (chain.pending ?? chain.nonce) : chain.nonce)
      case 'eth_getBalance':
        return quantity(chain.balance)
      case 'eth_getBlockByNumber':
        return { baseFeePerGas: quantity(BASE_FEE) }
      case 'eth_getTransactionReceipt':
        return chain.receipts.get(params[0] as Hex) ?? null
      case 'eth_estimateGas':
        if (chain.gas instanceof Error) throw chain.gas
        return quantity(chain.gas)
      default:
        throw new Error(`unexpected ${method}`)
    }
  })
  const cosigner: Cosigner = {
    address: WHO.cosigner,
    sign: () => {
      throw new Error('leaves are signed by the test')
    },
    attest: async (executor) => {
      const text = executorAttestationText(executor)
      return { text, signature: serializeSignature(crypto.sign(crypto.hashMessage(text), KEYS.cosigner)) }
    },
    confirm: () => {
      throw new Error('executors have no receipts')
    },
    trouble: () => null,
    close: () => {},
  }
  const vault = await openVault({ db, crypto, cosigner: WHO.cosigner, passphrase: PASSPHRASE, n: 2 ** 15 })
  const ledger = openLedger({ db, clock })
  const sessions = openSessions({ crypto, pins: PINS, ledger })
  const deps: ExecutorDeps = {
    db,
    crypto,
    clock,
    rpc,
    pins: PINS,
    prices: { isChainRead: () => chain.isRead, baseFeeWei: () => BASE_FEE },
    cosigner,
    vault,
    sessions,
    isSanctioned: (address) => sanctioned.has(address),
  }

  const count = (root: RouterRoot, { touchesStock = false } = {}): Promise<LeafVerdict> =>
    ledger.countLeaf({
      rootHash: root.hash,
      limits: { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 50 },
      microUsd: 1_000_000n,
      touchesStock,
      failures: [],
      sequence: undefined,
      executionHash: 'aa',
      callNonce: callNonce(),
    })

  return {
    deps,
    time,
    chain,
    sanctioned,
    ledger,
    create: async (agentId = 'agt_1', owner = WHO.wallet): Promise<Address> =>
      (await createExecutor(deps, { agentId, owner, callNonce: callNonce() })).executor,
    /** A session its owner granted to the executor, registered. */
    async register(executor: Address, { curves = false } = {}) {
      const binding = curves
        ? makeBinding({ executor, tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK] })
        : makeBinding({ executor })
      const granted = grant(binding, { curves: curves ? [CURVE] : [] })
      const stored = storedOf(granted, curves ? { [CURVE]: JUNK } : {})
      const outcome = await ledger.register(stored)
      if (outcome !== 'registered') throw new Error(outcome)
      const session = await sessions.find(stored.hash)
      return { stored, session: session! }
    },
    count,
    /** Counted and signed, as the co-signer does. */
    async cosign(root: RouterRoot, options: { touchesStock?: boolean } = {}) {
      const execution = swapCall()
      const verdict = await count(root, options)
      if (!verdict.ok) return verdict.failures.map(({ rule }: SignerCheck) => rule)
      const nowS = Math.floor(time.nowMs / 1000)
      const leaf = sessionLeaf(PINS.addresses, { root, execution, sequence: verdict.sequence, nowS })
      return { execution, leaf: signDelegation(crypto, PINS.addresses, leaf, KEYS.cosigner) }
    },
  }
}
export type ExecutorWorld = Awaited<ReturnType<typeof openExecutorWorld>>

export function redeemTx(
  { leaf, execution }: { leaf: Delegation; execution: ReturnType<typeof swapCall> },
  root: Delegation,
  change: Partial<ExecutorTx> = {},
): ExecutorTx {
  return {
    to: PINS.addresses.manager,
    value_wei: 0n,
    data: encodeRedeem([{ delegations: [leaf, root], execution }]),
    nonce: 0,
    gas: 900_000,
    max_fee_per_gas: 2n * BASE_FEE,
    max_priority_fee_per_gas: 0n,
    ...change,
  }
}

/** The code of a refusal, with the rules that failed. */
export async function refusedAs(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => 'not refused',
    (reason: unknown) => reason,
  )
  if (!isPitError(error)) return error instanceof Error ? (error.stack ?? error.message) : String(error)
  const checks = (error.extras['signer_checks'] ?? error.extras['checks']) as SignerCheck[] | undefined
  return [error.code, ...(checks ?? []).map(({ rule }) => rule)].join(' ')
}

export async function emptyExecutors(db: Db): Promise<void> {
  for (const table of [
    'executor_txs',
    'refunds',
    'stock_attestations',
    'executors',
    'leaves',
    'revocations',
    'roots',
  ])
    await db.query(`delete from ${table}`)
  await db.query('update state set frozen = false')
}
