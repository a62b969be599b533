import { randomBytes } from 'node:crypto'
import type { Execution, Hex } from '@pit/chain'
import { CALL_HEADERS, callSignature, toWireExecution } from '@pit/platform/signerCalls'
import type { World } from './world.ts'

/** Something asked of the signer, as whoever holds the server's secret would. */
export interface Intent {
  kind: string
  path: '/leaves' | '/roots' | '/executors/sign' | '/executors/refund' | '/executors/stock'
  body: unknown
  /** For what is hostile about the call itself and not what it asks. */
  headers?: (signed: Record<string, string>) => Record<string, string>
  secret?: string
  /** How far ahead of now the call says it is. */
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
}

/** Signed with the server's own secret, unless the intent is about that. */
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
  const { error } = (await answer.json()) as {
    error?: { code: string; signer_checks?: { rule: string }[] }
  }
  return {
    status: answer.status,
    code: error?.code ?? 'OK',
    rules: error?.signer_checks?.map(({ rule }) => rule) ?? [],
  }
}
