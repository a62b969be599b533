import { type Address, encodeFunctionData, zeroAddress } from 'viem'
import type { Artifacts } from '../compile.ts'
import { type Acts, artifactOf } from './acts.ts'
import type { Asset } from './amounts.ts'
import type { Assets } from './coreTokens.ts'
import { type Exchanges, V3_TRAP_FEE } from './exchanges.ts'
import type { Hooks } from './hooks.ts'
import { DYNAMIC_FEE, poolAddressOf, queuePool, v2, v3, v4 } from './pools.ts'

/** A token (or not) with one defect, and the risk codes it deserves for that alone. */
export interface Specimen {
  address: Address
  symbol: string
  wrong: string
  risks: string[]
}

type Venue = 'v2' | 'v4' | 'hooked' | 'taking' | 'trapped' | 'trap' | 'none'

interface Row {
  contract: string
  name?: string
  symbol: string
  wrong: string
  risks?: string[]
  venue: Venue
  /** Called on the specimen once its pool exists. */
  afterwards?: string
}

const CONTROL_NAME = 'Bell\u0007Back\u0008Esc\u001b[31mRed\u0000Nul\u202eRight to left'

/** Specimens, each with one defect. */
const ROWS: Record<string, Row> = {
  good: { contract: 'Plain', name: 'Good Token', symbol: 'GOOD', wrong: 'nothing', venue: 'v2' },
  honeypot: {
    contract: 'Honeypot',
    symbol: 'HONEY',
    wrong: 'only its owner can sell it',
    risks: ['HONEYPOT'],
    venue: 'v2',
  },
  transfer_blocked: {
    contract: 'TransferBlocked',
    symbol: 'STUCK',
    wrong: 'holders cannot transfer it to each other',
    risks: ['TRANSFER_BLOCKED'],
    venue: 'v2',
  },
  sell_taxed: {
    contract: 'SellTaxed',
    symbol: 'STAX',
    wrong: 'keeps 2500 bps of every sale',
    risks: ['SELL_TAX'],
    venue: 'v2',
  },
  buy_taxed: {
    contract: 'BuyTaxed',
    symbol: 'BTAX',
    wrong: 'keeps 500 bps of every purchase',
    risks: ['BUY_TAX'],
    venue: 'v2',
  },
  fee_on_transfer: {
    contract: 'FeeOnTransfer',
    symbol: 'FOT',
    wrong: 'keeps 300 bps of every transfer',
    risks: ['FEE_ON_TRANSFER'],
    venue: 'v2',
  },
  rebasing: {
    contract: 'Rebasing',
    symbol: 'REBASE',
    wrong: 'balances change without transfers',
    risks: ['REBASING'],
    venue: 'v2',
  },
  pausable: {
    contract: 'Pausable',
    symbol: 'PAUSE',
    wrong: 'its owner can stop all transfers',
    risks: ['OWNER_CONTROLS'],
    venue: 'v4',
  },
  paused: {
    contract: 'Pausable',
    symbol: 'HALT',
    wrong: 'its owner has stopped all transfers',
    risks: ['TOKEN_PAUSED'],
    venue: 'v4',
    afterwards: 'pause',
  },
  blacklist: {
    contract: 'Blacklist',
    symbol: 'BAR',
    wrong: 'its owner can block a wallet',
    risks: ['BLACKLIST'],
    venue: 'v4',
  },
  mintable: {
    contract: 'MintableByOwner',
    symbol: 'PRINT',
    wrong: 'its owner can mint more',
    risks: ['MINTABLE'],
    venue: 'v4',
  },
  impersonator: {
    contract: 'Plain',
    name: 'Global Dollar',
    symbol: 'USDG',
    wrong: "carries a core token's symbol",
    risks: ['IMPERSONATOR'],
    venue: 'v4',
  },
  unknown_hook: {
    contract: 'Plain',
    name: 'Hooked',
    symbol: 'HOOK',
    wrong: 'its only pool has an unknown v4 hook that skims 500 bps',
    risks: ['UNKNOWN_HOOK'],
    venue: 'hooked',
  },
  taking_hook: {
    contract: 'Plain',
    name: 'Hook Takes One Percent',
    symbol: 'TAKES',
    wrong: 'its pool has a known hook that takes 100 bps outside the fee',
    venue: 'taking',
  },
  fee_trap: {
    contract: 'Plain',
    name: 'Beside Traps',
    symbol: 'TRAP',
    wrong: 'besides an honest pool it has three deep ones that keep 80% to 99% of a trade',
    risks: ['UNKNOWN_HOOK'],
    venue: 'trapped',
  },
  only_traps: {
    contract: 'Plain',
    name: 'Nothing But A Trap',
    symbol: 'TRAPS',
    wrong: 'its only pool keeps 90% of a trade',
    venue: 'trap',
  },
  no_route: {
    contract: 'Plain',
    name: 'Nowhere',
    symbol: 'NOWHERE',
    wrong: 'no pool has it',
    venue: 'none',
  },
  script_name: {
    contract: 'Plain',
    name: '<script>alert("pit")</script>',
    symbol: '<b>XSS</b>',
    wrong: 'its name is a script tag',
    venue: 'v4',
  },
  gas_burner: {
    contract: 'GasBurner',
    symbol: 'BURN',
    wrong: 'every call burns all gas',
    venue: 'v4',
    afterwards: 'light',
  },
  megabytes: {
    contract: 'MegabyteReturner',
    symbol: 'MEGA',
    wrong: 'name and symbol are two megabytes',
    venue: 'v4',
  },
  long_symbol: {
    contract: 'Plain',
    name: 'Long Symbol',
    symbol: 'LONG'.repeat(75),
    wrong: 'its symbol has 300 characters',
    venue: 'v4',
  },
  bytes32_symbol: {
    contract: 'Bytes32Symbol',
    symbol: 'OLDMKR',
    wrong: 'name and symbol are bytes32',
    venue: 'v4',
  },
  reverting_decimals: {
    contract: 'RevertingDecimals',
    symbol: 'NODEC',
    wrong: 'decimals() reverts',
    venue: 'v4',
  },
  lying_balance: {
    contract: 'LyingBalance',
    symbol: 'LIAR',
    wrong: 'balanceOf is a million for everyone but its markets',
    venue: 'v4',
  },
  control_name: {
    contract: 'Plain',
    name: CONTROL_NAME,
    symbol: 'CTRL',
    wrong: 'its name has control characters',
    venue: 'v4',
  },
}

const SUPPLY = 100_000_000n * 10n ** 18n
const DEPTH_USD = 60_000n
/** Deeper than the honest pools beside them, as bait. */
const TRAP_DEPTH_USD = 600_000n
const V4_TRAP_FEE = 900_000
const PRICE_MICRO_USD = 250_000n
/** Where a specimen's code looks up which addresses are markets. */
const ASKS_MARKETS = new Set(['Honeypot', 'TransferBlocked', 'SellTaxed', 'BuyTaxed', 'LyingBalance'])

export interface Gallery {
  specimens: Record<string, Specimen>
  /** The second code of the upgradeable token, and the first. */
  implementations: { first: Address; second: Address }
}

export function queueGallery(
  artifacts: Artifacts,
  acts: Acts,
  world: { assets: Assets; exchanges: Exchanges; hooks: Hooks },
): Gallery {
  const specimens: Record<string, Specimen> = {}
  Object.entries(ROWS).forEach(([key, row], index) => {
    const name = row.name ?? row.wrong
    const address = acts.deploy(row.contract, [name, row.symbol, SUPPLY], BigInt(index))
    specimens[key] = { address, symbol: row.symbol, wrong: row.wrong, risks: row.risks ?? [] }
    queueMarket(acts, world, { address, venue: row.venue, contract: row.contract })
    if (row.afterwards) acts.call(row.contract, address, row.afterwards, [], 60_000n)
  })
  specimens['not_a_token'] = {
    address: acts.deploy('NotAToken'),
    symbol: '',
    wrong: 'it is a contract, but not a token',
    risks: [],
  }

  const first = acts.deploy('UpgradeableToken')
  const second = acts.deploy('UpgradedToken')
  const initialization = encodeFunctionData({
    abi: artifactOf(artifacts, 'UpgradeableToken').abi,
    functionName: 'initialize',
    args: ['Upgradeable', 'UPGR', SUPPLY],
  })
  const address = acts.deploy('UpgradeableProxy', [first, initialization])
  specimens['upgradeable'] = {
    address,
    symbol: 'UPGR',
    wrong: 'its admin can replace its code',
    risks: ['PROXY'],
  }
  queueMarket(acts, world, { address, venue: 'v2', contract: 'UpgradeableToken' })
  specimens['island'] = queueIsland(acts)
  return { specimens, implementations: { first, second } }
}

/** A token that trades only against one that trades nowhere else: no route leads to either. */
function queueIsland(acts: Acts): Specimen {
  const [island, shore] = (['ISLAND', 'SHORE'] as const).map((symbol): Asset => {
    const address = acts.deploy('Plain', [symbol, symbol, SUPPLY])
    return { symbol, address, decimals: 18, priceMicroUsd: PRICE_MICRO_USD }
  }) as [Asset, Asset]
  queuePool(acts, v4(island, shore, 3000, DEPTH_USD, 'full'))
  const wrong = 'its only pool leads to a token without another pool'
  return { address: island.address, symbol: island.symbol, wrong, risks: [] }
}

function queueMarket(
  acts: Acts,
  { assets, exchanges, hooks }: { assets: Assets; exchanges: Exchanges; hooks: Hooks },
  { address, venue, contract }: { address: Address; venue: Venue; contract: string },
): void {
  if (venue === 'none') return
  const token: Asset = { symbol: '', address, decimals: 18, priceMicroUsd: PRICE_MICRO_USD }
  const asksMarkets = ASKS_MARKETS.has(contract) || contract === 'UpgradeableToken'
  const hook = venue === 'hooked' ? hooks.skimming : venue === 'taking' ? hooks.taking : zeroAddress
  const plan =
    venue === 'v2' || venue === 'trapped'
      ? v2(token, assets.WETH, DEPTH_USD)
      : v4(assets.ETH, token, venue === 'trap' ? V4_TRAP_FEE : 3000, DEPTH_USD, 'full', { hooks: hook })
  const market = plan.version === 'v4' ? exchanges.v4_pool_manager : poolAddressOf(exchanges, plan)
  if (asksMarkets) acts.call(contract, address, 'setMarket', [market, true], 80_000n)
  // It trades through the router and directly: only transfers between holders fail.
  if (contract === 'TransferBlocked')
    acts.call(contract, address, 'setMarket', [exchanges.universal_router, true], 80_000n)
  queuePool(acts, plan)
  if (venue !== 'trapped') return
  queuePool(acts, v3(token, assets.WETH, V3_TRAP_FEE, TRAP_DEPTH_USD, 'full'))
  queuePool(acts, v4(assets.ETH, token, V4_TRAP_FEE, TRAP_DEPTH_USD, 'full'))
  queuePool(acts, v4(assets.ETH, token, DYNAMIC_FEE, TRAP_DEPTH_USD, 'full', { hooks: hooks.trapFee }))
}
