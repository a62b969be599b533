import { type Crypto, createCrypto, type Hex, hexToBytes, serializeSignature, signTx } from '@pit/chain'
import { until } from '@pit/platform/test/until'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import type { DevnetProcess } from '../devnetProcess.ts'

export interface Answered<T = Record<string, unknown>> {
  status: number
  body: T & { error?: { code: string; message: string; [extra: string]: unknown } }
}
/** An unsigned transaction in an answer of the service. */
export interface UnsignedStep {
  chain_id: number
  from: Hex
  to: Hex
  value: string
  data: Hex
  gas: string
  nonce: number
  max_fee_per_gas: string
  max_priority_fee_per_gas: string
}
export interface Plan {
  ready: boolean
  tx: UnsignedStep | null
  steps: { kind: string; why: string; tx: UnsignedStep | null; decoded: Record<string, unknown> | null }[]
  execution: string
  amount_in: string
  amount_out_min: string
  amount_out_expected: string
  fee: { bps: number; side: 'input' | 'output'; recipient: Hex; token: Hex; command: string; amount?: string }
  fee_bps: number
  permit: { domain: object; types: Record<string, unknown>; primaryType: string; message: object } | null
  permit_now: number | null
  simulation: { ok: boolean; amount_out: string; fee_transfer: string; gas_total: number } | null
  [more: string]: unknown
}

/** A client of the service with a wallet: plain HTTP, its own signatures. */
export interface Trader {
  wallet: Hex
  key: string
  post<T = Record<string, unknown>>(path: string, body: object): Promise<Answered<T>>
  get<T = Record<string, unknown>>(path: string): Promise<Answered<T>>
  /** Signs a step as built, or with the wallet's own choices. */
  sign(
    step: UnsignedStep,
    own?: Partial<{ nonce: number; gas: bigint; maxFeePerGas: bigint }>,
  ): { raw: Hex; hash: Hex }
  signPermit(permit: NonNullable<Plan['permit']>): Promise<Hex>
  /** A plan that can be signed completely: prepares, signs the requested permit, prepares again. */
  plan(request: object, route?: 'live/prepare' | 'live/build'): Promise<Answered<Plan>>
}

export const MNEMONIC = 'test test test test test test test test test test test junk'

const AGAIN_MS = 1_000
const MAX_TRIES = 30

let crypto: Crypto | undefined

/** One request to the API and its answer. */
export type Call = <T>(
  method: 'GET' | 'POST',
  path: string,
  key: string | null,
  body?: object,
) => Promise<Answered<T>>

/** Signs in one of the devnet's accounts, or another key. */
export async function openTrader(
  url: string,
  who: { account: number } | { privateKey: Hex },
  call: Call = patientCall(url),
): Promise<Trader> {
  crypto ??= await createCrypto()
  const own = crypto
  const account =
    'account' in who
      ? mnemonicToAccount(MNEMONIC, { addressIndex: who.account })
      : privateKeyToAccount(who.privateKey)
  const secret =
    'privateKey' in who
      ? hexToBytes(who.privateKey)
      : mnemonicToAccount(MNEMONIC, { addressIndex: who.account }).getHdKey().privateKey!
  const wallet = account.address.toLowerCase() as Hex

  const challenge = await call<{ message: string }>('POST', 'auth/challenge', null, { address: wallet })
  if (challenge.status !== 200) throw new Error(`challenge: ${JSON.stringify(challenge.body)}`)
  const signature = serializeSignature(own.sign(own.hashMessage(challenge.body.message), secret))
  const verified = await call<{ api_key: string }>('POST', 'auth/verify', null, {
    address: wallet,
    signature,
  })
  if (verified.status !== 200) throw new Error(`verify: ${JSON.stringify(verified.body)}`)
  const key = verified.body.api_key

  const trader: Trader = {
    wallet,
    key,
    post: (path, body) => call('POST', path, key, body),
    get: (path) => call('GET', path, key),
    sign: (step, chosen = {}) =>
      signTx(
        own,
        {
          type: 2,
          chainId: step.chain_id,
          nonce: chosen.nonce ?? step.nonce,
          maxPriorityFeePerGas: BigInt(step.max_priority_fee_per_gas),
          maxFeePerGas: chosen.maxFeePerGas ?? BigInt(step.max_fee_per_gas),
          gas: chosen.gas ?? BigInt(step.gas),
          to: step.to,
          value: BigInt(step.value),
          data: step.data,
          accessList: [],
        },
        secret,
      ),
    signPermit: (permit) => account.signTypedData(permit as never),
    async plan(request, route = 'live/prepare') {
      const planBody = { wallet, ...request }
      const first = await trader.post<Plan>(route, planBody)
      if (first.status !== 200 || first.body.permit === null) return first
      const permit_signature = await trader.signPermit(first.body.permit)
      return trader.post<Plan>(route, { ...planBody, permit_signature, permit_now: first.body.permit_now })
    },
  }
  return trader
}

/** Retries while the server is busy. */
function patientCall(url: string): Call {
  return async <T>(method: string, path: string, key: string | null, body?: object): Promise<Answered<T>> => {
    for (let tries = 1; ; tries++) {
      const answer = await fetch(`${url}/api/v1/${path}`, {
        method,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const read = (await answer.json()) as Answered<T>['body']
      // Overloaded, possibly by other tests: answered before the request is examined, with the time to retry.
      const isBusy = read.error?.code === 'ENGINE_UNAVAILABLE' && read.error['retry_after_s'] !== undefined
      if (!isBusy || tries === MAX_TRIES) return { status: answer.status, body: read }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}

/**
 * Signs every transaction of a plan and sends them in order, as one submission if the plan has a separate
 * fee.
 */
export async function submitPlan(
  trader: Trader,
  plan: Plan,
  firstNonce?: number,
): Promise<Answered<{ tx_hash: Hex }>> {
  const steps = plan.steps.filter(({ tx }) => tx !== null)
  const signed = steps.map(({ tx }, i) =>
    trader.sign(tx!, firstNonce === undefined ? {} : { nonce: firstNonce + i }),
  )
  if (steps.some(({ kind }) => kind === 'fee_transfer')) {
    return trader.post('live/submit', { raw_txs: signed.map(({ raw }) => raw) })
  }
  let last: Answered<{ tx_hash: Hex }> | undefined
  for (const { raw } of signed) {
    last = await trader.post('live/submit', { raw_tx: raw })
    if (last.status !== 200) break
  }
  return last!
}

export interface Receipt {
  status: Hex
  blockNumber: Hex
  gasUsed: Hex
  effectiveGasPrice: Hex
}

export const receiptOf = (devnet: DevnetProcess, hash: Hex, withinMs = 20_000): Promise<Receipt> =>
  until(() => devnet.rpc<Receipt | null>('eth_getTransactionReceipt', [hash]), {
    withinMs,
    said: () => `${hash} was not mined`,
  })

const NATIVE = '0x0000000000000000000000000000000000000000'

export async function balanceOf(
  devnet: DevnetProcess,
  token: string,
  owner: Hex,
  block: Hex | 'latest' = 'latest',
): Promise<bigint> {
  if (token === NATIVE) return BigInt(await devnet.rpc<Hex>('eth_getBalance', [owner, block]))
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`
  return BigInt(await devnet.rpc<Hex>('eth_call', [{ to: token, data }, block]))
}
