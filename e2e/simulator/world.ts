import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Address,
  applyLog,
  type Crypto,
  createCrypto,
  createPoolIndex,
  DYNAMIC_FEE,
  findRoutes,
  type Hex,
  NATIVE,
  type PoolLog,
  poolBorn,
  poolIdOfLog,
} from '@pit/chain'
import { type Devnet, startDevnet } from '@pit/devnet'
import { encodeSwap, planHopOf, type SwapPlan } from '@pit/plans'
import { systemClock } from '@pit/platform/clock'
import { createRpc, type Rpc } from '@pit/platform/rpc'
import { feeOf } from '@pit/protocol'
import {
  createSimulator,
  type SimulateParams,
  type Simulator,
} from '../../packages/trading/src/simulate/index.ts'
import type { PlanTx, StepKind, TradeToken } from '../../packages/trading/src/types.ts'
import { seedDevnet } from '../devnetSeed.ts'

/** Longer than a chain from a stored image can be behind until its first new block. */
export const DEADLINE_S = 7_200n

export const lower = (address: string): Address => address.toLowerCase() as Address
const FEE_BPS = 25
const quantity = (value: number): Hex => `0x${value.toString(16)}`

/** A simulator on a devnet with a frozen market, and plans for it, built from the current pools. */
export interface SimulatorWorld {
  devnet: Devnet
  rpc: Rpc
  crypto: Crypto
  simulator: Simulator
  router: Address
  permit2: Address
  recipient: Address
  core(symbol: string): Address
  specimen(name: string): Address
  account(index: number): Address
  token(address: Address, stock?: boolean): TradeToken
  /** Quotes and encodes a trade, and wraps it into a plan with one swap. */
  trade(params: TradeWish): Promise<Trade>
  tx(from: Address, to: Address, data: Hex, valueWei?: bigint): PlanTx
  balance(token: Address, owner: Address, block?: Hex): Promise<bigint>
  /** Sends a transaction and returns its receipt. */
  mine(tx: PlanTx): Promise<Receipt>
  close(): Promise<void>
}

export interface TradeWish {
  wallet: Address
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  side: 'input' | 'output'
  change?: Partial<SwapPlan>
}
export interface Trade {
  swap: { kind: StepKind; tx: PlanTx }
  pools: Hex[]
  /** The wallet's part by the quote. */
  expectedOut: bigint
  expectedFee: bigint
  /** Funded and approved as they are, with the signed minimum. */
  request: SimulateParams
}
export interface Receipt {
  status: Hex
  blockNumber: Hex
  gasUsed: Hex
  effectiveGasPrice: Hex
}

export async function openSimulatorWorld(): Promise<SimulatorWorld> {
  const crypto = await createCrypto()
  const dataDir = mkdtempSync(join(tmpdir(), 'pit-simulator-'))
  await seedDevnet(dataDir)
  const devnet = await startDevnet({
    dataDir,
    host: '127.0.0.1',
    port: 0,
    vendorPort: 0,
    blockMs: 100,
    market: 'off',
    marketSeed: 'simulator',
    tradesPerS: 1,
    session: 'always',
  })
  const { profile } = devnet.world
  const { contracts } = profile
  const rpc = createRpc({ url: devnet.url, timeoutMs: 60_000 })
  const head = () => {
    const { number, hash, timestampS, baseFeeWei } = devnet.chain.head()
    return { number: Number(number), hash, parentHash: hash, timestampS: Number(timestampS), baseFeeWei }
  }
  const simulator = createSimulator({
    rpc,
    crypto,
    profile,
    clock: systemClock,
    market: { head },
    // A busy machine is not a fault.
    timeoutMs: 60_000,
  })
  const core = (symbol: string) =>
    lower(profile.core_tokens.find((token) => token.symbol === symbol)!.address)
  const [router, weth] = [lower(contracts.universal_router!), lower(contracts.weth!)]
  const recipient = lower(profile.fee_recipient!)

  const index = createPoolIndex({ weth, hubs: [NATIVE, core('USDG'), core('PARTNER')] })
  const births = new Set(
    [contracts.v2_factory, contracts.v3_factory, contracts.v4_pool_manager].map((at) => lower(at!)),
  )
  let followedTo = -1

  /** Applies the new logs, as a server does. */
  async function follow(): Promise<void> {
    const head = Number(devnet.chain.head().number)
    const range = { fromBlock: quantity(followedTo + 1), toBlock: quantity(head) }
    for (const log of head > followedTo ? await rpc.request<PoolLog[]>('eth_getLogs', [range]) : []) {
      const born = births.has(log.address) ? poolBorn(log) : undefined
      // A fee that changes without a log cannot be used for a quote.
      const quotable = born?.version === 'v4' ? born.key.fee !== DYNAMIC_FEE : born !== undefined
      if (born && born.version !== 'curve' && quotable) index.add(born)
      const pool = born || log.topics.length === 0 ? undefined : index.get(poolIdOfLog(log))
      if (pool) applyLog(pool, log)
    }
    followedTo = head
  }

  const tx = (from: Address, to: Address, data: Hex, valueWei = 0n): PlanTx => ({
    from,
    to,
    data,
    valueWei,
    gas: 1_500_000,
    nonce: 0,
    maxFeePerGasWei: 10n * devnet.chain.head().baseFeeWei,
    maxPriorityFeePerGasWei: 1n,
  })

  return {
    devnet,
    rpc,
    crypto,
    simulator,
    router,
    permit2: lower(contracts.permit2),
    recipient,
    core,
    specimen: (name) => lower(devnet.world.gallery[name]!.address),
    account: (index) => lower(devnet.world.accounts[index]!),
    token: (address, stock = false) => ({ address, stock }) as TradeToken,
    tx,
    async trade({ wallet, tokenIn, tokenOut, amountIn, side, change = {} }) {
      const swapIn = side === 'input' ? amountIn - feeOf(amountIn, FEE_BPS) : amountIn
      await follow()
      const [route] = findRoutes({ index, crypto }, { tokenIn, tokenOut, amountIn: swapIn }).routes
      if (!route) throw new Error(`no route from ${tokenIn} to ${tokenOut}`)
      const portion = side === 'output' ? feeOf(route.amountOut, FEE_BPS) : 0n
      const expectedOut = route.amountOut - portion
      const plan: SwapPlan = {
        tokenIn,
        tokenOut,
        amountIn,
        legs: [{ hops: route.hops.map(planHopOf), amountIn: swapIn }],
        amountOutMin: (expectedOut * 99n) / 100n,
        direct: true,
        fee: { bps: FEE_BPS, side, recipient },
        deadlineS: devnet.chain.head().timestampS + DEADLINE_S,
        weth,
        layout: contracts.universal_router_layout,
        ...change,
      }
      const { data, valueWei } = encodeSwap(plan)
      const swap = { kind: 'swap' as const, tx: tx(wallet, router, data, valueWei) }
      return {
        swap,
        pools: route.hops.map(({ pool }) => pool.id),
        expectedOut,
        expectedFee: side === 'input' ? feeOf(amountIn, FEE_BPS) : portion,
        request: {
          wallet,
          transactions: [swap],
          tokenIn,
          tokenOut,
          amountIn,
          fee: { token: side === 'input' ? tokenIn : tokenOut, recipient },
          amountOutMin: plan.amountOutMin,
          fund: false,
          holdsInput: true,
          approvals: 'as planned',
        },
      }
    },
    async balance(token, owner, block) {
      if (token === NATIVE)
        return BigInt(await rpc.request<Hex>('eth_getBalance', [owner, block ?? 'latest']))
      const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`
      return BigInt(await rpc.request<Hex>('eth_call', [{ to: token, data }, block ?? 'latest']))
    },
    async mine({ from, to, data, valueWei, gas, maxFeePerGasWei, maxPriorityFeePerGasWei }) {
      const hash = await devnet.chain.sendOwned({
        from,
        to,
        data,
        value: valueWei,
        gas: BigInt(gas),
        maxFeePerGas: maxFeePerGasWei,
        maxPriorityFeePerGas: maxPriorityFeePerGasWei,
      })
      for (let tries = 0; tries < 2_000; tries++) {
        const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash])
        if (receipt) return receipt
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(`${hash} was not mined`)
    },
    async close() {
      rpc.close()
      await devnet.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
