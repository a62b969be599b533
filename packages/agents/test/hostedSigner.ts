import {
  type Address,
  type Crypto,
  fromWireOrders,
  type Hex,
  orderId,
  orderListHash,
  type Receipt,
  receiptText,
  serializeSignature,
  signTx,
} from '@pit/chain'
import { CHAIN_ID, executorAttestationText, type RefusalCode, refusal } from '@pit/protocol'
import {
  type RegisterOrdersParams,
  type SignedReceipt,
  type SignedRefund,
  SignerUnreachable,
} from '@pit/signer-wire'
import { keccak256, stringToHex } from 'viem'
import type { ExecutorSigner } from '../src/deps.ts'

export interface HostedSigner extends ExecutorSigner {
  keys: Map<Address, { key: Hex; owner: Address; agentId: string }>
  /** Executors with a valid stock attestation. */
  stock: Set<Address>
  refunds: Map<Address, SignedRefund>
  reachable: boolean
  /** Changes to an honest response. */
  bend: {
    created(made: Awaited<ReturnType<ExecutorSigner['createExecutor']>>): typeof made
    refund(refund: SignedRefund): SignedRefund
  }
  refusesStock: boolean
  /** Registered lists by hash, and cancelled orders. */
  lists: Map<Hex, RegisterOrdersParams>
  cancelled: Set<Hex>
  /** Runs after the co-signer registered a list; may simulate a lost response. */
  afterRegister(): void
  /** The code every call is refused with. */
  refuses: RefusalCode | null
}

export const GAS = { limit: 21_000, maxFeeWei: 20_000_000n }

/** Keeps executors' keys and signs refunds like the signing service; the chain state is passed in. */
export function createHostedSigner(
  crypto: Crypto,
  {
    cosignerKey,
    balanceOf,
    nonceOf,
  }: { cosignerKey: Hex; balanceOf(who: Address): bigint; nonceOf(who: Address): number },
): HostedSigner {
  const reach = () => {
    if (!signer.reachable) throw new SignerUnreachable('connection refused', { nothingSent: true })
    if (signer.refuses === null) return
    throw refusal(signer.refuses, { signer_checks: [{ rule: signer.refuses, ok: false, message: 'no' }] })
  }
  const receiptOf = (
    change: Pick<Receipt, 'what' | 'session' | 'id' | 'challenge' | 'after'>,
  ): SignedReceipt => {
    const receipt: Receipt = { before: 'open', at: 1, spent: '0', outstanding: '0', until: 1, ...change }
    const signature = serializeSignature(crypto.sign(crypto.hashMessage(receiptText(receipt)), cosignerKey))
    return { ...receipt, cosigner: crypto.addressOf(cosignerKey), signature }
  }
  const signer: HostedSigner = {
    keys: new Map(),
    stock: new Set(),
    refunds: new Map(),
    reachable: true,
    bend: { created: (made) => made, refund: (made) => made },
    refusesStock: false,
    lists: new Map(),
    cancelled: new Set(),
    afterRegister() {},
    refuses: null,
    async createExecutor({ agent_id, owner, first }) {
      reach()
      const existing = first && [...signer.keys.values()].find(({ agentId }) => agentId === agent_id)
      const key = existing
        ? existing.key
        : keccak256(stringToHex(`executor ${signer.keys.size} of ${agent_id}`))
      const executor = crypto.addressOf(key)
      signer.keys.set(executor, { key, owner, agentId: agent_id })
      const text = executorAttestationText({ executor, owner, agentId: agent_id, chainId: CHAIN_ID })
      const signature = serializeSignature(crypto.sign(crypto.hashMessage(text), cosignerKey))
      return signer.bend.created({
        executor,
        attestation: { text, signature, cosigner: crypto.addressOf(cosignerKey) },
      })
    },
    async registerOrders(request) {
      reach()
      const list = fromWireOrders(request.list)
      const hash = orderListHash(crypto, list)
      signer.lists.set(hash, request)
      signer.afterRegister()
      const { challenge, root_hash: session } = request
      const receipt = receiptOf({ what: 'registered', after: 'registered', session, id: hash, challenge })
      return { list_hash: hash, ids: list.orders.map((_, index) => orderId(crypto, hash, index)), receipt }
    },
    async cancelOrders({ root_hash: session, challenge, ...which }) {
      reach()
      const all = [...signer.lists].flatMap(([hash, { list }]) =>
        list.orders.map((_, index) => orderId(crypto, hash, index)),
      )
      const ids = 'ids' in which ? which.ids : all
      for (const id of ids) signer.cancelled.add(id)
      return {
        receipts: ids.map((id) =>
          all.includes(id)
            ? receiptOf({ what: 'cancelled', after: 'cancelled', session, id, challenge })
            : receiptOf({ what: 'not_registered', after: 'blocked', session, id, challenge }),
        ),
      }
    },
    async confirmStates({ root_hash: session, challenge, ids }) {
      reach()
      return {
        receipts: ids.map((id) => {
          const after = signer.cancelled.has(id) ? 'cancelled' : 'open'
          return receiptOf({ what: 'status', after, session, id, challenge })
        }),
      }
    },
    async attestStock({ executor }) {
      reach()
      if (signer.refusesStock) throw refusal('STOCK_ATTESTATION', { message: 'no such root' })
      signer.stock.add(executor)
      return { accepted: true }
    },
    async revokeStock({ executor }) {
      reach()
      signer.stock.delete(executor)
      return { revoked: true, revoked_at: 1 }
    },
    async refundGas({ executor }) {
      reach()
      const existing = signer.refunds.get(executor)
      const { key, owner } = signer.keys.get(executor)!
      const balance = balanceOf(executor)
      const isDust = balance <= BigInt(GAS.limit) * GAS.maxFeeWei
      if (existing && (existing.nonce >= nonceOf(executor) || isDust)) return { ...existing, already: true }
      const value = balance - BigInt(GAS.limit) * GAS.maxFeeWei
      if (value <= 0n)
        throw refusal('REFUND_REFUSED', {
          checks: [{ rule: 'BALANCE', ok: false, message: 'Nothing is left.' }],
        })
      const nonce = nonceOf(executor)
      const refund = signRefund(crypto, key, { to: owner, value, nonce, balance })
      signer.refunds.set(executor, refund)
      return signer.bend.refund(refund)
    },
  }
  return signer
}

/** A plain transfer, unless changed by `bent`. */
export function signRefund(
  crypto: Crypto,
  key: Hex,
  { to, value, nonce, balance }: { to: Address; value: bigint; nonce: number; balance: bigint },
  bent: { data?: Hex; chainId?: number; gas?: bigint } = {},
): SignedRefund {
  const { raw, hash } = signTx(
    crypto,
    {
      type: 2,
      chainId: CHAIN_ID,
      nonce,
      maxPriorityFeePerGas: 1n,
      maxFeePerGas: GAS.maxFeeWei,
      gas: BigInt(GAS.limit),
      to,
      value,
      data: '0x',
      accessList: [],
      ...bent,
    },
    key,
  )
  return {
    raw,
    tx_hash: hash,
    executor: crypto.addressOf(key),
    to,
    value_wei: value.toString(),
    balance_wei: balance.toString(),
    nonce,
    gas: GAS.limit,
    max_fee_per_gas: GAS.maxFeeWei.toString(),
    already: false,
    closed: true,
  }
}
