import { type Address, erc20Abi, type Hex, v2AmountOut } from '@pit/chain'
import type { PitClient } from '@pit/client'
import { createWalletClient, defineChain, http, parseAbi, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import type { SessionWorld } from '../session/world.ts'
import { MNEMONIC } from '../trading/trader.ts'

const factoryAbi = parseAbi([
  'function createPair(address a, address b) returns (address pair)',
  'function getPair(address a, address b) view returns (address pair)',
])
const pairAbi = parseAbi(['function mint(address to) returns (uint256)'])
/** Ten dollars for about one dollar of the token. */
const SKEW = 10n
const USDG_ATOMS = 5_000_000_000n

/**
 * A v2 pair of a token against USDG, created by a devnet account, that sells the token at ten times its
 * price.
 */
export async function makeSkewedPair(
  world: SessionWorld,
  client: PitClient,
  token: Address,
): Promise<{ usdg: Address; quote(usdgIn: bigint): bigint }> {
  const usdg = world.core('USDG')
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: 4 })
  const url = world.devnet.url
  const chain = defineChain({
    id: 4663,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const wallet = createWalletClient({ account, chain, transport: http(url), pollingInterval: 100 }).extend(
    publicActions,
  )
  const mined = async (sent: Promise<Hex>) => {
    const { status } = await wallet.waitForTransactionReceipt({ hash: await sent })
    if (status !== 'success') throw new Error('a transaction of the skewed pair reverted')
  }
  const factory = world.profile.contracts.v2_factory as Address
  await mined(
    wallet.writeContract({
      address: factory,
      abi: factoryAbi,
      functionName: 'createPair',
      args: [token, usdg],
    }),
  )
  const pair = await wallet.readContract({
    address: factory,
    abi: factoryAbi,
    functionName: 'getPair',
    args: [token, usdg],
  })
  // The token's current price, by the service's quote.
  const quoted = await client.quote({ token_in: 'USDG', token_out: token, notional_usd: 10 } as never)
  const perTen = BigInt((quoted as unknown as { routes: { amount_out: string }[] }).routes[0]!.amount_out)
  const tokenAtoms = (perTen * USDG_ATOMS) / 10_000_000n / SKEW
  const held = await wallet.readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [account.address],
  })
  const share = held / 2n < tokenAtoms ? held / 2n : tokenAtoms
  const dollars = (USDG_ATOMS * share) / tokenAtoms
  for (const [address, amount] of [
    [token, share],
    [usdg, dollars],
  ] as const)
    await mined(
      wallet.writeContract({ address, abi: erc20Abi, functionName: 'transfer', args: [pair, amount] }),
    )
  await mined(
    wallet.writeContract({ address: pair, abi: pairAbi, functionName: 'mint', args: [account.address] }),
  )
  return { usdg, quote: (usdgIn) => v2AmountOut(usdgIn, dollars, share, 30) }
}
