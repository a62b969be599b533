import type { Crypto } from '@pit/chain'
import { encodeDeployData, getContractAddress } from 'viem'
import type { Artifacts } from '../compile.ts'
import type { Chain, Hex } from '../engine/types.ts'
import { call, readMany, word } from './multicall.ts'
import { type MarketAccount, marketAccounts, type Sender } from './sender.ts'
import type { MarketWorld } from './types.ts'

/** Sends tokens to many at once: mints them or transfers from a holder. */
export type Fund = (gifts: { token: Hex; to: Hex; amount: bigint }[]) => Promise<void>

export interface MarketCast {
  arbitrageur: Hex
  keeper: MarketAccount
  crowd: MarketAccount[]
}

export interface SetupDeps {
  chain: Chain
  crypto: Crypto
  sender: Sender
  world: MarketWorld
  artifacts: Artifacts
  fund: Fund
}

const CROWD_SIZE = 12
/** Initial dollars of each asset of each crowd member and the arbitrageur. */
const CROWD_USD = 500_000
const ARBITRAGEUR_USD = 50_000_000
const ETHER = 10n ** 18n
const CROWD_ETH = 1_000n * ETHER
const ARBITRAGEUR_ETH = 20_000n * ETHER

const hex = (value: bigint) => `0x${value.toString(16)}`

/** Trading accounts: the same in every devnet, so that a restart finds them again. */
export function marketCast(crypto: Crypto): MarketCast {
  const [keeper, ...crowd] = marketAccounts(crypto, CROWD_SIZE + 1) as [MarketAccount, ...MarketAccount[]]
  const arbitrageur = getContractAddress({ from: keeper.address, nonce: 0n }).toLowerCase() as Hex
  return { keeper, crowd, arbitrageur }
}

/** Deploys the arbitrageur the first time, and tops up low accounts. Idempotent. */
export async function setupMarket(
  deps: SetupDeps,
  cast: MarketCast,
  prices: ReadonlyMap<string, number>,
): Promise<void> {
  const { chain, world } = deps
  await fillEther(chain, world.contracts.multicall3, cast)
  if ((await chain.request<Hex>('eth_getCode', [cast.arbitrageur, 'latest'])) === '0x') {
    const artifact = deps.artifacts.Arbitrageur
    if (!artifact) throw new Error('contracts/market/Arbitrageur.sol was not compiled')
    const { v4PoolManager, weth } = world.contracts
    const data = encodeDeployData({ ...artifact, args: [v4PoolManager, weth] })
    await deps.sender.send(cast.keeper, [{ to: null, data, gas: 3_000_000n }])
  }
  await fillTokens(deps, cast, prices)
}

async function fillEther(chain: Chain, multicall3: Hex, cast: MarketCast): Promise<void> {
  const rows = [
    ...[cast.keeper, ...cast.crowd].map(({ address }) => ({ address, wanted: CROWD_ETH })),
    { address: cast.arbitrageur, wanted: ARBITRAGEUR_ETH },
  ]
  const balances = await readMany(
    chain,
    multicall3,
    rows.map(({ address }) => call(multicall3, 'getEthBalance', address)),
  )
  for (const [i, { address, wanted }] of rows.entries()) {
    if (word(balances[i]) >= wanted / 4n) continue
    await chain.admin('hardhat_setBalance', [address, hex(wanted)])
  }
}

async function fillTokens(
  deps: SetupDeps,
  cast: MarketCast,
  prices: ReadonlyMap<string, number>,
): Promise<void> {
  const { world } = deps
  const assets = world.assets.filter(({ token }) => BigInt(token) !== 0n)
  const wishes = [...cast.crowd.map(({ address }) => address), cast.arbitrageur].flatMap((to) =>
    assets.flatMap(({ token, symbol, decimals }) => {
      const price = prices.get(symbol)
      if (!price || token.toLowerCase() === world.contracts.weth.toLowerCase()) return []
      const usd = to === cast.arbitrageur ? ARBITRAGEUR_USD : CROWD_USD
      return [{ token, to, amount: BigInt(Math.round(usd / price)) * 10n ** BigInt(decimals) }]
    }),
  )
  const balances = await readMany(
    deps.chain,
    world.contracts.multicall3,
    wishes.map(({ token, to }) => call(token, 'balanceOf', to)),
  )
  const gifts = wishes.filter(({ amount }, i) => word(balances[i]) < amount / 4n)
  if (gifts.length > 0) await deps.fund(gifts)
}
