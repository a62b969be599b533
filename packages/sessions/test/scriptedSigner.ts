import {
  type Crypto,
  curveLeaf,
  type Delegation,
  type DelegationAddresses,
  delegationHash,
  feeLeaf,
  type Hex,
  type Receipt,
  readRoot,
  receiptText,
  type SessionRoot,
  sessionLeaf,
  signDelegation,
} from '@pit/chain'
import { refusal } from '@pit/protocol'
import {
  type Cosigned,
  type CosignParams,
  type RegisterOrdersParams,
  type RegisterParams,
  type Rehearsal,
  type SettledLeaf,
  type SettleParams,
  SignerUnreachable,
} from '@pit/signer-wire'
import { privateKeyToAccount } from 'viem/accounts'
import type { CosignerClient } from '../src/cosigner.ts'

interface StoredRoot {
  request: RegisterParams
  leaves: { microUsd: number; clientId?: string | undefined; part?: string; data: Hex; atS: number }[]
  revoked: boolean
}

/** A co-signer that signs every request and counts; tests script its responses. */
export interface ScriptedSigner extends CosignerClient {
  /** By root hash. */
  roots: Map<Hex, StoredRoot>
  requests: CosignParams[]
  lists: RegisterOrdersParams[]
  settled: SettleParams[]
  settles: (request: SettleParams) => SettledLeaf
  /** Runs before a leaf is created. */
  beforeLeaf: (request: CosignParams) => void | Promise<void>
  /** Changes an honest response. */
  answers: (honest: Cosigned) => Cosigned
  /** Response to a rehearsal. */
  verdicts: Rehearsal['checks']
  /** Value of a leaf in micro-dollars. */
  value: number
  reachable: boolean
  /** Processes the call, but loses the response. */
  loses: boolean
}

export function createScriptedSigner({
  crypto,
  addresses,
  key,
  nowS,
}: {
  crypto: Crypto
  addresses: DelegationAddresses
  key: Hex
  nowS: () => number
}): ScriptedSigner {
  const reach = () => {
    if (!signer.reachable) throw new SignerUnreachable('connection refused', { nothingSent: true })
  }
  const sign = (delegation: Delegation) => signDelegation(crypto, addresses, delegation, key)
  const read = <Kind extends SessionRoot['kind']>(delegation: Delegation, kind: Kind) => {
    const root = readRoot(crypto, addresses, delegation)
    if (root?.kind !== kind) throw new Error(`registered a ${root?.kind} root as ${kind}`)
    return root as Extract<SessionRoot, { kind: Kind }>
  }
  const receiptOf = async (
    what: 'registered' | 'cancelled' | 'revoked',
    { root_hash: session, challenge }: { root_hash: Hex; challenge: Hex },
    id: Hex,
  ) => {
    const receipt: Receipt = {
      ...{ what, session, id, challenge, before: what === 'revoked' ? 'active' : 'open', after: what },
      ...{ at: nowS(), spent: '0', outstanding: '0', until: nowS() },
    }
    const signature = await privateKeyToAccount(key).signMessage({ message: receiptText(receipt) })
    return { ...receipt, cosigner: crypto.addressOf(key), signature }
  }
  const signer: ScriptedSigner = {
    roots: new Map(),
    requests: [],
    lists: [],
    settled: [],
    settles: () => ({ state: 'used', received: '1', settled_at: 1 }),
    beforeLeaf: () => {},
    answers: (honest) => honest,
    verdicts: [],
    value: 5_000_000,
    reachable: true,
    loses: false,
    async health() {
      reach()
      return { status: 'ok', cosigner: crypto.addressOf(key), frozen: false, version: 'test' }
    },
    async registerRoot(request) {
      reach()
      const hash = delegationHash(crypto, request.root)
      if (signer.roots.has(hash)) throw refusal('ROOT_REUSED')
      signer.roots.set(hash, { request, leaves: [], revoked: false })
      return { root_hash: hash, registered: true }
    },
    async cosign(request) {
      reach()
      signer.requests.push(request)
      await signer.beforeLeaf(request)
      const stored = signer.roots.get(request.root_hash)
      if (!stored) throw refusal('NO_SESSION')
      if (stored.revoked) {
        throw refusal('REFUSED', {
          signer_checks: [{ rule: 'SESSION_REVOKED', ok: false, message: 'revoked' }],
        })
      }
      const { client_id: clientId, order } = request
      const part = order && `${order.id}:${order.part}`
      const open = stored.leaves.find((one) => part && one.part === part && nowS() < one.atS + 120)
      if (open) Object.assign(open, { data: request.execution.data, atS: nowS(), clientId })
      const { data } = request.execution
      const before = stored.leaves.findIndex(
        (one) => one === open || (clientId !== undefined && one.clientId === clientId),
      )
      if (before < 0)
        stored.leaves.push({ microUsd: signer.value, clientId, data, atS: nowS(), ...(part && { part }) })
      if (signer.loses) throw new SignerUnreachable('nothing in 10 ms')
      const sequence = before < 0 ? stored.leaves.length : before + 1
      const { atS, data: signed } = stored.leaves[sequence - 1]!
      if (signed !== data) throw refusal('REFUSED')
      const { limits } = stored.request.binding
      const day = stored.leaves.reduce((sum, { microUsd }) => sum + microUsd, 0)
      const common = {
        sequence,
        expires_at: atS + 120,
        spend: {
          trades: stored.leaves.length,
          trades_left: limits.max_trades - stored.leaves.length,
          day_micro_usd: day,
          day_left_micro_usd: limits.max_day_micro_usd - day,
          this_micro_usd: signer.value,
        },
      }
      const { execution, curve_fee } = request
      const trade = { execution, sequence, nowS: atS }
      if (!curve_fee) {
        const leaf = sign(sessionLeaf(addresses, { root: read(stored.request.root, 'router'), ...trade }))
        return signer.answers({ leaf, leaf_hash: delegationHash(crypto, leaf), ...common })
      }
      const [curve, fee] = stored.request.curve_roots
      const feeRoot = read(fee!, 'fee')
      const leaf = sign(
        curveLeaf(addresses, {
          root: read(curve!, 'curve'),
          feeRoot,
          feeWei: curve_fee.amount_wei,
          ...trade,
        }),
      )
      const fee_leaf = sign(feeLeaf(crypto, addresses, { feeRoot, leaf, nowS: atS }))
      return signer.answers({ leaf, leaf_hash: delegationHash(crypto, leaf), fee_leaf, ...common })
    },
    async registerOrders(request) {
      reach()
      signer.lists.push(request)
      const ids = request.list.orders.map(
        (_, i): Hex => `0x${signer.lists.length}${i}`.padEnd(66, '4') as Hex,
      )
      return { list_hash: request.root_hash, ids, receipt: {} as never }
    },
    async settleLeaf(request) {
      reach()
      signer.settled.push(request)
      return signer.settles(request)
    },
    async cancelOrders(request) {
      reach()
      const ids = 'ids' in request ? request.ids : signer.lists.map(({ root_hash }) => root_hash)
      return { receipts: await Promise.all(ids.map((id) => receiptOf('cancelled', request, id))) }
    },
    async rehearse(request) {
      reach()
      signer.requests.push(request)
      const spend = { trades: 0, trades_left: 50, day_micro_usd: 0, day_left_micro_usd: 100_000_000 }
      return { checks: signer.verdicts, spend: { ...spend, this_micro_usd: signer.value } }
    },
    async levels(hashes) {
      reach()
      return {
        levels: hashes.map((hash) => ({
          root_hash: hash,
          unsigned_micro_usd: 1_000_000,
          breakers: [
            {
              max_fall_micro_usd: 20_000_000,
              best_micro_usd: 3_000_000,
              now_micro_usd: -2_500_000,
              tripped_until: null,
            },
          ],
        })),
      }
    },
    async revokeRoot(hash, challenge) {
      reach()
      const stored = signer.roots.get(hash)
      if (stored) stored.revoked = true
      const revoked = { revoked: true, revoked_at: nowS() } as const
      if (!challenge) return revoked
      return { ...revoked, receipt: await receiptOf('revoked', { root_hash: hash, challenge }, hash) }
    },
    async root(hash) {
      reach()
      const stored = signer.roots.get(hash)
      if (!stored) throw refusal('NO_SESSION')
      const { binding, session_id } = stored.request
      return {
        root_hash: hash,
        session_id,
        wallet: binding.wallet,
        executor: binding.executor,
        binding_version: binding.version,
        status: stored.revoked ? 'revoked' : 'active',
        registered_at: nowS(),
        expires_at: binding.expires_at,
        revoked_at: null,
        sequence: stored.leaves.length,
        spend: { trades: stored.leaves.length, trades_left: 0, day_micro_usd: 0, day_left_micro_usd: 0 },
      }
    },
    close() {},
  }
  return signer
}
