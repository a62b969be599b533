import { createHash } from 'node:crypto'
import { hexToBytes, keccak256 } from 'viem'
import { toHex } from './hex.ts'
import { paidPriceWei } from './simulateChecks.ts'
import { revertMessage, SIMULATE_CODE } from './simulateFailure.ts'
import { ETH_LOG_ADDRESS, type Frame, logsOf, type PlainLog } from './simulateLogs.ts'
import type { SimulatedCall } from './simulateRequest.ts'
import type { BlockJson, Hex } from './types.ts'

/** An executed call and its trace. */
export interface RanCall {
  call: SimulatedCall
  nonce: bigint
  gas: bigint
  frame: Frame
}

const CHAIN_ID = 4663

/**
 * The response's block. Its hash and roots are those of the engine's block before the calls, so that
 * BLOCKHASH in a later simulated block agrees with the hashes shown.
 */
export function blockAnswer(
  header: BlockJson,
  ran: readonly RanCall[],
  show: { transfers: boolean; fullTransactions: boolean },
): Record<string, unknown> {
  const txs = ran.map((one, index) => transactionJson(one, index, header))
  const calls: Record<string, unknown>[] = []
  const bloom = new Uint8Array(256)
  let logIndex = 0
  for (const [index, one] of ran.entries()) {
    const logs = logsOf(one.frame, show.transfers).map((log) => {
      addToBloom(bloom, log)
      return {
        ...log,
        blockNumber: header.number,
        blockHash: header.hash,
        blockTimestamp: header.timestamp,
        transactionHash: txs[index]!['hash'],
        transactionIndex: toHex(index),
        logIndex: toHex(logIndex++),
        removed: false,
      }
    })
    calls.push(callAnswer(one.frame, logs))
  }
  return {
    ...header,
    gasUsed: toHex(ran.reduce((sum, { frame }) => sum + BigInt(frame.gasUsed), 0n)),
    logsBloom: `0x${Buffer.from(bloom).toString('hex')}`,
    transactions: show.fullTransactions ? txs : txs.map((tx) => tx['hash']),
    calls,
  }
}

function callAnswer(frame: Frame, logs: unknown[]): Record<string, unknown> {
  const returnData = frame.output ?? '0x'
  const { gasUsed } = frame
  if (frame.error === undefined) return { status: '0x1', returnData, gasUsed, logs }
  const error =
    frame.error === 'execution reverted'
      ? { code: SIMULATE_CODE.reverted, message: revertMessage(returnData), data: returnData }
      : { code: SIMULATE_CODE.vmError, message: frame.error, data: returnData }
  return { status: '0x0', returnData, gasUsed, logs: [], error }
}

function transactionJson(one: RanCall, index: number, header: BlockJson): Record<string, unknown> {
  const { call, nonce, gas } = one
  const type = call.authorizationList ? 4 : call.fees.kind === 'legacy' ? (call.accessList ? 1 : 0) : 2
  const capWei = call.fees.kind === 'market' ? call.fees.capWei : 0n
  const tipWei = call.fees.kind === 'market' ? call.fees.tipWei : 0n
  return {
    hash: transactionName(one, header),
    type: toHex(type),
    chainId: toHex(CHAIN_ID),
    nonce: toHex(nonce),
    blockHash: header.hash,
    blockNumber: header.number,
    transactionIndex: toHex(index),
    from: call.from,
    to: call.to ?? null,
    value: toHex(call.valueWei),
    gas: toHex(gas),
    gasPrice: toHex(paidPriceWei(call, BigInt(header.baseFeePerGas))),
    ...(type >= 2 ? { maxFeePerGas: toHex(capWei), maxPriorityFeePerGas: toHex(tipWei) } : {}),
    input: call.data,
    ...(type >= 1 ? { accessList: call.accessList ?? [] } : {}),
    ...(call.authorizationList ? { authorizationList: call.authorizationList.map(hexFields) } : {}),
    v: '0x0',
    r: call.from,
    s: call.from,
    ...(type >= 1 ? { yParity: '0x0' } : {}),
  }
}

const hexFields = (item: Record<string, unknown> | object) =>
  Object.fromEntries(
    Object.entries(item).map(([key, value]) => [key, typeof value === 'bigint' ? toHex(value) : value]),
  )

/**
 * An id for an unsigned transaction, which has no real hash: equal calls of two senders differ. SHA-256,
 * because encoding and hashing it as signed took longer than running it.
 */
function transactionName({ call, nonce, gas }: RanCall, header: BlockJson): Hex {
  const { from, to = '', valueWei, data } = call
  const text = [header.parentHash, from, nonce, to, valueWei, gas, data].join()
  return `0x${createHash('sha256').update(text).digest('hex')}`
}

// Event signatures and token addresses repeat.
const bloomBits = new Map<Hex, readonly number[]>()
const MAX_BLOOM_ENTRIES = 20_000

function addToBloom(bloom: Uint8Array, log: PlainLog): void {
  if (log.address === ETH_LOG_ADDRESS) return
  for (const part of [log.address, ...log.topics]) {
    for (const bit of bitsOf(part)) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
  }
}

function bitsOf(part: Hex): readonly number[] {
  const cached = bloomBits.get(part)
  if (cached) return cached
  const hash = hexToBytes(keccak256(part))
  const bits = [0, 2, 4].map((at) => ((hash[at]! << 8) | hash[at + 1]!) & 2047)
  if (bloomBits.size >= MAX_BLOOM_ENTRIES) bloomBits.clear()
  bloomBits.set(part, bits)
  return bits
}
