import type { IncomingHttpHeaders } from 'node:http'
import { json, problem, type Reply } from './reply.ts'

/** A quote request in the chain's terms: ETH is the zero address. */
export interface Asked {
  tokenIn: string
  tokenOut: string
  amountIn: string
}

/** Request and response format of one real aggregator. */
export interface AggregatorShape {
  method: 'GET' | 'POST'
  path: string
  /** Where its key is sent, if it requires one. */
  keyOf?(headers: IncomingHttpHeaders): string | undefined
  native: string
  readRequest(query: URLSearchParams, body: Record<string, unknown>): Asked
  /** `said` has the tokens in the vendor's spelling. */
  offer(said: Asked, amountOut: string): Record<string, unknown>
  noRoute(): Reply
  refuse(status: number, why: string): Reply
}

export const VENDOR_KEY = 'pk-devnet-vendor'

const ZERO = '0x0000000000000000000000000000000000000000'
const EEEE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const GAS = 260_000

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')
const readQuery =
  (tokenIn: string, tokenOut: string, amountIn: string) =>
  (query: URLSearchParams): Asked => ({
    tokenIn: query.get(tokenIn) ?? '',
    tokenOut: query.get(tokenOut) ?? '',
    amountIn: query.get(amountIn) ?? '',
  })
const token = (address: string) => ({ address, symbol: 'TKN', name: 'Token', decimals: 18 })

export const AGGREGATOR_SHAPES: Record<string, AggregatorShape> = {
  kyberswap: {
    method: 'GET',
    path: '/robinhood/api/v1/routes',
    native: EEEE,
    readRequest: readQuery('tokenIn', 'tokenOut', 'amountIn'),
    offer: (said, amountOut) => ({
      code: 0,
      message: 'successfully',
      data: {
        routeSummary: {
          ...said,
          amountOut,
          gas: String(GAS),
          gasPrice: '50000000',
          gasUsd: '0.01',
          route: [],
        },
        routerAddress: '0x6131b5fae19ea4f9d964eac0408e4408b66337b5',
      },
      requestId: 'devnet',
    }),
    noRoute: () => json(400, { code: 4_008, message: 'route not found' }),
    refuse: (status, message) => json(status, { code: 4_000 + (status % 100), message }),
  },
  sushi: {
    method: 'GET',
    path: '/quote/v7/4663',
    native: EEEE,
    readRequest: readQuery('tokenIn', 'tokenOut', 'amount'),
    offer: ({ tokenIn, tokenOut, amountIn }, amountOut) => ({
      status: 'Success',
      tokens: [token(tokenIn), token(tokenOut)],
      tokenFrom: 0,
      tokenTo: 1,
      swapPrice: 1,
      priceImpact: 0.0001,
      amountIn,
      assumedAmountOut: amountOut,
      gasSpent: GAS,
    }),
    noRoute: () => json(200, { status: 'NoWay' }),
    refuse: (status, detail) =>
      json(status, { type: 'https://docs.sushi.com/api/errors', title: detail, status, detail }),
  },
  lifi: {
    method: 'GET',
    path: '/v1/quote',
    native: ZERO,
    readRequest: readQuery('fromToken', 'toToken', 'fromAmount'),
    offer: ({ tokenIn, tokenOut, amountIn }, amountOut) => ({
      type: 'lifi',
      tool: 'devnet',
      action: {
        fromChainId: 4_663,
        toChainId: 4_663,
        fromToken: { ...token(tokenIn), chainId: 4_663 },
        toToken: { ...token(tokenOut), chainId: 4_663 },
        fromAmount: amountIn,
        slippage: 0.005,
      },
      estimate: {
        fromAmount: amountIn,
        toAmount: amountOut,
        toAmountMin: amountOut,
        gasCosts: [{ type: 'SEND', estimate: String(GAS), limit: String(GAS * 2) }],
      },
    }),
    noRoute: () =>
      json(404, { message: 'No available quotes for the requested transfer', code: 1_002, errors: [] }),
    refuse: (status, message) => json(status, { message, code: status === 401 ? 1_010 : 1_011 }),
  },
  '0x': {
    method: 'GET',
    path: '/swap/allowance-holder/price',
    keyOf: (headers) => (headers['0x-version'] === 'v2' ? asText(headers['0x-api-key']) : undefined),
    native: EEEE,
    readRequest: readQuery('sellToken', 'buyToken', 'sellAmount'),
    offer: ({ tokenIn, tokenOut, amountIn }, amountOut) => ({
      liquidityAvailable: true,
      sellToken: tokenIn.toLowerCase(),
      buyToken: tokenOut.toLowerCase(),
      sellAmount: amountIn,
      buyAmount: amountOut,
      minBuyAmount: amountOut,
      gas: String(GAS),
      gasPrice: '50000000',
      blockNumber: '1',
      issues: { allowance: null, balance: null, simulationIncomplete: false, invalidSourcesPassed: [] },
    }),
    noRoute: () => json(200, { liquidityAvailable: false, zid: '0xdevnet' }),
    refuse: (status, message) => json(status, { name: 'INPUT_INVALID', message }),
  },
  '1inch': {
    method: 'GET',
    path: '/swap/v6.1/4663/quote',
    keyOf: (headers) => /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1],
    native: EEEE,
    readRequest: readQuery('src', 'dst', 'amount'),
    offer: ({ tokenIn, tokenOut }, amountOut) => ({
      srcToken: token(tokenIn.toLowerCase()),
      dstToken: token(tokenOut.toLowerCase()),
      dstAmount: amountOut,
      gas: GAS,
    }),
    noRoute: () =>
      json(400, { error: 'Bad Request', description: 'insufficient liquidity', statusCode: 400 }),
    refuse: (status, description) => json(status, { error: 'Refused', description, statusCode: status }),
  },
  openocean: {
    method: 'GET',
    path: '/v4/4663/quote',
    native: EEEE,
    readRequest: readQuery('inTokenAddress', 'outTokenAddress', 'amountDecimals'),
    offer: ({ tokenIn, tokenOut, amountIn }, amountOut) => ({
      code: 200,
      data: {
        inToken: token(tokenIn),
        outToken: token(tokenOut),
        inAmount: amountIn,
        outAmount: amountOut,
        estimatedGas: String(GAS),
        price_impact: '-0.01%',
        dexes: [],
      },
    }),
    noRoute: () => json(200, { code: 404, error: 'no route' }),
    refuse: (status, error) => json(200, { code: status, error }),
  },
  uniswap: {
    method: 'POST',
    path: '/v1/quote',
    keyOf: (headers) => asText(headers['x-api-key']),
    native: ZERO,
    readRequest: (_, { type, tokenIn, tokenOut, amount, tokenInChainId, tokenOutChainId }) =>
      type === 'EXACT_INPUT' && tokenInChainId === 4_663 && tokenOutChainId === 4_663
        ? { tokenIn: asText(tokenIn), tokenOut: asText(tokenOut), amountIn: asText(amount) }
        : { tokenIn: '', tokenOut: '', amountIn: '' },
    offer: ({ tokenIn, tokenOut, amountIn }, amountOut) => ({
      requestId: 'devnet',
      routing: 'CLASSIC',
      permitData: null,
      quote: {
        chainId: 4_663,
        tradeType: 'EXACT_INPUT',
        input: { token: tokenIn, amount: amountIn },
        output: { token: tokenOut, amount: amountOut },
        gasUseEstimate: String(GAS),
        route: [],
      },
    }),
    noRoute: () => json(404, { errorCode: 'ResourceNotFound', detail: 'No quotes available', id: 'devnet' }),
    refuse: (status, detail) => json(status, { errorCode: 'RequestValidationError', detail, id: 'devnet' }),
  },
}

/** Native ETH as the zero address; undefined for an address that this vendor does not accept. */
export function plainToken({ native }: AggregatorShape, written: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(written)) return undefined
  const token = written.toLowerCase()
  if (token === native.toLowerCase()) return ZERO
  return token === ZERO || token === EEEE.toLowerCase() ? undefined : token
}

export const notFound = (): Reply => problem(404, 'not_found', 'No such path.')
