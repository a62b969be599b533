import type { Hex } from '@pit/chain'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type Answered, type Call, openTrader, type Trader, type UnsignedStep } from '../trading/trader.ts'

/** A transaction in a session answer. */
export interface SessionTx extends UnsignedStep {
  type: 2 | 4
  authorization_list?: { chain_id: number; address: Hex; nonce: number; y_parity: number; r: Hex; s: Hex }[]
}
export interface Pending {
  session_id: string
  status: string
  cosigner: Hex
  wallet_code: string
  expires: number
  sign: {
    delegation: { typed_data: TypedData; digest: Hex; delegation_hash: Hex; binding: Record<string, unknown> }
    authorization: AskedAuthorization | null
    curve_roots: Record<
      Hex,
      { kind: string; typed_data: TypedData; digest: Hex; delegation_hash: Hex }
    > | null
  }
  setup: { kind: string; tx: UnsignedStep }[]
  [more: string]: unknown
}
export interface AskedAuthorization {
  chain_id: number
  address: Hex
  nonce: number
  digest: Hex
  after_setup: { nonce: number; digest: Hex } | null
}
interface TypedData {
  domain: object
  types: Record<string, unknown>
  primaryType: string
  message: object
}
export interface SessionTrade {
  ready: boolean
  simulated_ok: boolean
  tx: SessionTx | null
  leaf: { hash: Hex; sequence: number; expires: number } | null
  execution: string
  swap: { amount_in: string; amount_out_min: string; amount_out_expected: string; notional_usd: number }
  simulation: { ok: boolean; amount_out: string; fee_transfer: string; error: string | null } | null
  spend: { trades: number; trades_left: number; last_24h_usd: number; this_usd: number }
  fee_bps: number
  fee_side: string
  fee_token: Hex
  checks: { code: string; ok: boolean; message: string }[]
  timings: Record<string, number>
  [more: string]: unknown
}

/** An owner or an executor: signs with viem alone, independent of our code. */
export interface Party extends Trader {
  account: PrivateKeyAccount
  signTx(tx: SessionTx, own?: { nonce?: number; withoutList?: boolean }): Promise<Hex>
}

export async function openParty(url: string, privateKey: Hex, call?: Call): Promise<Party> {
  const account = privateKeyToAccount(privateKey)
  return {
    ...(await openTrader(url, { privateKey }, call)),
    account,
    signTx(tx, { nonce = tx.nonce, withoutList = false } = {}) {
      const common = {
        chainId: tx.chain_id,
        nonce,
        to: tx.to,
        value: BigInt(tx.value),
        data: tx.data,
        gas: BigInt(tx.gas),
        maxFeePerGas: BigInt(tx.max_fee_per_gas),
        maxPriorityFeePerGas: BigInt(tx.max_priority_fee_per_gas),
      }
      if (!tx.authorization_list || withoutList) {
        return account.signTransaction({ ...common, type: 'eip1559' })
      }
      const authorizationList = tx.authorization_list.map(
        ({ chain_id, address, nonce: at, y_parity, r, s }) => ({
          chainId: chain_id,
          address,
          nonce: at,
          yParity: y_parity,
          r,
          s,
        }),
      )
      return account.signTransaction({ ...common, type: 'eip7702', authorizationList })
    },
  }
}

export const startGrant = (owner: Party, executor: Hex, terms: object): Promise<Answered<Pending>> =>
  owner.post<Pending>('live/session/grant', { wallet: owner.wallet, executor, ...terms })

/** r, s and 27 or 28, as one text. */
export async function authorize({ account }: Party, request: AskedAuthorization): Promise<Hex> {
  const { address, chain_id: chainId, nonce } = request
  const { r, s, yParity } = await account.signAuthorization({ address, chainId, nonce })
  return `0x${r.slice(2).padStart(64, '0')}${s.slice(2).padStart(64, '0')}${yParity === 1 ? '1c' : '1b'}`
}

/** Every signature that the grant requests; if requested, the authorization for the nonce after the setup. */
export async function signaturesFor(
  owner: Party,
  { sign, session_id }: Pending,
  { afterSetup = false } = {},
): Promise<Record<string, unknown>> {
  const request = sign.authorization
  const authorization = request && { ...request, ...(afterSetup && request.after_setup) }
  const { account } = owner
  const typed = (data: TypedData): Promise<Hex> => account.signTypedData(data as never)
  const roots = Object.entries(sign.curve_roots ?? {})
  return {
    session_id,
    delegation_signature: await typed(sign.delegation.typed_data),
    ...(authorization && { authorization_signature: await authorize(owner, authorization) }),
    ...(roots.length > 0 && {
      curve_root_signatures: Object.fromEntries(
        await Promise.all(roots.map(async ([hash, root]) => [hash, await typed(root.typed_data)])),
      ),
    }),
  }
}
