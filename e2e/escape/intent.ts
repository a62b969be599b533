import { randomBytes } from 'node:crypto'
import type { Execution, Hex } from '@pit/chain'
import { CALL_HEADERS, callSignature, toWireExecution } from '@pit/signer-wire'
import type { World } from './world.ts'

/** A request to the signer from an attacker with the server's secret. */
export interface Intent {
  kind: string
  path:
    | '/leaves'
    | '/leaves/settle'
    | '/orders'
    | '/roots'
    | '/executors/sign'
    | '/executors/refund'
    | '/executors/stock'
  body: unknown
  /** Hostile properties of the HTTP call itself. */
  headers?: (signed: Record<string, string>) => Record<string, string>
  secret?: string
  /** How far in the future the call is stamped. */
  aheadMs?: number
}

export const leafIntent = (
  kind: string,
  request: { rootHash: Hex; execution: Execution; curveFeeWei?: bigint },
  more: object = {},
): Intent => ({
  kind,
  path: '/leaves',
  body: {
    root_hash: request.rootHash,
    execution: toWireExecution(request.execution),
    ...(request.curveFeeWei !== undefined && { curve_fee: { amount_wei: request.curveFeeWei.toString() } }),
    ...more,
  },
})

export interface Outcome {
  status: number
  code: string
  rules: string[]
  /** The whole answer. */
  body: Record<string, unknown>
}

/** Signed with the server's secret, unless the intent concerns the signature. */
export async function send({ signer }: Pick<World, 'signer'>, intent: Intent): Promise<Outcome> {
  const { path, body, secret = signer.secret, headers = (signed) => signed, aheadMs = 0 } = intent
  const text = JSON.stringify(body)
  const call = {
    method: 'POST',
    path,
    body: text,
    timeMs: Date.now() + aheadMs,
    nonce: randomBytes(16).toString('hex'),
  }
  const answer = await fetch(`${signer.url}${path}`, {
    method: 'POST',
    headers: headers({
      'content-type': 'application/json',
      [CALL_HEADERS.time]: String(call.timeMs),
      [CALL_HEADERS.nonce]: call.nonce,
      [CALL_HEADERS.signature]: callSignature(secret, call),
    }),
    body: text,
  })
  const json = (await answer.json()) as Record<string, unknown>
  const { error } = json as { error?: { code: string; signer_checks?: { rule: string }[] } }
  return {
    status: answer.status,
    code: error?.code ?? 'OK',
    rules: error?.signer_checks?.map(({ rule }) => rule) ?? [],
    body: json,
  }
}
