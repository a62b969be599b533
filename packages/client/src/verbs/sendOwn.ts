import type { Address, Hex } from '@pit/chain'
import { keccak256 } from 'viem'
import type { Transaction } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import { RpcFailure, resultOf } from '../own/rpc.ts'
import { type Receipt, relay, sendSigned, waitMined } from './sendSigned.ts'

/** A call the client encoded itself. */
export interface OwnCall {
  to: Address
  data: Hex
  /** All ETH but the fee. */
  value?: 'rest'
}

const WAIT_S = 120

/** Ending and withdrawing are signed at any block: they must work while the node stands still. */
export const ending = (deps: ClientDeps): ClientDeps => ({ ...deps, account: deps.endingAccount })

/** Signs the owner's own calls one after the other and sends them by the client's own node. */
export async function sendOwn(
  deps: ClientDeps,
  calls: readonly OwnCall[],
  { signal }: VerbOptions,
): Promise<Receipt[]> {
  const receipts: Receipt[] = []
  for (const call of calls) receipts.push(await sendOne(deps, call, signal))
  return receipts
}

async function sendOne(deps: ClientDeps, call: OwnCall, signal: AbortSignal | undefined): Promise<Receipt> {
  const transaction = await transactionOf(deps, call, signal)
  const until = { deadlineS: Math.floor(deps.nowMs() / 1000) + WAIT_S, undated: true, signal } as const
  if (deps.account.sendTransaction) {
    const [hash] = await sendSigned(deps, [transaction], until)
    return (await waitMined(deps, hash!, until)).receipt
  }
  const raw = await deps.account.signTransaction(transaction)
  const hash = keccak256(raw)
  // By the client's own node, so that a server cannot hold it back; by the service if the node sends nothing.
  if (!(await broadcast(deps, raw, hash, { signal })))
    await relay(deps, { raws: [raw], hashes: [hash] }, until)
  return (await waitMined(deps, hash, until)).receipt
}

async function transactionOf(
  { rpc, account, pins }: ClientDeps,
  call: OwnCall,
  signal: AbortSignal | undefined,
): Promise<Transaction> {
  const { to, data } = call
  const [nonce, block, gas, balance] = await rpc.all(
    [
      { method: 'eth_getTransactionCount', params: [account.address, 'pending'] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      { method: 'eth_estimateGas', params: [{ from: account.address, to, data }] },
      ...(call.value ? [{ method: 'eth_getBalance', params: [account.address, 'latest'] }] : []),
    ],
    signal,
  )
  if (gas instanceof RpcFailure)
    throw new PitRefusal('NOT_RUNNABLE', `A call to ${call.to} would fail on your node: ${gas.message}.`, {
      hint: 'Check that the wallet holds enough ETH for gas.',
      details: { ...call },
      cause: gas,
    })
  const baseFeeWei = BigInt(resultOf<{ baseFeePerGas?: Hex }>(block).baseFeePerGas ?? '0x0')
  const limit = (BigInt(resultOf(gas)) * 5n) / 4n
  const most = BigInt(pins.limits.plan_gas)
  const fees = { gas: limit < most ? limit : most, maxFeePerGas: 2n * baseFeeWei }
  const restWei = call.value ? BigInt(resultOf<Hex>(balance)) - fees.gas * fees.maxFeePerGas : 0n
  if (restWei < 0n || (call.value && restWei === 0n))
    throw new PitRefusal('NOT_RUNNABLE', 'The ETH left does not exceed the fee of sending it.')
  return {
    type: 'eip1559',
    chainId: pins.profile.chain_id,
    nonce: Number(BigInt(resultOf(nonce))),
    ...{ to, data, value: restWei },
    maxPriorityFeePerGas: 0n,
    ...fees,
  }
}

/** Whether the client's own node took signed bytes, or knows them already. */
export async function broadcast(
  deps: ClientDeps,
  raw: Hex,
  hash: Hex,
  { signal }: VerbOptions,
): Promise<boolean> {
  const [answer] = await deps.rpc
    .all([{ method: 'eth_sendRawTransaction', params: [raw] }], signal)
    .catch((cause: Error) => [new RpcFailure(cause.message)])
  return !(answer instanceof RpcFailure) || isKnown(deps, hash, signal)
}

async function isKnown({ rpc }: ClientDeps, hash: Hex, signal: AbortSignal | undefined): Promise<boolean> {
  const call = { method: 'eth_getTransactionByHash', params: [hash] }
  const [answer] = await rpc.all([call], signal).catch(() => [null])
  return Boolean(answer) && !(answer instanceof RpcFailure)
}
