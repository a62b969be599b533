import { type Address, ERC20_TRANSFER_TOPIC, type Hex, NATIVE } from '@pit/chain'
import { keccak256 } from 'viem'
import type { Transaction } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, PitRefusal, refuse } from '../errors.ts'
import { RpcFailure } from '../own/rpc.ts'

export interface Receipt {
  hash: Hex
  block: number
  gasUsed: bigint
  gasPriceWei: bigint
  logs: readonly { address: Address; topics: readonly Hex[]; data: Hex }[]
}

export interface RawReceipt {
  status: Hex
  blockNumber: Hex
  gasUsed: Hex
  effectiveGasPrice: Hex
  logs: { address: Address; topics: Hex[]; data: Hex }[]
}

const LOOK_EVERY_MS = 100
const MAX_LOOK_EVERY_MS = 2_000
/** A transaction that is not mined so long after its deadline will not be. */
const AFTER_DEADLINE_S = 30

/** Told between the last signature and the first byte sent; what it throws keeps the bytes here. */
export type OnSigned = (signed: { raws: readonly Hex[]; hashes: readonly Hex[] }) => void

/** Signs transactions in order and has the service relay them; the same bytes again after a lost answer. */
export async function sendSigned(
  deps: ClientDeps,
  transactions: readonly Transaction[],
  { deadlineS, signal, onSigned }: { deadlineS: number; onSigned?: OnSigned } & VerbOptions,
): Promise<Hex[]> {
  if (deps.account.sendTransaction) return sendByWallet(deps, transactions, { deadlineS, signal })
  const raws: Hex[] = []
  for (const transaction of transactions) raws.push(await deps.account.signTransaction(transaction))
  const hashes = raws.map((raw) => keccak256(raw))
  onSigned?.({ raws, hashes })
  await relay(deps, raws, hashes, { deadlineS, signal })
  return hashes
}

/** The wallet sends each itself, the next once the one before is mined; what it sent must be what was verified. */
async function sendByWallet(
  deps: ClientDeps,
  transactions: readonly Transaction[],
  { deadlineS, signal }: { deadlineS: number } & VerbOptions,
): Promise<Hex[]> {
  const hashes: Hex[] = []
  for (const [i, transaction] of transactions.entries()) {
    const hash = await deps.account.sendTransaction!(transaction)
    hashes.push(hash)
    if (i < transactions.length - 1) await waitMined(deps, hash, { deadlineS, signal })
    const [sent] = await deps.rpc.all([{ method: 'eth_getTransactionByHash', params: [hash] }], signal)
    // A node that has not heard of it yet says nothing against it: the receipt is waited for.
    if (!sent || sent instanceof RpcFailure) continue
    const { to, input, value } = sent as { to: string | null; input: Hex; value: Hex }
    const isIt =
      to?.toLowerCase() === transaction.to?.toLowerCase() &&
      input.toLowerCase() === (transaction.data ?? '0x').toLowerCase() &&
      BigInt(value) === (transaction.value ?? 0n)
    if (!isIt)
      refuse('HASH_MISMATCH', 'the wallet sent something else: look first', { retry: 'look_first', hashes })
  }
  return hashes
}

/** Has signed bytes relayed, as often as it takes to know that they arrived. */
export async function relay(
  deps: ClientDeps,
  raws: readonly Hex[],
  hashes: readonly Hex[],
  { deadlineS, signal }: { deadlineS: number } & VerbOptions,
): Promise<void> {
  const body = raws.length === 1 ? { raw_tx: raws[0]! } : { raw_txs: [...raws] }
  for (;;) {
    try {
      const answer = await deps.api['live.submit']({ body }, { signal })
      const said = [answer.tx_hashes ?? answer.tx_hash].flat().map((hash) => String(hash).toLowerCase())
      const differs = said.length !== hashes.length || said.some((hash, i) => hash !== hashes[i])
      if (differs)
        refuse('HASH_MISMATCH', 'the trade may have been sent: look first', {
          retry: 'look_first',
          hashes,
          said,
        })
      return
    } catch (error) {
      // Nothing else is signed for it: the same bytes can be mined once, however often they are sent.
      if (!isRefusal(error) || error.retry !== 'look_first' || error.code === 'HASH_MISMATCH') throw error
      if (await isKnown(deps, hashes.at(-1)!)) return
      if (deps.nowMs() / 1000 > deadlineS) throw uncertain(error, hashes)
      await deps.sleep(1_000, signal)
    }
  }
}

const uncertain = (error: PitRefusal, hashes: readonly Hex[]) =>
  new PitRefusal(
    error.code,
    'It may have been sent, and nobody could say: look for it before you sign another.',
    {
      retry: 'look_first',
      hint: `Look for ${hashes.at(-1)} on the chain and in me/trades.`,
      details: { ...error.details, tx_hashes: hashes },
      cause: error,
    },
  )

const isKnown = (deps: ClientDeps, hash: Hex) => isFound(deps, 'eth_getTransactionByHash', hash)
export const isMined = (deps: ClientDeps, hash: Hex) => isFound(deps, 'eth_getTransactionReceipt', hash)

async function isFound({ rpc }: ClientDeps, method: string, hash: Hex): Promise<boolean> {
  const [answer] = await rpc.all([{ method, params: [hash] }]).catch(() => [null])
  return answer !== null && answer !== undefined && !(answer instanceof RpcFailure)
}

/** Waits for a transaction on the client's own node; refuses when it reverted or was never mined. */
export async function waitMined(
  { rpc, nowMs, sleep }: ClientDeps,
  hash: Hex,
  { deadlineS, undated, signal }: { deadlineS: number; undated?: true | undefined } & VerbOptions,
): Promise<Receipt> {
  for (let everyMs = LOOK_EVERY_MS; ; everyMs = Math.min(everyMs * 1.5, MAX_LOOK_EVERY_MS)) {
    const [answer] = await rpc
      .all([{ method: 'eth_getTransactionReceipt', params: [hash] }], signal)
      .catch(() => [null])
    if (answer && !(answer instanceof RpcFailure)) return readReceipt(hash, answer as RawReceipt)
    if (nowMs() / 1000 > deadlineS + AFTER_DEADLINE_S)
      throw new PitRefusal('NOT_MINED', `${hash} was relayed and is not mined after its deadline.`, {
        retry: 'look_first',
        hint: undated
          ? 'It has no deadline and can still be mined: send another transaction with its nonce to end it.'
          : 'It can only revert now. Look for it on the chain before you trade again.',
        details: { tx_hash: hash },
      })
    await sleep(everyMs, signal)
  }
}

function readReceipt(hash: Hex, raw: RawReceipt): Receipt {
  const block = Number(BigInt(raw.blockNumber))
  if (raw.status !== '0x1') refuse('TX_REVERTED', `in block ${block}`, { tx_hash: hash, block })
  return {
    hash,
    block,
    gasUsed: BigInt(raw.gasUsed),
    gasPriceWei: BigInt(raw.effectiveGasPrice),
    logs: raw.logs,
  }
}

/** What a receipt's logs move of a token to an address, less what they move away; null for native ETH. */
export function movedTo({ logs }: Receipt, token: Address, holder: Address): bigint | null {
  if (token === NATIVE) return null
  const word = `0x${holder.slice(2).padStart(64, '0')}`
  let sum = 0n
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== token || topics[0] !== ERC20_TRANSFER_TOPIC || topics.length !== 3) continue
    if (topics[2]!.toLowerCase() === word) sum += BigInt(data)
    if (topics[1]!.toLowerCase() === word) sum -= BigInt(data)
  }
  return sum
}
