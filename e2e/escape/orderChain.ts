import { setTimeout as sleep } from 'node:timers/promises'
import { type Delegation, type Execution, encodeRedeem, endAllCall, type Hex } from '@pit/chain'
import { until } from '@pit/platform/test/until'
import { privateKeyToAccount } from 'viem/accounts'
import { cosign, listFor, orderFor, place, placeOne, USD } from './orderKit.ts'
import { FEED, setRound, stopOf } from './setRound.ts'
import type { Granted, World } from './world.ts'

/** Redemptions on the chain: what a session really received, and transactions to lie about it with. */

const ETH = 10n ** 18n
const GAS_PRICE = 100_000_000_000n

export type OrderChain = Awaited<ReturnType<typeof openOrderChain>>

export async function openOrderChain(world: World) {
  const { devnet, signer, grant, register } = world
  const controls = { signature_above_micro_usd: 0 }
  const walletKey = world.keyOf()
  const session = grant({ controls, walletKey })
  const [sibling, stranger] = [grant({ controls, walletKey }), grant({ controls })]
  for (const one of [session, sibling, stranger]) await register(one)
  for (const account of [session.binding.wallet, stranger.binding.wallet, world.executor])
    await devnet.rpc('hardhat_setBalance', [account, `0x${(2n * ETH).toString(16)}`])
  const sale = { side: 'sell', microUsd: 30 * USD } as const
  const exitOf = orderFor(world, { side: 'buy', microUsd: 60 * USD }, { parent: 1 })
  const stopped = orderFor(
    world,
    { side: 'buy', microUsd: 5 * USD },
    { parent: 1, trigger: stopOf(world, FEED) },
  )
  const bracket = listFor(world, session, [orderFor(world, sale), exitOf, stopped])
  const [entry, exit, stop] = (await place(world, session, bracket)) as [Hex, Hex, Hex]
  // After the registration, before the entry's fill.
  await sleep(1_100)
  const early = await setRound(world, FEED, 0.94)
  await setRound(world, FEED, 1)
  const first = await cosign(world, session, sale, { id: entry })
  const entryTx = await redeem(world, session, first, { upgrades: session })
  const settled = await signer.client.settleLeaf({
    root_hash: session.rootHash,
    sequence: first.sequence,
    tx_hash: entryTx.hash,
  })
  if (settled.state !== 'used') throw new Error(`an honest settlement is ${JSON.stringify(settled)}`)

  // The same sequence in three sessions: one leaf is never sent, the others ran.
  const unsentId = await placeOne(world, session, sale)
  const unsent = await cosign(world, session, sale, { id: unsentId })
  const failed = await redeem(world, session, unsent, { gas: 120_000n })
  const others: Hex[] = []
  for (const one of [sibling, stranger]) {
    const id = await placeOne(world, one, { ...sale, microUsd: 60 * USD })
    await cosign(world, one, sale, { id, part: 1 })
    const second = await cosign(world, one, sale, { id, part: 2 })
    if (second.sequence !== unsent.sequence) throw new Error('another sequence')
    const sent = await redeem(world, one, second, one === stranger ? { upgrades: one } : {})
    if (!sent.ok) throw new Error('an honest redemption reverted')
    others.push(sent.hash)
  }
  if (!entryTx.ok || failed.ok) throw new Error('a transaction did not end as planned')
  return {
    session,
    exit,
    stop,
    early,
    received: BigInt(settled.received!),
    unsent: { sequence: unsent.sequence, id: unsentId },
    lies: { entry: entryTx.hash, failed: failed.hash, sibling: others[0]!, stranger: others[1]! },
  }
}

interface Sent {
  hash: Hex
  ok: boolean
}

/** Sends a co-signed leaf as the executor does. */
async function redeem(
  world: World,
  { root }: Granted,
  { leaf, execution }: { leaf: Delegation; execution: Execution },
  { gas = 1_500_000n, upgrades }: { gas?: bigint; upgrades?: Granted } = {},
): Promise<Sent> {
  const data = encodeRedeem([{ delegations: [leaf, root], execution }])
  return sendFrom(world, world.executorKey, { to: world.place.manager, data, gas, upgrades })
}

/** The wallet ends all of its sessions with controls. */
export async function endAll(world: World, { walletKey, binding }: Granted): Promise<void> {
  await world.devnet.rpc('hardhat_setBalance', [binding.wallet, `0x${ETH.toString(16)}`])
  const { ok } = await sendFrom(world, walletKey, { ...endAllCall(world.place), gas: 200_000n })
  if (!ok) throw new Error('incrementNonce failed')
}

async function sendFrom(
  { devnet, place }: World,
  key: Hex,
  { to, data, gas, upgrades }: { to: Hex; data: Hex; gas: bigint; upgrades?: Granted | undefined },
): Promise<Sent> {
  const account = privateKeyToAccount(key)
  const nonce = Number(await devnet.rpc<Hex>('eth_getTransactionCount', [account.address, 'latest']))
  const shared = {
    chainId: 4663,
    nonce,
    to,
    data,
    gas,
    maxFeePerGas: GAS_PRICE,
    maxPriorityFeePerGas: 1n,
  }
  const authorization = upgrades && {
    authorizationList: [
      await privateKeyToAccount(upgrades.walletKey).signAuthorization({
        chainId: 4663,
        address: place.delegator,
        nonce: 0,
      }),
    ],
  }
  const raw = authorization
    ? await account.signTransaction({ type: 'eip7702', ...shared, ...authorization })
    : await account.signTransaction({ type: 'eip1559', ...shared })
  const hash = await devnet.rpc<Hex>('eth_sendRawTransaction', [raw])
  const receipt = await until(() => devnet.rpc<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]))
  return { hash, ok: receipt!.status === '0x1' }
}
