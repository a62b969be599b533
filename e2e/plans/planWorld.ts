import {
  type Address,
  applyLog,
  type CurvePool,
  createCrypto,
  createPoolIndex,
  DYNAMIC_FEE,
  erc20Abi,
  type Hex,
  NATIVE,
  type PermitSingle,
  type PoolIndex,
  type PoolLog,
  permitTypedData,
  poolBorn,
  poolIdOfLog,
  v4StateViewAbi,
} from '@pit/chain'
import { encodeErc20Approve, encodePermit2Approve } from '@pit/plans'
import { type Abi, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { publicAccounts } from '../../packages/devnet/src/engine/accounts.ts'
import { openTestWorld, type TestWorld } from '../../packages/devnet/test/testWorld.ts'

export const lower = (address: string | null): Address => (address ?? zeroAddress).toLowerCase() as Address

/** A deployed world whose pools are followed, with the wallet actions that executing plans needs. */
export interface PlanWorld {
  it: TestWorld
  crypto: Awaited<ReturnType<typeof createCrypto>>
  index: PoolIndex
  curves: Map<Hex, CurvePool>
  weth: Address
  router: Address
  permit2: Address
  recipient: Address
  token(symbol: string): Address
  follow(): Promise<void>
  balance(token: Address, who: Address): Promise<bigint>
  /** Mines one transaction; returns whether it succeeded and its gas cost. */
  send(tx: { from: Address; to: Address; data: Hex; value?: bigint }): Promise<Sent>
  /** The same, reverted afterwards: only whether it would succeed. */
  works(tx: { from: Address; to: Address; data: Hex; value?: bigint }): Promise<boolean>
  /** Lets the router pull a token through Permit2. */
  approve(wallet: Address, token: Address): Promise<void>
  signPermit(wallet: Address, permit: PermitSingle): Promise<Hex>
}
export interface Sent {
  ok: boolean
  gasWei: bigint
  gasUsed: bigint
}

export async function openPlanWorld(): Promise<PlanWorld> {
  const it = await openTestWorld({ longTail: 12, curves: 6, graduated: 1, historyS: 200 })
  const crypto = await createCrypto()
  const { contracts } = it.world.profile
  const weth = lower(contracts.weth)
  const index = createPoolIndex({ weth, hubs: [NATIVE, lower(it.core('USDG')), lower(it.core('PARTNER'))] })
  const curves = new Map<Hex, CurvePool>()
  const births = new Set(
    [
      contracts.v2_factory,
      contracts.v3_factory,
      contracts.v4_pool_manager,
      ...it.world.profile.launchpads.map(({ factory }) => factory),
    ].map(lower),
  )
  let followedTo = -1
  const permit2 = lower(contracts.permit2)
  const router = lower(contracts.universal_router)
  const stateView = lower(contracts.v4_state_view)
  const read = <T>(to: Address, abi: readonly unknown[], functionName: string, args: unknown[]): Promise<T> =>
    it.read<T>({ to, abi: abi as Abi, functionName, args })
  const keys = new Map(publicAccounts().map(({ address, privateKey }) => [lower(address), privateKey]))

  async function follow(): Promise<void> {
    const head = it.chain.head().number
    const logs = await it.chain.request<PoolLog[]>('eth_getLogs', [
      { fromBlock: `0x${(followedTo + 1).toString(16)}`, toBlock: `0x${head.toString(16)}` },
    ])
    for (const log of logs) {
      const born = births.has(log.address) ? poolBorn(log) : undefined
      if (born?.version === 'curve') curves.set(born.id, born)
      else if (born) index.add(born)
      else {
        const id = log.topics.length > 0 ? poolIdOfLog(log) : log.address
        const pool = index.get(id) ?? curves.get(id)
        if (pool) applyLog(pool, log)
      }
    }
    followedTo = Number(head)
    for (const pool of index.all()) {
      if (pool.version !== 'v4' || pool.key.fee !== DYNAMIC_FEE) continue
      const slot0 = await read<number[]>(stateView, v4StateViewAbi, 'getSlot0', [pool.id])
      pool.lpFeePips = slot0[3]!
    }
  }

  async function send(tx: { from: Address; to: Address; data: Hex; value?: bigint }): Promise<Sent> {
    const hash = await it.chain.sendOwned({ value: 0n, gas: 8_000_000n, ...tx })
    await it.chain.mine(it.chain.head().timestampS)
    const receipt = await it.chain.request<{ status: Hex; gasUsed: Hex; effectiveGasPrice: Hex }>(
      'eth_getTransactionReceipt',
      [hash],
    )
    const gasUsed = BigInt(receipt.gasUsed)
    return { ok: receipt.status === '0x1', gasUsed, gasWei: gasUsed * BigInt(receipt.effectiveGasPrice) }
  }
  await follow()
  return {
    it,
    crypto,
    index,
    curves,
    weth,
    router,
    permit2,
    recipient: lower(it.world.profile.fee_recipient),
    token: (symbol) => lower(it.core(symbol)),
    follow,
    balance: (token, who) =>
      token === NATIVE
        ? it.chain.request<Hex>('eth_getBalance', [who, 'latest']).then(BigInt)
        : read<bigint>(token, erc20Abi, 'balanceOf', [who]),
    send,
    async works({ value = 0n, ...tx }) {
      const params = { ...tx, value: `0x${value.toString(16)}`, gas: '0x7a1200' }
      return it.chain.request('eth_call', [params, 'latest']).then(
        () => true,
        () => false,
      )
    },
    async approve(wallet, token) {
      const most = (1n << 160n) - 1n
      const both = [
        { to: token, data: encodeErc20Approve(permit2, most) },
        {
          to: permit2,
          data: encodePermit2Approve({ token, spender: router, amount: most, expiration: 2 ** 47 }),
        },
      ]
      for (const tx of both)
        if (!(await send({ from: wallet, ...tx })).ok) throw new Error('approve reverted')
    },
    async signPermit(wallet, permit) {
      const account = privateKeyToAccount(keys.get(wallet)!)
      return account.signTypedData(permitTypedData({ chainId: 4663, permit2 }, permit))
    },
  }
}
