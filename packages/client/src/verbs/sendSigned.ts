import type { Hex } from '@pit/chain'
import { keccak256 } from 'viem'
import type { Transaction } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { PitRefusal, refuse } from '../errors.ts'
import { type RawReceipt, type Receipt, receiptOf } from '../own/receipt.ts'
import { RpcFailure } from '../own/rpc.ts'
import { type HandOverOptions, handOver, notMined, type SignedBytes } from './handOver.ts'
import { type Fate, type Until, watchBytes } from './watchBytes.ts'

export type { Receipt } from '../own/receipt.ts'

/** Called between the last signature and the first byte sent; an error thrown here keeps the bytes unsent. */
export type OnSigned = (signed: SignedBytes) => void
type SendOptions = Omit<Until, 'nonce'> & HandOverOptions

/** Signs transactions in order, has the service relay them and resolves once the last one is mined. */
export async function sendSigned(
  deps: ClientDeps,
  transactions: readonly Transaction[],
  { onSigned, ...options }: SendOptions & { onSigned?: OnSigned },
): Promise<Hex[]> {
  if (deps.account.sendTransaction) return sendByWallet(deps, transactions, options)
  const raws: Hex[] = []
  for (const transaction of transactions) raws.push(await deps.account.signTransaction(transaction))
  const hashes = raws.map((raw) => keccak256(raw))
  onSigned?.({ raws, hashes })
  await relay(deps, { raws, hashes }, options)
  return hashes
}

/** Hands signed bytes to live/submit. */
export function relay(deps: ClientDeps, bytes: SignedBytes, options: SendOptions): Promise<void> {
  const { raws } = bytes
  const body = raws.length === 1 ? { raw_tx: raws[0]! } : { raw_txs: [...raws] }
  const send = async () => {
    const { tx_hashes, tx_hash } = await deps.api['live.submit']({ body }, { signal: options.signal })
    return [tx_hashes ?? tx_hash].flat()
  }
  return handOver(deps, bytes, send, options)
}

/** The wallet sends each one itself, the next once the previous is mined as it was verified. */
async function sendByWallet(
  deps: ClientDeps,
  transactions: readonly Transaction[],
  { onStage, ...until }: SendOptions,
): Promise<Hex[]> {
  const hashes: Hex[] = []
  for (const transaction of transactions) {
    hashes.push(await deps.account.sendTransaction!(transaction))
    if (hashes.length === transactions.length) onStage?.({ stage: 'relayed', hashes })
    const { fate } = await waitMined(deps, hashes.at(-1)!, until)
    await checkMined(deps, fate, transaction, until)
  }
  return hashes
}

interface MinedTransaction {
  from: string
  to: string | null
  input: Hex
  value: Hex
}

async function checkMined(
  { rpc, account }: ClientDeps,
  fate: Fate,
  { to, data = '0x', value = 0n }: Transaction,
  { signal }: VerbOptions,
): Promise<void> {
  const { hash } = fate
  const [answer] = await rpc.all([{ method: 'eth_getTransactionByHash', params: [hash] }], signal)
  if (!answer || answer instanceof RpcFailure)
    throw new PitRefusal('RPC_UNAVAILABLE', `Your node has a receipt of ${hash} but not the transaction.`, {
      retry: 'look_first',
      hint: 'Compare the transaction on the chain with what you confirmed before you trade again.',
      details: { tx_hash: hash },
      fate,
    })
  const mined = answer as MinedTransaction
  const isIt =
    mined.from.toLowerCase() === account.address &&
    mined.to?.toLowerCase() === to?.toLowerCase() &&
    mined.input.toLowerCase() === data.toLowerCase() &&
    BigInt(mined.value) === value
  if (!isIt)
    refuse('MINED_MISMATCH', 'the wallet sent another transaction than requested', { tx_hash: hash, fate })
}

/** The receipt on the client's own node; null if there is none or the node does not answer. */
export async function findReceipt(
  { rpc }: ClientDeps,
  hash: Hex,
  { signal }: VerbOptions,
): Promise<RawReceipt | null> {
  const call = { method: 'eth_getTransactionReceipt', params: [hash] }
  const [answer] = await rpc.all([call], signal).catch(() => [null])
  return answer instanceof RpcFailure ? null : ((answer as RawReceipt | null) ?? null)
}

/** Waits for a transaction on the client's own node; refuses when it reverted or was not mined in time. */
export async function waitMined(
  deps: ClientDeps,
  hash: Hex,
  until: Omit<Until, 'nonce'> & VerbOptions,
): Promise<{ receipt: Receipt; fate: Fate }> {
  const { fate, receipt } = await watchBytes(deps, hash, until)
  if (receipt === null) throw notMined(fate, until)
  if (fate.reverted) refuse('TX_REVERTED', `in block ${fate.block}`, { tx_hash: hash, fate })
  return { fate, receipt: receiptOf(hash, receipt) }
}
