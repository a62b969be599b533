import { CHAIN_ID, etherText, lower, parseSiwe } from '@pit/protocol'
import type { CodeAuthorization } from '../account.ts'
import type { UnsignedStep } from '../verify/facts.ts'
import { inside } from '../verify/readPlan.ts'
import { reviewCall } from './reviewCall.ts'
import { reviewTypedData } from './reviewTypedData.ts'
import {
  deny,
  type ReviewContext,
  type Reviewed,
  type ReviewedTransaction,
  SigningRefused,
  type SigningRequest,
  type WalletTransaction,
} from './terms.ts'

/**
 * Reads what a wallet is asked to sign, by the pins alone: no server and no node takes part. Refuses everything
 * that the pages of the dashboard never ask for.
 * @public
 */
export function reviewSigning(context: ReviewContext, request: SigningRequest): Reviewed {
  try {
    switch (request.kind) {
      case 'message':
        return reviewMessage(context, request.payload)
      case 'typedData':
        return reviewTypedData(context, request.payload)
      case 'transaction':
        return reviewTransaction(context, request.payload)
      case 'authorization':
        return reviewAuthorization(context, request.payload)
    }
  } catch (error) {
    if (error instanceof SigningRefused) throw error
    return deny(`the request cannot be read (${(error as Error).message.slice(0, 200)})`)
  }
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/
const OWN_TEXTS = [
  /^[A-Za-z0-9.:[\]-]{1,255} asks the owner of an agent to sign for the Pit League\.\n/,
  /^Pit stock token attestation\n/,
]

function reviewMessage({ wallet, host }: ReviewContext, text: string): Reviewed {
  const siwe = parseSiwe(text)
  const lines = text.split('\n').filter((line) => line !== '')
  const review = { kind: 'message', text, warnings: [], isReturn: false } as const
  if (siwe) {
    const isHere =
      [host, host.replace(/:\d+$/, '')].includes(siwe.domain) ||
      (LOOPBACK.test(siwe.domain) && LOOPBACK.test(host))
    if (!isHere) deny(`the message is for ${siwe.domain}, and this page is ${host}`)
    if (lower(siwe.address) !== wallet) deny('the message names another wallet')
    return { ...review, title: `Sign in to ${siwe.domain}`, lines: [siwe.statement, `URI: ${siwe.uri}`] }
  }
  if (!OWN_TEXTS.some((pattern) => pattern.test(text))) deny('the message is not one of this service')
  return { ...review, title: 'Sign a statement', lines }
}

function reviewAuthorization({ pins }: ReviewContext, given: CodeAuthorization): Reviewed {
  const address = lower(given.address)
  if (given.chainId !== pins.profile.chain_id || address !== pins.addresses.delegator)
    deny('the authorization is not for the pinned delegator on this chain')
  const authorization = { chainId: CHAIN_ID, address, nonce: given.nonce }
  return {
    ...{ kind: 'authorization', authorization, isReturn: false, warnings: [] },
    title: 'Let this wallet run the session contract (EIP-7702)',
    lines: [`Contract ${address}, pinned. Sessions need it.`],
  }
}

function reviewTransaction(context: ReviewContext, given: WalletTransaction): Reviewed {
  const { pins, wallet } = context
  const step: UnsignedStep = {
    to: lower(given.to),
    value: BigInt(given.value),
    data: lower(given.data),
  }
  const transaction: ReviewedTransaction = {
    ...{ type: 'eip1559', chainId: pins.profile.chain_id, ...step },
    gas: BigInt(given.gas),
    nonce: Number(BigInt(given.nonce)),
    maxFeePerGas: BigInt(given.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(given.maxPriorityFeePerGas),
  }
  if (transaction.gas > BigInt(pins.limits.plan_gas)) deny('the gas limit is higher than any trade needs')
  const calls = inside(wallet, step).map((call) => reviewCall(context, call))
  const gasWei = transaction.gas * transaction.maxFeePerGas
  return {
    kind: 'transaction',
    transaction,
    title: calls.length === 1 ? calls[0]!.title : `${calls.length} calls in one transaction`,
    lines: [...calls.flatMap(({ lines }) => lines), `Network fee: at most ${etherText(gasWei)}.`],
    warnings: calls.flatMap(({ warnings = [] }) => warnings),
    isReturn: calls.every(({ isReturn = false }) => isReturn),
  }
}
