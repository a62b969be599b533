import type { Answer, FastTable } from '@pit/protocol'
import { encodeFunctionData, type Hex, maxUint160, maxUint256, parseAbi, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { buildFromTerms, signPermit, signTransaction } from '../../packages/trading/test/fastClient.ts'
import type { DevnetProcess } from '../devnetProcess.ts'
import { type Answered, MNEMONIC, openTrader, receiptOf } from '../trading/trader.ts'
import type { TradingWorld } from '../trading/world.ts'

export type Terms = Omit<Answer<'live.fast.terms'>, 'routes'> & { routes: FastTable & { sha256: string } }
export type FastAnswer = Answer<'live.fast'>
export type Failure = { code: string; message: string; value?: unknown; limit?: unknown }
export type FastReply = Answered<FastAnswer>

/** Changes that spoil a good trade. */
export interface Changes {
  usd?: number
  minOut?: bigint
  /** Basis points below the marks for min_out; default 150. */
  underBps?: number
  deadline?: number
  feeBps?: number
  permit?: boolean
  permitWith?: Partial<{ expiration: number; nonce: number; sig_deadline: number; amount: bigint; key: Hex }>
  privateKey?: Hex
  tx?: Partial<{
    nonce: number
    to: string
    value: bigint
    gas: bigint
    maxFeePerGas: bigint
    maxPriorityFeePerGas: bigint
    chainId: number
    data: (data: Hex) => Hex
  }>
  body?: Record<string, unknown>
}

export interface Built {
  body: Record<string, unknown> & { raw_tx: Hex }
  hash: Hex
  amountIn: bigint
  minOut: bigint
}

const erc20 = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
])
const permit2 = parseAbi([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function allowance(address owner, address token, address spender) view returns (uint160 amount, uint48 expiration, uint48 nonce)',
])
const feed = parseAbi([
  'function latestRoundData() view returns (uint80, int256 answer, uint256, uint256, uint80)',
])

export const privateKeyOf = (account: number): Hex =>
  toHex(mnemonicToAccount(MNEMONIC, { addressIndex: account }).getHdKey().privateKey!)

/** A fast-mode client on a devnet account: it builds from the terms and signs itself. */
export async function openFastTrader(world: TradingWorld, account: number, url = world.server.url) {
  const { devnet, profile } = world
  const trader = await openTrader(url, { account })
  const privateKey = privateKeyOf(account)
  let terms = await readTerms()

  async function readTerms(query = ''): Promise<Terms> {
    return (await trader.get<Terms>(`live/fast/terms${query}`)).body as unknown as Terms
  }
  const nonce = async () =>
    Number(await devnet.rpc<Hex>('eth_getTransactionCount', [trader.wallet, 'pending']))
  const baseFee = async () =>
    BigInt(
      (await devnet.rpc<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', ['latest', false])).baseFeePerGas,
    )

  /** Dollars for one token, by its feed, times 10^8. */
  async function price(symbol: string): Promise<bigint> {
    if (symbol === 'USDG') return 10n ** 8n
    const { address } = profile.core_tokens.find((token) => token.symbol === symbol)!.feed!
    const data = encodeFunctionData({ abi: feed, functionName: 'latestRoundData' })
    const answer = await devnet.rpc<Hex>('eth_call', [{ to: address, data }, 'latest'])
    return BigInt(`0x${answer.slice(66, 130)}`)
  }

  async function build(pair: string, changes: Changes = {}): Promise<Built> {
    const route = terms.routes.pairs[pair]!
    const { usd = 100, underBps = 150, feeBps = terms.fee.bps } = changes
    const [priceIn, priceOut] = [await price(route.token_in.symbol), await price(route.token_out.symbol)]
    const unit = (decimals: number) => 10n ** BigInt(decimals)
    const amountIn = (BigInt(Math.round(usd * 1e6)) * 100n * unit(route.token_in.decimals)) / priceIn
    const fair =
      (amountIn * priceIn * unit(route.token_out.decimals)) / (priceOut * unit(route.token_in.decimals))
    const minOut = changes.minOut ?? (fair * BigInt(10_000 - underBps)) / 10_000n
    const deadline = changes.deadline ?? Math.floor(Date.now() / 1000) + 50
    const permit = changes.permit ? await permitFor(pair, amountIn, deadline, changes.permitWith ?? {}) : null
    const built = buildFromTerms(terms.routes, {
      pair,
      amountIn,
      minOut,
      deadline,
      feeBps,
      ...(permit && route.permit && { permit }),
    })
    const { data: spoil = (data: Hex) => data, ...tx } = changes.tx ?? {}
    const { raw, hash } = await signTransaction(changes.privateKey ?? privateKey, {
      nonce: tx.nonce ?? (await nonce()),
      to: terms.routes.router!,
      value: built.value,
      gas: BigInt(route.gas_floor + (permit ? (route.permit?.gas_add ?? 0) : 0)),
      maxFeePerGas: (await baseFee()) * 2n,
      ...tx,
      data: spoil(built.data),
    })
    const stock = [route.token_in.symbol, route.token_out.symbol].some((symbol) => /NVDA|SPY/.test(symbol))
    const body = {
      raw_tx: raw,
      token_in: route.token_in.symbol,
      token_out: route.token_out.symbol,
      amount_in: String(amountIn),
      min_out: String(minOut),
      deadline,
      fee_bps: feeBps,
      ...(permit && { permit }),
      ...(stock && { owner_attests_non_us: true }),
      ...changes.body,
    }
    return { body, hash, amountIn, minOut }
  }

  async function permitFor(
    pair: string,
    amountIn: bigint,
    deadline: number,
    changes: NonNullable<Changes['permitWith']>,
  ) {
    const { token_in } = terms.routes.pairs[pair]!
    const { permit2: contract, router } = terms.routes
    const next = await permitNonce(token_in.address)
    const {
      key = privateKey,
      amount,
      ...times
    } = {
      amount: amountIn,
      expiration: deadline + 600,
      nonce: next,
      sig_deadline: deadline + 600,
      ...changes,
    } as Required<NonNullable<Changes['permitWith']>>
    const place = { permit2: contract, router: router!, token: token_in.address }
    return { amount: String(amount), ...times, signature: await signPermit(key, place, { amount, ...times }) }
  }

  async function permitNonce(token: string): Promise<number> {
    const args = [trader.wallet, token as Hex, terms.routes.router as Hex] as const
    const data = encodeFunctionData({ abi: permit2, functionName: 'allowance', args })
    const answer = await devnet.rpc<Hex>('eth_call', [{ to: terms.routes.permit2, data }, 'latest'])
    return Number(BigInt(`0x${answer.slice(130)}`))
  }

  const send = (body: object): Promise<FastReply> => trader.post<FastAnswer>('live/fast', body)
  return {
    ...trader,
    privateKey,
    terms: () => terms,
    readTerms,
    refreshTerms: async () => {
      terms = await readTerms()
    },
    nonce,
    baseFee,
    price,
    build,
    send,
    trade: async (pair: string, changes: Changes = {}) => send((await build(pair, changes)).body),
    permitNonce,
    async balance(token: string, owner: string = trader.wallet): Promise<bigint> {
      if (BigInt(token) === 0n) return BigInt(await devnet.rpc<Hex>('eth_getBalance', [owner, 'latest']))
      const data = encodeFunctionData({ abi: erc20, functionName: 'balanceOf', args: [owner as Hex] })
      return BigInt(await devnet.rpc<Hex>('eth_call', [{ to: token, data }, 'latest']))
    },
    /** Sends a transaction of the wallet directly to the chain, and waits for it. */
    async sendOwn(tx: { to: string; data?: Hex; value?: bigint; nonce?: number }) {
      const { raw, hash } = await signTransaction(privateKey, {
        nonce: tx.nonce ?? (await nonce()),
        to: tx.to,
        value: tx.value ?? 0n,
        data: tx.data ?? '0x',
        gas: 300_000n,
        maxFeePerGas: (await baseFee()) * 4n,
      })
      await devnet.rpc('eth_sendRawTransaction', [raw])
      await receiptOf(devnet, hash)
    },
    /** Approves a token for Permit2 and, with `router`, for the router in Permit2. */
    async approve(symbol: string, { router = true } = {}) {
      const token = world.core(symbol)
      const contract = terms.routes.permit2 as Hex
      const approved = encodeFunctionData({
        abi: erc20,
        functionName: 'approve',
        args: [contract, maxUint256],
      })
      await this.sendOwn({ to: token, data: approved })
      if (!router) return
      const args = [token, terms.routes.router as Hex, maxUint160, 2 ** 47] as const
      await this.sendOwn({
        to: contract,
        data: encodeFunctionData({ abi: permit2, functionName: 'approve', args }),
      })
    },
  }
}
export type FastTrader = Awaited<ReturnType<typeof openFastTrader>>

/** The feeds do not change while the market is off: a new round at the same price keeps them fresh. */
export async function freshenFeeds(devnet: DevnetProcess): Promise<void> {
  for (const symbol of ['ETH', 'NVDA', 'SPY']) await devnet.rpc('devnet_setFeed', [symbol, {}])
}
