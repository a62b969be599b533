import {
  announceMultiplier,
  blockWallet,
  launch,
  pauseOracle,
  pauseStock,
  setFeed,
  upgradeToken,
  type World,
} from './deploy/index.ts'
import { PUBLIC_MNEMONIC, publicAccounts } from './engine/accounts.ts'
import { rpcFailure } from './engine/provider.ts'
import type { Chain, Hex } from './engine/types.ts'
import type { Market } from './market/index.ts'
import type { Method } from './rpc/index.ts'
import {
  BROKE_KEY,
  LIMITED_KEY,
  MODELS,
  SERVICE_KEY,
  UnknownVendorMode,
  VENDOR_MODES,
  type Vendors,
} from './vendors/index.ts'

export interface MethodDeps {
  chain: Chain
  world: World
  market: Market
  vendors: Vendors
  stats: () => Record<string, unknown>
}

const refuse = (message: string) => rpcFailure(-32602, message)

function text(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw refuse(`${name} must be text`)
}

function flag(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value
  throw refuse(`${name} must be true or false`)
}

function address(value: unknown, name: string): Hex {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)) return value as Hex
  throw refuse(`${name} must be an address`)
}

function fields(value: unknown): Record<string, unknown> {
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw refuse('expected an object')
}

function optionalNumber(value: unknown, name: string, least: number): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value
  throw refuse(`${name} must be a number of at least ${least}`)
}

/** Test methods that change the world, by RPC. Each is mined before it returns. */
export function devnetMethods({ chain, world, market, vendors, stats }: MethodDeps): Record<string, Method> {
  return {
    async devnet_setFeed([symbolGiven, change]) {
      const symbol = text(symbolGiven, 'symbol') === 'WETH' ? 'ETH' : text(symbolGiven, 'symbol')
      // Zero and negative values make a bad round, which the market does not follow.
      const price = optionalNumber(fields(change).price, 'price', -1e12)
      const age_s = optionalNumber(fields(change).age_s, 'age_s', 0)
      if (!world.feeds[symbol])
        throw refuse(`no feed of ${symbol}; there are ${Object.keys(world.feeds).join(', ')}`)
      // The market does not update a feed that was set by hand, and trades its pools to the price.
      market.hold(symbol, price !== undefined && price > 0 ? price : undefined)
      await setFeed(chain, world, symbol, {
        ...(price !== undefined && { price }),
        ...(age_s !== undefined && { age_s }),
      })
      return { symbol, held: true }
    },
    async devnet_pauseStock([symbol, paused]) {
      const target = symbol === '*' ? symbol : stockOf(world, symbol)
      await pauseStock(chain, world, target, flag(paused, 'paused'))
      return true
    },
    async devnet_pauseOracle([symbol, paused]) {
      await pauseOracle(chain, world, stockOf(world, symbol), flag(paused, 'paused'))
      return true
    },
    async devnet_setMultiplier([symbol, change]) {
      const multiplier = optionalNumber(fields(change).multiplier, 'multiplier', 1e-6)
      if (multiplier === undefined) throw refuse('multiplier must be shares per token')
      const in_s = optionalNumber(fields(change).in_s, 'in_s', 0) ?? 0
      return {
        effective_at: await announceMultiplier(chain, world, stockOf(world, symbol), { multiplier, in_s }),
      }
    },
    async devnet_blockWallet([symbol, wallet, blocked]) {
      // One list for all stocks: the symbol only has to be one of them.
      stockOf(world, symbol)
      await blockWallet(chain, world, address(wallet, 'wallet'), flag(blocked, 'blocked'))
      return true
    },
    async devnet_upgradeToken([token]) {
      return upgradeToken(
        chain,
        world,
        token === undefined ? world.upgradeable.token : address(token, 'token'),
      )
    },
    async devnet_market([wish]) {
      const on = fields(wish).on
      if (on !== undefined) {
        if (flag(on, 'on')) await market.start()
        else await market.stop()
      }
      return { on: market.isOn(), prices: Object.fromEntries(market.prices()), ...market.stats() }
    },
    async devnet_vendor([wish]) {
      const { name, mode, ...options } = fields(wish)
      if (name === undefined) return vendors.modes()
      try {
        vendors.setVendor(text(name, 'name'), text(mode, 'mode'), options)
      } catch (error) {
        if (error instanceof UnknownVendorMode) throw refuse(error.message)
        throw error
      }
      return vendors.modes()
    },
    async devnet_launch([wish]) {
      const { pair = 'ETH', symbol, launchpad = 'pit', exempt = [] } = fields(wish)
      if (launchpad !== 'pit' && launchpad !== 'pons') throw refuse('launchpad must be pit or pons')
      const isPair = pair === 'ETH' || pair === 'USDG' || (pair === 'NVDA' && launchpad === 'pons')
      if (!isPair) throw refuse('pair must be ETH or USDG, or NVDA with pons')
      const isList = Array.isArray(exempt) && exempt.every((one) => /^0x[0-9a-fA-F]{40}$/.test(String(one)))
      if (!isList) throw refuse('exempt must be a list of addresses')
      const creatorTaxBps = optionalNumber(fields(wish).creator_tax_bps, 'creator_tax_bps', 0)
      const snipeSeconds = optionalNumber(fields(wish).snipe_seconds, 'snipe_seconds', 1)
      return launch(chain, world, {
        launchpad,
        pair,
        exempt,
        ...(snipeSeconds !== undefined && { snipeSeconds }),
        symbol: text(symbol, 'symbol'),
        ...(creatorTaxBps !== undefined && { creatorTaxBps }),
      })
    },
    async devnet_info() {
      return {
        mnemonic: PUBLIC_MNEMONIC,
        accounts: publicAccounts().map((account) => ({
          address: account.address,
          private_key: account.privateKey,
        })),
        agents: world.agents,
        gallery: world.gallery,
        stocks: world.stocks,
        registries: world.registries,
        sanctioned: world.sanctioned,
        upgradeable: world.upgradeable,
        long_tail: world.longTail,
        pons: world.pons,
        vendors: {
          url: vendors.url,
          modes: VENDOR_MODES,
          models: MODELS.map(({ id }) => id),
          keys: {
            service: SERVICE_KEY,
            broke: BROKE_KEY,
            limited: LIMITED_KEY,
            user: 'pk-devnet-user-<name>',
          },
        },
        profile: world.profile,
      }
    },
    async devnet_stats() {
      return stats()
    },
  }
}

function stockOf(world: World, symbol: unknown): string {
  const name = text(symbol, 'symbol')
  if (world.stocks[name]) return name
  throw refuse(`no stock ${name}; there are ${Object.keys(world.stocks).join(', ')}`)
}
