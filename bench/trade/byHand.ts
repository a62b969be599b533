import { ADDRESS_THIS, MSG_SENDER, v3QuoterAbi } from '@pit/chain'
import { encodeExecute } from '@pit/plans'
import type { ChainProfile } from '@pit/protocol'
import { type Address, createPublicClient, defineChain, type Hex, http, type LocalAccount } from 'viem'

/**
 * The code of a developer with viem alone: one multicall of nine candidates, then a transaction, unsimulated.
 */
export function createByHand(profile: ChainProfile, url: string, sequencerUrl: string) {
  const multicall3 = { address: profile.contracts.multicall3 as Address }
  const chain = defineChain({
    id: 4663,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    contracts: { multicall3 },
  })
  const client = createPublicClient({ chain, transport: http(url) })
  const sequencer = createPublicClient({ chain, transport: http(sequencerUrl) })
  const core = (symbol: string) =>
    profile.core_tokens.find((token) => token.symbol === symbol)!.address as Address
  const [weth, usdg] = [core('WETH'), core('USDG')]
  const FEES = [100, 500, 3000, 10_000] as const

  /**
   * Nine candidates: four fee tiers at three sizes, as a router that looks for splits would request, less
   * three.
   */
  async function quote(amountIn: bigint): Promise<{ fee: number; amountOut: bigint }> {
    const asks = [1n, 2n, 4n]
      .flatMap((part) => FEES.map((fee) => ({ fee, amountIn: amountIn / part })))
      .slice(0, 9)
    const answers = await client.multicall({
      contracts: asks.map((request) => ({
        address: profile.contracts.v3_quoter as Address,
        abi: v3QuoterAbi,
        functionName: 'quoteExactInputSingle' as const,
        args: [{ tokenIn: weth, tokenOut: usdg, ...request, sqrtPriceLimitX96: 0n }] as const,
      })),
      allowFailure: true,
    })
    let best = { fee: 0, amountOut: 0n }
    for (const [i, answer] of answers.entries()) {
      const request = asks[i]!
      if (answer.status !== 'success' || request.amountIn !== amountIn) continue
      const [amountOut] = answer.result
      if (amountOut > best.amountOut) best = { fee: request.fee, amountOut }
    }
    return best
  }

  async function trade(account: LocalAccount, amountIn: bigint): Promise<Hex> {
    const { fee, amountOut } = await quote(amountIn)
    const block = await client.getBlock()
    const nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
    const data = encodeExecute({
      commands: [
        { command: 'WRAP_ETH', recipient: ADDRESS_THIS, amount: amountIn },
        {
          command: 'V3_SWAP_EXACT_IN',
          recipient: MSG_SENDER,
          amountIn,
          amountOutMin: (amountOut * 995n) / 1000n,
          path: { tokens: [weth, usdg], fees: [fee] },
          payerIsUser: false,
        },
      ],
      deadlineS: block.timestamp + 120n,
    })
    const gas = await client.estimateGas({
      account: account.address,
      to: profile.contracts.universal_router as Address,
      data,
      value: amountIn,
    })
    const serializedTransaction = await account.signTransaction({
      type: 'eip1559',
      chainId: 4663,
      nonce,
      to: profile.contracts.universal_router as Address,
      data,
      value: amountIn,
      gas: (gas * 13n) / 10n,
      maxFeePerGas: (block.baseFeePerGas ?? 1n) * 2n + 1n,
      maxPriorityFeePerGas: 1n,
    })
    return sequencer.sendRawTransaction({ serializedTransaction })
  }
  return { quote, trade, weth, usdg }
}
