/**
 * Trading over HTTP against the same node, one interleaved run: a quote beside a bare eth_call of QuoterV2
 * and beside viem with a multicall of nine candidates; prepare beside one eth_simulateV1 of the same
 * transaction; submit beside one send; the whole way beside a bare send and beside viem by hand. Then many
 * wallets at once, and a minute of prepares. With NODE_MS the node is that far away, there and back, for everybody
 * who asks it. node scripts/build.mjs && node dist/bench/trade.js
 */
import { v3QuoterAbi } from '@pit/chain'
import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { MNEMONIC, openTrader, type Plan, receiptOf, type Trader } from '../e2e/trading/trader.ts'
import { openTradingWorld } from '../e2e/trading/world.ts'
import { createByHand } from './trade/byHand.ts'
import { openDistantNode } from './trade/distantNode.ts'
import { figure, median, post, rpcTimed } from './trade/measure.ts'
import { prepareLoad } from './trade/prepareLoad.ts'
import { watchScreening } from './watchScreening.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 60)
/** Warm-up rounds for code compilation, as in a running service. */
const WARM = Number(process.env['WARM'] ?? 150)
const WALLETS = Number(process.env['WALLETS'] ?? 20)
const TRADES_S = Number(process.env['TRADES_S'] ?? 20)
const PREPARES_S = Number(process.env['PREPARES_S'] ?? 60)
const PREPARES_PER_S = Number(process.env['PREPARES_PER_S'] ?? 50)
const NODE_MS = Number(process.env['NODE_MS'] ?? 0)
const AMOUNT = 2n * 10n ** 16n
const TRADE = { token_in: 'ETH', token_out: 'USDG', amount_in: AMOUNT.toString() }

const screening = await watchScreening()
let far: Awaited<ReturnType<typeof openDistantNode>> | undefined
const world = await openTradingWorld({
  devnet: { MARKET: 'off' },
  server: async ({ url }) => {
    if (NODE_MS === 0) return screening.env
    far = await openDistantNode(url, NODE_MS)
    return { ...screening.env, CHAIN_RPC_URL: far.url }
  },
})
const { devnet, server, profile } = world
const nodeUrl = far?.url ?? devnet.url
const api = <T>(trader: Trader, path: string, body: object) =>
  post<T & { error?: { code: string; message: string } }>(`${server.url}/api/v1/${path}`, body, {
    authorization: `Bearer ${trader.key}`,
  })
const must = <T extends { error?: { code: string; message: string } }>(answer: {
  status: number
  body: T
  ms: number
}) => {
  if (answer.status !== 200)
    throw new Error(`${answer.status} ${answer.body.error?.code}: ${answer.body.error?.message}`)
  return answer
}

try {
  const trader = await openTrader(server.url, { account: 1 })
  const hand = createByHand(profile, nodeUrl, devnet.sequencerUrl)
  const handAccount = mnemonicToAccount(MNEMONIC, { addressIndex: 2 })
  const bare = await openTrader(server.url, { account: 3 })
  const quoterCall = encodeFunctionData({
    abi: v3QuoterAbi,
    functionName: 'quoteExactInputSingle',
    args: [{ tokenIn: hand.weth, tokenOut: hand.usdg, amountIn: AMOUNT, fee: 500, sqrtPriceLimitX96: 0n }],
  })

  await screening.ended()
  const times: Record<string, number[]> = {}
  const note = (name: string, ms: number) => {
    times[name] ??= []
    times[name].push(ms)
  }
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await work()
    note(name, performance.now() - startedAt)
  }
  for (let round = -WARM; round < ROUNDS; round++) {
    if (round === 0) for (const name of Object.keys(times)) times[name] = []
    const call = [{ to: profile.contracts.v3_quoter, data: quoterCall }, 'latest']
    note('eth_call', (await rpcTimed(nodeUrl, 'eth_call', call)).ms)
    const quote = must(await api<{ timings: Record<string, number> }>(trader, 'live/quote', TRADE))
    note('quote', quote.ms)
    note('quote alone', quote.ms - (quote.body.timings['simulate'] ?? 0))
    await timed('viem multicall of nine', () => hand.quote(AMOUNT))

    const prepared = must(await api<Plan>(trader, 'live/prepare', { wallet: trader.wallet, ...TRADE }))
    note('prepare', prepared.ms)
    const { tx } = prepared.body
    const simulated = {
      blockStateCalls: [
        {
          calls: [
            {
              from: tx!.from,
              to: tx!.to,
              input: tx!.data,
              value: numberToHex(BigInt(tx!.value)),
              gas: numberToHex(BigInt(tx!.gas)),
            },
          ],
        },
      ],
      validation: false,
    }
    note('eth_simulateV1', (await rpcTimed(nodeUrl, 'eth_simulateV1', [simulated, 'latest'])).ms)

    // The same kind of transaction, sent bare by another wallet.
    const other = must(await api<Plan>(bare, 'live/prepare', { wallet: bare.wallet, ...TRADE }))
    const { raw } = bare.sign(other.body.tx!)
    note('send', (await rpcTimed(devnet.sequencerUrl, 'eth_sendRawTransaction', [raw])).ms)
    const signed = trader.sign(tx!)
    note('submit', must(await api(trader, 'live/submit', { raw_tx: signed.raw })).ms)
    await receiptOf(devnet, signed.hash)

    let last: Hex = '0x'
    await timed('quote, prepare, sign, submit', async () => {
      must(await api(trader, 'live/quote', TRADE))
      const plan = must(await api<Plan>(trader, 'live/prepare', { wallet: trader.wallet, ...TRADE }))
      const mine = trader.sign(plan.body.tx!)
      must(await api(trader, 'live/submit', { raw_tx: mine.raw }))
      last = mine.hash
    })
    let byHand: Hex = '0x'
    await timed('viem by hand', async () => {
      byHand = await hand.trade(handAccount, AMOUNT)
    })
    await Promise.all([receiptOf(devnet, last), receiptOf(devnet, byHand)])
  }
  const ms = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]))
  console.log(
    `medians of ${ROUNDS} rounds, ms: ${Object.entries(ms)
      .map(([name, value]) => `${name} ${value.toFixed(2)}`)
      .join(', ')}`,
  )
  const ratio = (a: string, b: string) => ms[a]! / ms[b]!
  figure('quote without its simulation / eth_call of QuoterV2', ratio('quote alone', 'eth_call'), 1)
  figure('quote with it / eth_call of QuoterV2', ratio('quote', 'eth_call'), 2.5)
  figure('prepare / eth_simulateV1', ratio('prepare', 'eth_simulateV1'), 1.6)
  figure('submit / send', ratio('submit', 'send'), 2)
  figure('quote, prepare, sign and submit / send', ratio('quote, prepare, sign, submit', 'send'), 10)
  figure('the same / viem by hand, unsimulated', ratio('quote, prepare, sign, submit', 'viem by hand'), 0.4)
  console.log(
    `beside it: viem with a multicall of nine ${ratio('viem multicall of nine', 'eth_call').toFixed(2)}` +
      `x an eth_call; viem by hand, unsimulated, ${ratio('viem by hand', 'send').toFixed(2)}x a send`,
  )

  await manyWallets()
  await parallelTrades(trader)
  console.log((await prepareLoad(server, { seconds: PREPARES_S, perS: PREPARES_PER_S })).text)
} finally {
  await world.close()
  await far?.close()
}

/** Wallets that trade one after another as fast as they are served, for a while. */
async function manyWallets(): Promise<void> {
  const traders = await Promise.all(
    Array.from({ length: WALLETS }, async (_, i) => {
      const privateKey: Hex = `0x${(0xabc000 + i).toString(16).padStart(64, '0')}`
      const trader = await openTrader(server.url, { privateKey })
      await devnet.rpc('hardhat_setBalance', [trader.wallet, numberToHex(10n ** 21n)])
      return trader
    }),
  )
  const sent: Hex[] = []
  const until = Date.now() + TRADES_S * 1000
  const startedAt = performance.now()
  await Promise.all(
    traders.map(async (trader) => {
      for (let nonce = 0; Date.now() < until; nonce++) {
        // Small, because all of them push the price in the same direction.
        const amount_in = (AMOUNT / 20n).toString()
        const plan = must(
          await api<Plan>(trader, 'live/prepare', { wallet: trader.wallet, ...TRADE, amount_in }),
        )
        const { raw, hash } = trader.sign(plan.body.tx!, { nonce })
        must(await api(trader, 'live/submit', { raw_tx: raw }))
        sent.push(hash)
      }
    }),
  )
  const receipts = await Promise.all(sent.map((hash) => receiptOf(devnet, hash, 60_000)))
  const seconds = (performance.now() - startedAt) / 1000
  const mined = receipts.filter(({ status }) => status === '0x1').length
  console.log(
    `${WALLETS} wallets, ${seconds.toFixed(1)} s: ${mined} of ${sent.length} trades mined, ` +
      `${(mined / seconds).toFixed(1)} a second (80 wanted) ${mined / seconds >= 80 ? 'met' : 'MISSED'}`,
  )
}

/** One wallet with many concurrent trades and its own nonces. */
async function parallelTrades(trader: Trader): Promise<void> {
  const first = Number(await devnet.rpc<Hex>('eth_getTransactionCount', [trader.wallet, 'pending']))
  const hashes = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const plan = must(
        await api<Plan>(trader, 'live/prepare', {
          wallet: trader.wallet,
          ...TRADE,
          amount_in: (AMOUNT + BigInt(i)).toString(),
        }),
      )
      const { raw, hash } = trader.sign(plan.body.tx!, { nonce: first + i })
      must(await api(trader, 'live/submit', { raw_tx: raw }))
      return hash
    }),
  )
  const receipts = await Promise.all(hashes.map((hash) => receiptOf(devnet, hash, 30_000)))
  console.log(
    `parallel trades of one wallet: ${receipts.filter(({ status }) => status === '0x1').length} of 20 ` +
      'succeed',
  )
}
