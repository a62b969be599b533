import { fromViem, type Rpc } from '@pit/client'
import type { ChainProfile } from '@pit/protocol'
import { privateKeyToAccount } from 'viem/accounts'
import { sendTransaction } from '../session/ether.ts'

type Hex = `0x${string}`

export interface Funds {
  /** In wei. */
  eth: bigint
  /** In atoms. */
  usdg: bigint
}

/**
 * Sends ETH and USDG of the devnet's last public test account; the hashes, once mined. Null if the node is not
 * a devnet's.
 */
export async function sendTestFunds(
  { rpc, profile, sleep }: { rpc: Rpc; profile: ChainProfile; sleep(ms: number): Promise<void> },
  wallet: Hex,
  { eth, usdg }: Funds,
): Promise<Hex[] | null> {
  const key = await testKey(rpc)
  if (key === null) return null
  const from = { account: fromViem(privateKeyToAccount(key)), rpc, chainId: profile.chain_id, sleep }
  const token = profile.core_tokens.find(({ symbol }) => symbol === 'USDG')!.address as Hex
  return [
    await sendTransaction(from, { to: wallet, value: eth }),
    await sendTransaction(from, { to: token, value: 0n, data: transferData(wallet, usdg) }),
  ]
}

/** Only a devnet node supports this method, so a wrong profile is detected here. */
async function testKey(rpc: Rpc): Promise<Hex | null> {
  const [info] = await rpc.all([{ method: 'devnet_info', params: [] }])
  if (info instanceof Error) return null
  return (info as { accounts?: { private_key: Hex }[] } | null)?.accounts?.at(-1)?.private_key ?? null
}

const transferData = (to: Hex, atoms: bigint): Hex =>
  `0xa9059cbb${to.slice(2).padStart(64, '0')}${atoms.toString(16).padStart(64, '0')}`
