import {
  type Address,
  type Delegation,
  type Execution,
  encodeRedeem,
  type Hex,
  serializeSignature,
  signAuthorization,
  signDelegation,
} from '@pit/chain'
import { stockAttestationText } from '@pit/protocol'
import { type ExecutorTx, toWireDelegation, toWireExecutorTx } from '@pit/signer-wire'
import { honestSwap } from './honest.ts'
import { type Intent, leafIntent } from './intent.ts'
import type { Granted, World } from './world.ts'

/** Requests of a compromised server to sign with executor keys that the signer holds. */

const AGENT = 'agt_escape'
/** A leaf lasts 120 seconds: a younger one is refused for its content and not for its age. */
const FRESH_MS = 60_000

export type Hosted = Awaited<ReturnType<typeof openHosted>>

/** An agent's executor with a session and a leaf of its owner, and another agent's executor. */
export async function openHosted(world: World) {
  const { client } = world.signer
  const make = async () => {
    const walletKey = world.keyOf()
    const owner = world.crypto.addressOf(walletKey)
    const { executor } = await client.createExecutor({ agent_id: AGENT, owner })
    const session = world.grant({ executor, walletKey })
    await world.register(session)
    return { executor, owner, session }
  }
  const [own, other] = [await make(), await make()]
  let leaf: { leaf: Delegation; execution: Execution; atMs: number } | null = null

  /** Co-signed recently, and signed as a transaction with nonce 0. */
  async function leafNow() {
    if (leaf && Date.now() - leaf.atMs < FRESH_MS) return leaf
    const { execution } = swapWithoutStock(world, own.session)
    const cosigned = await world.signer.client.cosign({ root_hash: own.session.rootHash, execution })
    leaf = { leaf: cosigned.leaf, execution, atMs: Date.now() }
    await world.signer.client.signExecutorTx({
      executor: own.executor,
      tx: redeemOf(world, own.session, leaf),
    })
    return leaf
  }
  return { ...own, other, leafNow }
}

const isStock = (world: World, token: Address): boolean =>
  world.profile.listed_stocks.some(({ address }) => address.toLowerCase() === token) ||
  world.profile.core_tokens.some(({ address, kind }) => kind === 'stock' && address.toLowerCase() === token)

function swapWhere(world: World, session: Granted, fits: (stock: boolean) => boolean) {
  for (;;) {
    const honest = honestSwap(world, session)
    const { tokenIn, tokenOut } = honest.path
    if (fits(isStock(world, tokenIn) || isStock(world, tokenOut))) return honest
  }
}
export const swapWithoutStock = (world: World, session: Granted) =>
  swapWhere(world, session, (stock) => !stock)
export const swapOfStock = (world: World, session: Granted) => swapWhere(world, session, (stock) => stock)

export function redeemOf(
  world: World,
  { root }: Granted,
  { leaf, execution }: { leaf: Delegation; execution: Execution },
  change: Partial<ExecutorTx> = {},
): ExecutorTx {
  return {
    to: world.place.manager,
    value_wei: 0n,
    data: encodeRedeem([{ delegations: [leaf, root], execution }]),
    nonce: 0,
    gas: 1_000_000,
    max_fee_per_gas: world.maxFeeWei,
    max_priority_fee_per_gas: 0n,
    ...change,
  }
}

export function stockWord(world: World, { session, executor, owner }: Hosted, key: Hex, change: object = {}) {
  const nowS = Math.floor(Date.now() / 1000)
  const terms = {
    agentId: AGENT,
    executor,
    sessionId: world.sessionIdOf(session),
    rootHash: session.rootHash,
    issuedS: nowS,
    expiresS: nowS + 1_800,
    ...change,
  }
  const text = stockAttestationText({ ...terms, chainId: 4663 })
  return {
    executor,
    agent_id: terms.agentId,
    owner,
    session_id: terms.sessionId,
    root_hash: terms.rootHash,
    issued: terms.issuedS,
    expires: terms.expiresS,
    signature: serializeSignature(world.crypto.sign(world.crypto.hashMessage(text), key)),
  }
}

const stranger = ({ random }: World): Address => `0x${random.bytes(20).toString('hex')}`
type Make = (world: World, hosted: Hosted) => Intent | Promise<Intent>
type Tx = (world: World, hosted: Hosted, leaf: Awaited<ReturnType<Hosted['leafNow']>>) => Partial<ExecutorTx>

const redeem = (
  { session }: Hosted,
  { leaf, execution }: { leaf: Delegation; execution: Execution },
  root: Delegation = session.root,
): Hex => encodeRedeem([{ delegations: [leaf, root], execution }])

const TXS: Record<string, Tx> = {
  'a transaction to another address': (world) => ({ to: stranger(world) }),
  'a transaction to the session’s wallet': (_, { owner }) => ({ to: owner }),
  'a transaction with ETH': ({ random }) => ({ value_wei: BigInt(1 + random.below(2 ** 40)) }),
  'a plain transfer': (world) => ({ to: stranger(world), value_wei: 10n ** 15n, data: '0x' }),
  'gas without end': ({ random }) => ({ gas: 8_000_001 + random.below(20_000_000) }),
  'a fee that eats the gas': ({ random, maxFeeWei }) => ({
    max_fee_per_gas: 100n * maxFeeWei + BigInt(random.below(2 ** 40)),
  }),
  'a second transaction of a leaf': ({ random }) => ({ nonce: 1 + random.below(1_000) }),
  'another call under the leaf': (world, hosted, { leaf }) => ({
    data: redeem(hosted, { leaf, execution: swapWithoutStock(world, hosted.session).execution }),
  }),
  'a leaf signed by another account': (world, hosted, { leaf, execution }) => ({
    data: redeem(hosted, { leaf: signDelegation(world.crypto, world.place, leaf, world.keyOf()), execution }),
  }),
  'a leaf under another root': (_, hosted, leaf) => ({
    data: redeem(hosted, leaf, hosted.other.session.root),
  }),
  'a root without its signature': (_, hosted, leaf) => ({
    data: redeem(hosted, leaf, { ...hosted.session.root, signature: '0x' }),
  }),
  'a leaf redeemed twice': (_, { session }, { leaf, execution }) => ({
    data: encodeRedeem([1, 2].map(() => ({ delegations: [leaf, session.root], execution }))),
  }),
  'a redemption with one bit changed': (world, hosted, leaf) => {
    const bytes = Buffer.from(redeem(hosted, leaf).slice(2), 'hex')
    const at = world.random.below(bytes.length)
    bytes[at]! ^= 1 << world.random.below(8)
    return { data: `0x${bytes.toString('hex')}` }
  },
  'somebody’s authorization': (world) => ({
    authorizations: [
      signAuthorization(
        world.crypto,
        { chainId: 4663, address: world.place.delegator, nonce: 0 },
        world.keyOf(),
      ),
    ],
  }),
  'the wallet’s code from elsewhere': (world, { session }) => ({
    authorizations: [
      signAuthorization(
        world.crypto,
        { chainId: 4663, address: stranger(world), nonce: 0 },
        session.walletKey,
      ),
    ],
  }),
}

const OTHERS: Record<string, Make> = {
  'another executor’s leaf': async (world, hosted) => ({
    kind: 'another executor’s leaf',
    path: '/executors/sign',
    body: {
      executor: hosted.other.executor,
      tx: toWireExecutorTx(redeemOf(world, hosted.session, await hosted.leafNow())),
    },
  }),
  'an unknown key': async (world, hosted) => ({
    kind: 'an unknown key',
    path: '/executors/sign',
    body: {
      executor: stranger(world),
      tx: toWireExecutorTx(redeemOf(world, hosted.session, await hosted.leafNow())),
    },
  }),
  'the gas of an executor in use': (_, { executor }) => ({
    kind: 'the gas of an executor in use',
    path: '/executors/refund',
    body: { executor },
  }),
  'a refund with a recipient': (world, { executor }) => ({
    kind: 'a refund with a recipient',
    path: '/executors/refund',
    body: { executor, to: stranger(world) },
  }),
  'a hosted executor under another wallet': (world, { executor }) => {
    const { binding, root, curveRoots } = world.grant({ executor })
    return {
      kind: 'a hosted executor under another wallet',
      path: '/roots',
      body: {
        session_id: 'escape',
        binding,
        root: toWireDelegation(root),
        curve_roots: curveRoots.map(toWireDelegation),
      },
    }
  },
  'a stock token without its owner’s attestation': (world, { other }) => {
    const { execution } = swapOfStock(world, other.session)
    return leafIntent('a stock token without its owner’s attestation', {
      rootHash: other.session.rootHash,
      execution,
    })
  },
  'a stock attestation by another account': (world, hosted) => ({
    kind: 'a stock attestation by another account',
    path: '/executors/stock',
    body: stockWord(world, hosted, world.keyOf()),
  }),
  'a stock attestation with other terms': (world, hosted) => ({
    kind: 'a stock attestation with other terms',
    path: '/executors/stock',
    body: {
      ...stockWord(world, hosted, hosted.session.walletKey),
      ...world.random.pick([
        { expires: Math.floor(Date.now() / 1000) + 1_801 + world.random.below(1_000) },
        { issued: Math.floor(Date.now() / 1000) - 1 - world.random.below(1_000) },
        { session_id: world.sessionIdOf(hosted.other.session) },
        { root_hash: hosted.other.session.rootHash },
        { executor: hosted.other.executor },
        { agent_id: 'agt_other' },
      ]),
    },
  }),
}

export const HOSTILE_EXECUTORS: Record<string, Make> = {
  ...Object.fromEntries(
    Object.entries(TXS).map(([kind, change]): [string, Make] => [
      kind,
      async (world, hosted) => {
        const leaf = await hosted.leafNow()
        const tx = redeemOf(world, hosted.session, leaf, change(world, hosted, leaf))
        return {
          kind,
          path: '/executors/sign',
          body: { executor: hosted.executor, tx: toWireExecutorTx(tx) },
        }
      },
    ]),
  ),
  ...OTHERS,
}
