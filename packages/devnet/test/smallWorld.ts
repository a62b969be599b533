import {
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  parseAbi,
  zeroAddress,
} from 'viem'
import { type Artifacts, compileContracts } from '../src/compile.ts'
import { MULTICALL3, PERMIT2, placeCanonical } from '../src/deploy/canonical.ts'
import { queueExchanges } from '../src/deploy/exchanges.ts'
import { cloneAddress } from '../src/deploy/longTail.ts'
import { createTransactions } from '../src/deploy/transactions.ts'
import { publicAccounts } from '../src/engine/accounts.ts'
import type { Chain, Hex } from '../src/engine/types.ts'
import { fairSqrtX96 } from '../src/market/fair.ts'
import {
  type Asset,
  type FeedRound,
  type Fund,
  type MarketWorld,
  NATIVE,
  type Pool,
} from '../src/market/index.ts'

/**
 * The smallest world the market can run in: real exchanges, three assets, a pool of every version and a
 * curve. Small enough to be built for each test.
 */
export interface SmallWorld {
  world: MarketWorld
  artifacts: Artifacts
  publish: (rounds: FeedRound[]) => Promise<void>
  fund: Fund
}

const BUILDER_ABI = parseAbi([
  'struct Band { uint24 below; uint24 above; uint128 liquidity; }',
  'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Act { address target; uint256 value; bytes data; }',
  'struct Birth { string name; string symbol; uint256 supply; uint256 salt; }',
  'function act(Act[] acts) payable',
  'function births(Birth[] list)',
  'function v2Pool(address a, address b, uint256 amountA, uint256 amountB)',
  'function v3Pool(address token0, address token1, uint24 fee, uint160 sqrtPriceX96, Band[] bands)',
  'function v4Pool(Key key, uint160 sqrtPriceX96, Band[] bands)',
])
const TOKEN_ABI = parseAbi([
  'function mint(address to, uint256 value)',
  'function deposit() payable',
  'function transfer(address to, uint256 value)',
])
const FEED_ABI = parseAbi(['function setRound(int256 answer, uint256 updatedAt)'])
const LAUNCHPAD_ABI = parseAbi([
  'struct Launch { string name; string symbol; address pair; address creator; uint128 virtualPair; uint16 creatorTaxBps; uint16 snipeStartBps; uint16 snipeSeconds; uint8 poolVersion; }',
  'function launch(Launch wish) returns (address curve, address token)',
])
const ETHER = 10n ** 18n
const START = { ETH: 3_000, USDG: 1, PARTNER: 0.5 }

export async function buildSmallWorld(chain: Chain, atS: bigint): Promise<SmallWorld> {
  const artifacts = await compileContracts()
  const owner = publicAccounts(1)[0]?.address as Hex
  await placeCanonical(chain)
  const txs = await createTransactions(chain, owner)
  const exchanges = queueExchanges(txs, owner)
  const make = (name: string, args: unknown[] = []): Hex => {
    const artifact = artifacts[name]
    if (!artifact) throw new Error(`no contract ${name}`)
    return txs.create(name, encodeDeployData({ ...artifact, args }))
  }
  const usdg = make('USDG')
  const partner = make('Partner')
  const feed = make('OracleFeed', ['ETH / USD', 8])
  const tokenCode = make('CloneToken')
  const curveCode = make('Curve')
  const builder = make('WorldBuilder', [
    exchanges.v2_factory,
    exchanges.v3_factory,
    exchanges.v4_pool_manager,
    tokenCode,
  ])
  const graduator = make('Graduator', [exchanges.weth, exchanges.v2_factory, exchanges.v3_factory])
  const launchpad = make('Launchpad', [tokenCode, curveCode, graduator, owner, usdg])
  const send = (label: string, to: Hex, data: Hex, value = 0n, gas = 6_000_000n) =>
    txs.send(label, { to, data, value, gas })
  const mint = (token: Hex, to: Hex, value: bigint) =>
    send(
      'mint',
      token,
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [to, value] }),
      0n,
      100_000n,
    )

  mint(usdg, builder, 100_000_000n * 10n ** 6n)
  mint(partner, builder, 100_000_000n * ETHER)
  send(
    'weth',
    exchanges.weth,
    encodeFunctionData({ abi: TOKEN_ABI, functionName: 'deposit' }),
    4_500n * ETHER,
    100_000n,
  )
  const toBuilder = encodeFunctionData({
    abi: TOKEN_ABI,
    functionName: 'transfer',
    args: [builder, 4_500n * ETHER],
  })
  send('weth', exchanges.weth, toBuilder, 0n, 100_000n)
  const setRound = (answer: bigint) =>
    encodeFunctionData({ abi: FEED_ABI, functionName: 'setRound', args: [answer, atS] })
  send('feed', feed, setRound(BigInt(START.ETH) * 10n ** 8n), 0n, 150_000n)

  const assets: Asset[] = [
    {
      symbol: 'ETH',
      token: NATIVE,
      decimals: 18,
      feed: { address: feed, decimals: 8, session: 'always', deviationBps: 5, heartbeatS: 15 },
      volatility: 0.9,
    },
    { symbol: 'USDG', token: usdg, decimals: 6, feed: null, volatility: 0, anchorUsd: 1 },
    { symbol: 'PARTNER', token: partner, decimals: 18, feed: null, volatility: 1.5 },
  ]
  const assetOf = (token: Hex) =>
    assets.find((asset) => asset.token === (token === exchanges.weth ? NATIVE : token)) as Asset
  const sqrtOf = (token0: Hex, token1: Hex) => {
    const [a, b] = [assetOf(token0), assetOf(token1)]
    return fairSqrtX96(a, b, START[a.symbol as keyof typeof START], START[b.symbol as keyof typeof START])
  }
  const sorted = (a: Hex, b: Hex): [Hex, Hex] => (BigInt(a) < BigInt(b) ? [a, b] : [b, a])
  const pools: Pool[] = []
  const build = (label: string, data: Hex, value = 0n) => send(label, builder, data, value, 8_000_000n)

  const [w0, w1] = sorted(exchanges.weth, usdg)
  for (const [fee, tickSpacing] of [
    [500, 10],
    [3_000, 60],
  ] as const) {
    const bands = [{ below: 0, above: 0, liquidity: 10n ** 17n }]
    build(
      'v3',
      encodeFunctionData({
        abi: BUILDER_ABI,
        functionName: 'v3Pool',
        args: [w0, w1, fee, sqrtOf(w0, w1), bands],
      }),
    )
    const salt = keccak256(encodeAbi(w0, w1, fee))
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: exchanges.v3_factory,
      salt,
      bytecodeHash: exchanges.v3_pool_init_code_hash,
    })
    pools.push({ version: 3, address, currency0: w0, currency1: w1, fee, tickSpacing, hooks: NATIVE })
  }
  build(
    'v2',
    encodeFunctionData({
      abi: BUILDER_ABI,
      functionName: 'v2Pool',
      args: [exchanges.weth, usdg, 300n * ETHER, 900_000n * 10n ** 6n],
    }),
  )
  const pair = getContractAddress({
    opcode: 'CREATE2',
    from: exchanges.v2_factory,
    salt: keccak256(`0x${w0.slice(2)}${w1.slice(2)}`.toLowerCase() as Hex),
    bytecodeHash: exchanges.v2_pair_init_code_hash,
  })
  pools.push({
    version: 2,
    address: pair,
    currency0: w0,
    currency1: w1,
    fee: 3_000,
    tickSpacing: 60,
    hooks: NATIVE,
  })
  const keys = [
    { currency0: NATIVE, currency1: usdg },
    { currency0: sorted(usdg, partner)[0], currency1: sorted(usdg, partner)[1] },
    { currency0: NATIVE, currency1: partner },
    // A v4 pool of WETH needs WETH itself.
    { currency0: w0, currency1: w1 },
  ].map((key) => ({ ...key, fee: 500, tickSpacing: 10, hooks: NATIVE }))
  const liquidityOf = ({ currency0, currency1 }: { currency0: Hex; currency1: Hex }) => {
    if (currency0 === w0 && currency1 === w1) return 10n ** 16n
    return currency0 === NATIVE && currency1 === partner ? 10n ** 22n : 10n ** 17n
  }
  for (const key of keys) {
    const liquidity = liquidityOf(key)
    const args = [key, sqrtOf(key.currency0, key.currency1), [{ below: 0, above: 0, liquidity }]] as const
    build('v4', encodeFunctionData({ abi: BUILDER_ABI, functionName: 'v4Pool', args }))
    pools.push({ version: 4, address: NATIVE, ...key })
  }
  // An unpriced token, 8% more expensive in its v4 pool than in its v2 pair.
  const tail = cloneAddress(builder, tokenCode, 7n)
  const birth = { name: 'Tail', symbol: 'TAIL', supply: 10n ** 27n, salt: 7n }
  build('tail', encodeFunctionData({ abi: BUILDER_ABI, functionName: 'births', args: [[birth]] }))
  build(
    'tail v2',
    encodeFunctionData({
      abi: BUILDER_ABI,
      functionName: 'v2Pool',
      args: [tail, usdg, 50_000n * ETHER, 50_000n * 10n ** 6n],
    }),
  )
  const [t0, t1] = sorted(tail, usdg)
  pools.push({
    version: 2,
    address: getContractAddress({
      opcode: 'CREATE2',
      from: exchanges.v2_factory,
      salt: keccak256(`0x${t0.slice(2)}${t1.slice(2)}`.toLowerCase() as Hex),
      bytecodeHash: exchanges.v2_pair_init_code_hash,
    }),
    currency0: t0,
    currency1: t1,
    fee: 3_000,
    tickSpacing: 60,
    hooks: NATIVE,
  })
  const tailAsset: Asset = { symbol: 'TAIL', token: tail, decimals: 18, feed: null, volatility: 0 }
  const tailKey = { currency0: NATIVE, currency1: tail, fee: 3_000, tickSpacing: 60, hooks: NATIVE }
  const tailPrice = fairSqrtX96(assetOf(NATIVE), tailAsset, START.ETH, 1.08)
  const tailBands = [{ below: 0, above: 0, liquidity: 10n ** 21n }]
  build(
    'tail v4',
    encodeFunctionData({ abi: BUILDER_ABI, functionName: 'v4Pool', args: [tailKey, tailPrice, tailBands] }),
  )
  pools.push({ version: 4, address: NATIVE, ...tailKey })
  const wish = {
    name: 'Curve',
    symbol: 'CRV',
    pair: zeroAddress,
    creator: owner,
    virtualPair: 5n * ETHER,
    creatorTaxBps: 100,
    snipeStartBps: 0,
    snipeSeconds: 0,
    poolVersion: 2,
  }
  await chain.admin('hardhat_setBalance', [builder, `0x${(4_500n * ETHER).toString(16)}`])
  await txs.mineAll(atS)
  const launch = encodeFunctionData({ abi: LAUNCHPAD_ABI, functionName: 'launch', args: [wish] })
  const launched = await chain.request<Hex>('eth_call', [
    { from: owner, to: launchpad, data: launch },
    'latest',
  ])
  const addressAt = (n: number): Hex => `0x${launched.slice(2 + n * 64 + 24, 2 + (n + 1) * 64)}`
  send('launch', launchpad, launch, 0n, 2_000_000n)
  await txs.mineAll(atS)

  return {
    artifacts,
    world: {
      assets,
      pools,
      curves: [{ launchpad: 'pit', address: addressAt(0), token: addressAt(1), pair: NATIVE }],
      partnerPool:
        pools.find(
          (pool) => pool.currency0 !== NATIVE && [pool.currency0, pool.currency1].includes(partner),
        ) ?? null,
      contracts: {
        weth: exchanges.weth,
        usdg,
        permit2: PERMIT2,
        multicall3: MULTICALL3,
        universalRouter: exchanges.universal_router,
        v4PoolManager: exchanges.v4_pool_manager,
        v4StateView: exchanges.v4_state_view,
      },
    },
    async publish(rounds) {
      for (const { feed: target, answer, atS: updatedAt } of rounds) {
        const data = encodeFunctionData({
          abi: FEED_ABI,
          functionName: 'setRound',
          args: [answer, updatedAt],
        })
        await chain.sendOwned({ from: owner, to: target.address, data, gas: 150_000n })
      }
    },
    async fund(gifts) {
      for (const { token, to, amount } of gifts) {
        const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [to, amount] })
        await chain.sendOwned({ from: owner, to: token, data, gas: 100_000n })
      }
    },
  }
}

const encodeAbi = (token0: Hex, token1: Hex, fee: number): Hex =>
  `0x${[token0, token1, `0x${fee.toString(16)}`].map((word) => word.slice(2).toLowerCase().padStart(64, '0')).join('')}`
