import { randomBytes } from 'node:crypto'
import type { Delegation, Hex } from '@pit/chain'
import type { Timer } from '@pit/platform/clock'
import { ExchangeFailed, type HttpAnswer, keepConnections } from '@pit/platform/http'
import {
  ERRORS,
  type ErrorCode,
  errorRow,
  PitError,
  type RefusalCode,
  type RefusalDetails,
} from '@pit/protocol'
import {
  type AttestStockRequest,
  CALL_HEADERS,
  type Cosigned,
  type CosignParams,
  type CreatedExecutor,
  type CreateExecutorRequest,
  callSignature,
  type ExecutorStatus,
  type ExecutorTx,
  fromWireDelegation,
  type LostByRestore,
  type RegisterParams,
  type RootStatus,
  type SignedExecutorTx,
  type SignedRefund,
  type SignerHealth,
  toWireDelegation,
  toWireExecution,
  toWireExecutorTx,
} from './calls.ts'
import type {
  CancelOrdersParams,
  ControlLevels,
  ControlsStatus,
  OrderStatesParams,
  RegisteredOrders,
  RegisterOrdersParams,
  Rehearsal,
  SettledLeaf,
  SettleParams,
  SignedReceipt,
} from './orders.ts'
import { handshakeInWords, socketOf, type TlsIdentity } from './signerWay.ts'

/** No usable response. A requested leaf may be counted all the same. */
export class SignerUnreachable extends Error {
  /** The connection was refused: nothing can have been counted. */
  readonly nothingSent: boolean
  constructor(
    message: string,
    { nothingSent = false, cause }: { nothingSent?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.nothingSent = nothingSent
  }
}

export type SignerClient = ReturnType<typeof createSignerClient>

const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_CONNECTIONS = 256
const RETRY_MS = 100

/**
 * The server's client of the signer. A refusal is thrown as the PitError the signer names, with its
 * `signer_checks`; any other failure as SignerUnreachable.
 */
export function createSignerClient({
  url,
  secret,
  clock,
  tls = null,
  timeoutMs = 10_000,
  restartMs = 0,
}: {
  /** `http://…`, `https://…` or `unix:` and a path. */
  url: string
  secret: string
  clock: Timer
  /** For https: trusted certificates and the client certificate. */
  tls?: TlsIdentity | null
  timeoutMs?: number
  /** A signer that answered this recently is assumed to be restarting: an unconnected call waits for it. */
  restartMs?: number
}) {
  const socketPath = socketOf(url)
  const connections = keepConnections({
    url: new URL(socketPath === undefined ? url : 'http://signer'),
    socketPath,
    ...(tls && { tls: { ...tls, minVersion: 'TLSv1.3' as const } }),
    maxConnections: MAX_CONNECTIONS,
  })

  let lastAnswerMs = Number.NEGATIVE_INFINITY
  /** Waits for a restarting signer. Retries only if no connection was made. */
  async function post(method: 'GET' | 'POST', path: string, body: string): Promise<HttpAnswer> {
    for (;;) {
      try {
        const answer = await postOnce(method, path, body)
        lastAnswerMs = clock.nowMs()
        return answer
      } catch (error) {
        const isRestarting = clock.nowMs() < lastAnswerMs + restartMs
        if (!isRestarting || !(error instanceof SignerUnreachable) || !error.nothingSent) throw error
        await clock.sleep(RETRY_MS)
      }
    }
  }

  async function postOnce(method: 'GET' | 'POST', path: string, body: string): Promise<HttpAnswer> {
    const timeMs = clock.nowMs()
    const nonce = randomBytes(16).toString('hex')
    const headers: Record<string, string> = {
      [CALL_HEADERS.time]: String(timeMs),
      [CALL_HEADERS.nonce]: nonce,
      [CALL_HEADERS.signature]: callSignature(secret, { method, path, body, timeMs, nonce }),
    }
    if (method === 'POST') headers['content-type'] = 'application/json'
    const outcome = await connections.exchange({
      method,
      path,
      headers,
      timeoutMs,
      ...(method === 'POST' ? { body } : {}),
      maxAnswerBytes: MAX_ANSWER_BYTES,
    })
    if (outcome.kind === 'answer') return outcome
    const why = handshakeInWords(outcome.code) ?? outcome.why
    throw new SignerUnreachable(`the signer did not answer: ${why}`, {
      // A read has no effect, so a kept-alive connection closed under it counts as no connection.
      nothingSent: outcome.kind === 'unreachable' || (method === 'GET' && outcome.onStaleConnection),
      cause: new ExchangeFailed(outcome),
    })
  }

  async function call<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const { status, text } = await post(method, path, body === undefined ? '' : JSON.stringify(body))
    let answer: unknown
    try {
      answer = JSON.parse(text)
    } catch {
      throw new SignerUnreachable(`the signer responded with status ${status} and no JSON`)
    }
    if (status === 200) return answer as T
    throw refusalOf(status, answer)
  }

  return {
    health: () => call<SignerHealth>('GET', '/health'),
    registerRoot: ({ root, curve_roots, ...rest }: RegisterParams) =>
      call<{ root_hash: Hex; registered: true }>('POST', '/roots', {
        ...rest,
        root: toWireDelegation(root),
        curve_roots: curve_roots.map(toWireDelegation),
      }),
    async cosign({ execution, curve_fee, ...rest }: CosignParams): Promise<Cosigned> {
      const answer = await call<Omit<Cosigned, 'leaf' | 'fee_leaf'> & { leaf: unknown; fee_leaf?: unknown }>(
        'POST',
        '/leaves',
        {
          ...rest,
          execution: toWireExecution(execution),
          ...(curve_fee && { curve_fee: { amount_wei: curve_fee.amount_wei.toString() } }),
        },
      )
      const { leaf, fee_leaf, ...others } = answer
      return {
        ...others,
        leaf: delegationOf(leaf),
        ...(fee_leaf !== undefined && { fee_leaf: delegationOf(fee_leaf) }),
      }
    },
    /** With a challenge the answer has the co-signer's receipt. */
    revokeRoot: (rootHash: Hex, challenge?: Hex) =>
      call<{ revoked: true; revoked_at: number; receipt?: SignedReceipt }>('POST', '/roots/revoke', {
        root_hash: rootHash,
        ...(challenge && { challenge }),
      }),
    /** Every rule with its verdict; nothing is signed or counted. */
    rehearse: ({ execution, curve_fee, ...rest }: CosignParams) =>
      call<Rehearsal>('POST', '/leaves/check', {
        ...rest,
        execution: toWireExecution(execution),
        ...(curve_fee && { curve_fee: { amount_wei: curve_fee.amount_wei.toString() } }),
      }),
    registerOrders: (request: RegisterOrdersParams) => call<RegisteredOrders>('POST', '/orders', request),
    cancelOrders: (request: CancelOrdersParams) =>
      call<{ receipts: SignedReceipt[] }>('POST', '/orders/cancel', request),
    /** How orders stand, signed; changes nothing. */
    confirmStates: (request: OrderStatesParams) =>
      call<{ receipts: SignedReceipt[] }>('POST', '/orders/states', request),
    controls: (rootHash: Hex) => call<ControlsStatus>('GET', `/roots/${rootHash}/controls`),
    /** Of sessions with controls, at most MAX_LEVELS; others are absent. */
    levels: (rootHashes: readonly Hex[]) =>
      call<{ levels: ControlLevels[] }>('POST', '/roots/levels', { root_hashes: rootHashes }),
    /** Names the transaction that used a leaf; the co-signer reads it on the chain. */
    settleLeaf: (request: SettleParams) => call<SettledLeaf>('POST', '/leaves/settle', request),
    root: (rootHash: Hex) => call<RootStatus>('GET', `/roots/${rootHash}`),
    /** A new key each time. */
    createExecutor: (request: CreateExecutorRequest) => call<CreatedExecutor>('POST', '/executors', request),
    /** Signs only redemptions of leaves this signer co-signed for that executor, until they expire. */
    signExecutorTx: ({ executor, tx }: { executor: Hex; tx: ExecutorTx }) =>
      call<SignedExecutorTx>('POST', '/executors/sign', { executor, tx: toWireExecutorTx(tx) }),
    attestStock: (request: AttestStockRequest) =>
      call<{ accepted: true }>('POST', '/executors/stock', request),
    revokeStock: ({ executor }: { executor: Hex }) =>
      call<{ revoked: true; revoked_at: number }>('POST', '/executors/stock/revoke', { executor }),
    /**
     * Closes the executor permanently and signs one plain transfer to its owner; a repeat returns the same
     * one.
     */
    refundGas: ({ executor }: { executor: Hex }) =>
      call<SignedRefund>('POST', '/executors/refund', { executor }),
    executor: (address: Hex) => call<ExecutorStatus>('GET', `/executors/${address.toLowerCase()}`),
    /** The server's secret can freeze; only the operator's can unfreeze. */
    freeze: (frozen: boolean) => call<{ frozen: boolean }>('POST', '/freeze', { frozen }),
    /** The operator's decision on a ledger restored from a backup; requires the operator's secret. */
    acceptLedger: (lost: LostByRestore) =>
      call<{ accepted: true; sessions_ended: number }>('POST', '/ledger/accept', { lost }),
    close: connections.close,
  }
}

function delegationOf(value: unknown): Delegation {
  const delegation = fromWireDelegation(value)
  if (!delegation) throw new SignerUnreachable('the signer’s response has no delegation')
  return delegation
}

function refusalOf(status: number, answer: unknown): Error {
  const error = (answer as { error?: Record<string, unknown> } | null)?.error
  const code = error?.['code']
  if (typeof code !== 'string' || !Object.hasOwn(ERRORS, code)) {
    return new SignerUnreachable(`the signer responded with status ${status} and no error code`)
  }
  const {
    code: _,
    message,
    retry_after_s,
    retry: __,
    hint: ___,
    ...extras
  } = error as Record<string, unknown>
  // An invalid or unauthenticated call is a fault between the processes, not a refusal to the user.
  if (code === 'UNAUTHORIZED' || code === 'BAD_REQUEST' || code === 'NOT_FOUND') {
    return new SignerUnreachable(`the signer rejected the call: ${code}: ${String(message)}`)
  }
  const isListedStatus = errorRow(code as ErrorCode).statuses.includes(status)
  return new PitError(code as RefusalCode, {
    ...(extras as RefusalDetails),
    message: String(message),
    ...(isListedStatus && { status }),
    ...(typeof retry_after_s === 'number' && { retryAfterS: retry_after_s }),
  })
}
