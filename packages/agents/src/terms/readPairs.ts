import type { Address } from '@pit/chain'
import { NATIVE } from '@pit/chain'
import { hasStockRules } from '@pit/market'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { type CoreToken, fail, isPitError } from '@pit/protocol'
import { type HostedDeps, lower } from '../deps.ts'
import type { AgentToken, HostedAgent } from '../types.ts'

export interface AgentPairs {
  /** BASE/QUOTE in their one spelling: core symbols, else lower-case addresses. */
  pairs: readonly string[]
  /** Each end once. */
  tokens: readonly AgentToken[]
}

type Deps = Pick<HostedDeps, 'crypto' | 'profile' | 'tokens'>
interface Named {
  address: Address
  core: CoreToken | null
  field: string
}
interface NamedPair {
  base: Named
  quote: Named
  field: string
}

/**
 * An agent's pairs, looked up; tokens by address are screened first when they are new, once `admit` lets
 * them. What is bought and sold is the base, money is the quote: a core asset that is no stock, and never
 * traded against itself.
 */
export async function readPairs(
  deps: Deps,
  { pairs, mode, admit }: { pairs: readonly string[]; mode: HostedAgent['mode']; admit(): Promise<void> },
): Promise<AgentPairs> {
  const named = pairs.map((pair, i) => readPair(deps, pair, `pairs.${i}`))
  const seen = new Set<string>()
  for (const { base, quote, field } of named) {
    const ends = [base.address, quote.address].sort().join('/')
    if (seen.has(ends)) fail('BAD_REQUEST', { field, message: `\`${field}\` stands there twice.` })
    seen.add(ends)
  }
  const ends = new Map(named.flatMap(({ base, quote }) => [base, quote]).map((end) => [end.address, end]))
  const tokens = await Promise.all([...ends.values()].map((end) => lookUp(deps, end, admit)))
  const stock = mode === 'paper' && tokens.find((token) => token.stock)
  if (stock) {
    const { field } = ends.get(stock.address)!
    fail('TOKEN_STOCK', {
      field,
      message: `${stock.symbol} is a stock token: paper agents do not trade those.`,
    })
  }
  return { pairs: named.map(({ base, quote }) => `${nameOf(base)}/${nameOf(quote)}`), tokens }
}

const nameOf = ({ address, core }: Named): string => core?.symbol ?? address

function readPair(deps: Deps, text: string, field: string): NamedPair {
  const [base, quote] = text.split('/').map((name) => readName(deps, name, field)) as [Named, Named]
  const say = (message: string): never => fail('BAD_REQUEST', { field, message: `\`${field}\`: ${message}` })
  if (base.address === quote.address) say('a token is not traded against itself.')
  const weth = deps.profile.core_tokens.find(({ symbol }) => symbol === 'WETH')
  const isEther = ({ address }: Named) => address === NATIVE || (weth && address === lower(weth.address))
  if (isEther(base) && isEther(quote)) say('ETH and WETH change one for one.')
  if (quote.core === null || quote.core.kind === 'stock') {
    say('its second token is the money: a core asset that is no stock, such as USDG or ETH.')
  }
  if (base.core?.symbol === 'USDG') say(`USDG is the money: write ${nameOf(quote)}/USDG.`)
  return { base, quote, field }
}

function readName({ crypto, profile }: Deps, text: string, field: string): Named {
  if (!/^0x/i.test(text)) {
    const core = profile.core_tokens.find(({ symbol }) => symbol === text)
    if (core) return { address: lower(core.address), core, field }
    const message = `\`${field}\`: only core assets go by their symbol; name others by address.`
    return fail('TOKEN_NOT_ALLOWED', { field, message })
  }
  const address =
    crypto.parseAddress(text) ??
    fail('BAD_REQUEST', {
      field,
      message: `\`${field}\`: an address is 0x and 40 hex digits, lower-case or with its right checksum.`,
    })
  const core = profile.core_tokens.find((token) => lower(token.address) === address) ?? null
  return { address, core, field }
}

async function lookUp(
  { tokens }: Deps,
  { address, core, field }: Named,
  admit: () => Promise<void>,
): Promise<AgentToken> {
  if (core) {
    const { symbol, decimals, kind } = core
    return { token: symbol, symbol, address, decimals, stock: kind === 'stock' }
  }
  try {
    const record = await tokens.get(address, admit)
    if (record.tier === 'blocked') {
      fail('NO_ROUTE', { message: `\`${field}\`: ${address} has no route to trade by.` })
    }
    if (record.stock_beacon === null) fail('RPC_UNAVAILABLE')
    return {
      token: address,
      symbol: record.symbol,
      address,
      decimals: record.decimals,
      stock: hasStockRules(record),
    }
  } catch (error) {
    if (isPitError(error) && error.code === 'NOT_A_TOKEN') {
      fail('TOKEN_UNKNOWN', {
        field,
        message: `\`${field}\`: ${address} is not an ERC-20 contract on this chain.`,
      })
    }
    if (error instanceof RpcError || error instanceof RpcUnreachable) fail('RPC_UNAVAILABLE')
    throw error
  }
}
