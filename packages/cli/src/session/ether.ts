import { type Account, PitRefusal, type Rpc } from '@pit/client'
import { etherText, parseDecimal } from '@pit/protocol'
import { InvalidArgumentError } from 'commander'

type Hex = `0x${string}`
export interface EtherDeps {
  account: Account
  rpc: Rpc
  chainId: number
  sleep(ms: number): Promise<void>
}

const LOOK_EVERY_MS = 100
const MAX_LOOKS = 600

/** One RPC call; throws with the node's message. */
async function ask<T>(rpc: Rpc, method: string, params: readonly unknown[]): Promise<T> {
  const [answer] = await rpc.all([{ method, params }])
  if (answer instanceof Error) throw new Error(`Your node refused ${method}: ${answer.message}`)
  return answer as T
}

async function baseFeeWei(rpc: Rpc): Promise<bigint> {
  const { baseFeePerGas } = await ask<{ baseFeePerGas?: Hex }>(rpc, 'eth_getBlockByNumber', ['latest', false])
  return BigInt(baseFeePerGas ?? '0x0')
}

/** About twice what a redemption with its swap uses; the first one includes the wallet's authorization. */
const GAS_PER_TRADE = 1_000_000n

/** Gas an executor needs for this many trades, at twice the current gas price. */
export const gasFor = async (rpc: Rpc, trades: number): Promise<bigint> =>
  2n * (await baseFeeWei(rpc)) * GAS_PER_TRADE * BigInt(trades)

/** Parses an amount in ETH to wei. */
export const ether = (text: string): bigint => {
  const wei = parseDecimal(text, 18)
  if (wei === undefined || wei <= 0n)
    throw new InvalidArgumentError('Must be an amount in ETH, such as 0.002.')
  return wei
}

/** A plain transfer through the user's own node; resolves once mined. */
export async function sendEther(
  { account, rpc, chainId, sleep }: EtherDeps,
  { to, valueWei }: { to: Hex; valueWei: bigint | 'all' },
): Promise<{ hash: Hex; valueWei: bigint } | null> {
  const [balance, nonce, base] = await Promise.all([
    ask<Hex>(rpc, 'eth_getBalance', [account.address, 'latest']),
    ask<Hex>(rpc, 'eth_getTransactionCount', [account.address, 'pending']),
    baseFeeWei(rpc),
  ])
  const call = { from: account.address, to, value: '0x1' }
  const gas = BigInt(await ask<Hex>(rpc, 'eth_estimateGas', [call]))
  const maxFeePerGas = 2n * base
  const most = BigInt(balance) - gas * maxFeePerGas
  if (valueWei === 'all' && most <= 0n) return null
  const value = valueWei === 'all' ? most : valueWei
  if (value > most) {
    throw new PitRefusal(
      'INSUFFICIENT_FUNDS',
      `${account.address} has ${etherText(BigInt(balance))}, too little to send ${etherText(value)} ` +
        'plus gas.',
      { hint: `Send at least ${etherText(value - most)} to ${account.address}.` },
    )
  }
  const hash = await sendAndWait(
    { account, rpc, chainId, sleep },
    { nonce: Number(BigInt(nonce)), to, value, gas, maxFeePerGas },
  )
  return { hash, valueWei: value }
}

/** Sends one transaction through the user's own node; resolves once mined. */
export async function sendTransaction(
  deps: EtherDeps,
  { to, value, data }: { to: Hex; value: bigint; data?: Hex },
): Promise<Hex> {
  const { account, rpc } = deps
  const call = { from: account.address, to, value: `0x${value.toString(16)}`, ...(data && { data }) }
  const [nonce, gas, base] = await Promise.all([
    ask<Hex>(rpc, 'eth_getTransactionCount', [account.address, 'pending']),
    ask<Hex>(rpc, 'eth_estimateGas', [call]),
    baseFeeWei(rpc),
  ])
  const fields = { nonce: Number(BigInt(nonce)), to, value, gas: BigInt(gas), maxFeePerGas: 2n * base }
  return sendAndWait(deps, { ...fields, ...(data && { data }) })
}

async function sendAndWait(
  { account, rpc, chainId, sleep }: EtherDeps,
  fields: { nonce: number; to: Hex; value: bigint; data?: Hex; gas: bigint; maxFeePerGas: bigint },
): Promise<Hex> {
  const transaction = { type: 'eip1559', chainId, maxPriorityFeePerGas: 0n, ...fields } as const
  const hash = await ask<Hex>(rpc, 'eth_sendRawTransaction', [await account.signTransaction(transaction)])
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const receipt = await ask<{ status: Hex } | null>(rpc, 'eth_getTransactionReceipt', [hash])
    if (receipt?.status === '0x1') return hash
    if (receipt) throw new Error(`Transaction ${hash} reverted.`)
    await sleep(LOOK_EVERY_MS)
  }
  throw new PitRefusal('NOT_MINED', `Transaction ${hash} is not mined yet.`, { retry: 'look_first' })
}
