import type { Address, Hex, SignedAuthorization } from '@pit/chain'
import { lower } from '@pit/protocol'
import { type Rpc, RpcError } from '../rpc/index.ts'
import { addressIn, type BlockTag, toQuantity as quantity, quantityIn, tagOf } from './hex.ts'
import { plainText, revertReason } from './revertReason.ts'
import { rpcUnavailable as unavailable } from './unavailable.ts'

export interface SimCall {
  /** Any sender if absent. */
  from?: Address
  to: Address
  data: Hex
  gas: number
  valueWei?: bigint
  /** The sender pays the base fee for gas, at most this; free if absent. */
  maxFeePerGasWei?: bigint
  /** No tip if absent: the gas cost is then gas used at the base fee, on every chain. */
  tipWei?: bigint
  /** EIP-7702 authorizations, applied before the call. */
  authorizations?: readonly SignedAuthorization[]
}
export interface SimBlock {
  calls: readonly SimCall[]
  overrides?: Readonly<Record<Address, AccountOverride>>
  baseFeeWei?: bigint
  timeS?: number
}
export interface AccountOverride {
  balanceWei?: bigint
  code?: Hex
  words?: Readonly<Record<Hex, bigint>>
}

export interface RanBlock {
  number: number
  baseFeeWei: bigint
  calls: RanCall[]
}
/** Null: a mint or burn. */
export interface Move {
  from: Address | null
  to: Address | null
  atoms: bigint
}
export interface RanCall {
  ok: boolean
  data: Hex
  gasUsed: number
  logs: { address: Address; topics: Hex[]; data: Hex }[]
  /** With `traceTransfers`: every ETH transfer, by any inner call. */
  etherMoves: Move[]
  /** Logs were cut off at the limit. */
  isCut: boolean
  /** Reason of the failure, in words. */
  reason: string | null
  /** The same, with the gas used if the call reverted without a reason. */
  error: string | null
}

/** The node understood the calls, but no block could contain them: an error of the calls, not of the node. */
export class NotRunnable extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** eth_simulateV1 error codes about the calls, in our own words. */
const NOT_RUNNABLE = new Map([
  [-38010, 'a nonce was already used'],
  [-38011, 'a nonce is not the next one'],
  [-38012, 'the fee cap is below the base fee'],
  [-38013, 'the gas limit is below the minimum for this transaction'],
  [-38014, 'insufficient ETH for value and gas'],
  [-38015, 'the gas limit is above the block’s'],
  [-38021, 'the block’s time is not after its parent’s'],
])
/** EIP-1474 code of nodes that do not distinguish the reasons. */
const TRANSACTION_REJECTED = -32003
const METHOD_NOT_FOUND = -32601
/** Address under which the execution APIs log ETH transfers; it has no code. */
const ETHER_LOGS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** A hostile token may log until its gas runs out. */
const MAX_LOGS = 256

interface SimTerms {
  timeoutMs: number
  /** Logs every ETH transfer too, by any inner call. */
  traceTransfers?: boolean
  /** Maximum logs per call. */
  maxLogs?: number
  /** The block to run on; the newest if absent. */
  block?: BlockTag
}

/**
 * Simulates calls with one eth_simulateV1, block after block, on the newest state or an earlier block's. The
 * node assigns nonces, since a wallet may have pending transactions. A failed call is a result. Throws
 * NotRunnable if no block could contain the calls, and RPC_UNAVAILABLE if the node cannot simulate.
 */
export async function simulateBlocks(
  rpc: Pick<Rpc, 'request'>,
  blocks: readonly SimBlock[],
  { timeoutMs, traceTransfers = false, maxLogs = MAX_LOGS, block = 'latest' }: SimTerms,
): Promise<RanBlock[]> {
  const payload = { blockStateCalls: blocks.map(blockJson), traceTransfers, validation: false }
  const answer = await rpc
    .request('eth_simulateV1', [payload, tagOf(block)], { timeoutMs })
    .catch((error: Error) => refuse(error))
  if (!Array.isArray(answer) || answer.length !== blocks.length)
    return unavailable('eth_simulateV1 returned other blocks than requested')
  return blocks.map(({ calls }, i) => readBlock(answer[i], calls, maxLogs))
}

function refuse(error: Error): never {
  if (!(error instanceof RpcError)) return unavailable('it did not answer the simulation')
  if (error.code === METHOD_NOT_FOUND) return unavailable('this node has no eth_simulateV1')
  const words = NOT_RUNNABLE.get(error.code)
  if (words !== undefined) throw new NotRunnable(error.code, words)
  if (error.code === TRANSACTION_REJECTED) throw new NotRunnable(error.code, plainText(error.message))
  return unavailable(`it rejected the simulation (${error.code})`)
}

const blockJson = ({ calls, overrides = {}, baseFeeWei, timeS }: SimBlock) => ({
  blockOverrides: {
    ...(baseFeeWei === undefined ? {} : { baseFeePerGas: quantity(baseFeeWei) }),
    ...(timeS === undefined ? {} : { time: quantity(timeS) }),
  },
  stateOverrides: Object.fromEntries(
    Object.entries(overrides).map(([address, { balanceWei, code, words }]) => [
      address,
      {
        ...(balanceWei === undefined ? {} : { balance: quantity(balanceWei) }),
        ...(code === undefined ? {} : { code }),
        ...(words === undefined ? {} : { stateDiff: wordsJson(words) }),
      },
    ]),
  ),
  calls: calls.map(({ from, to, data, gas, valueWei, maxFeePerGasWei, tipWei = 0n, authorizations }) => ({
    ...(from === undefined ? {} : { from }),
    to,
    input: data,
    gas: quantity(gas),
    ...(valueWei === undefined ? {} : { value: quantity(valueWei) }),
    ...(maxFeePerGasWei === undefined
      ? {}
      : { maxFeePerGas: quantity(maxFeePerGasWei), maxPriorityFeePerGas: quantity(tipWei) }),
    ...(authorizations === undefined ? {} : { authorizationList: authorizations.map(authorizationJson) }),
  })),
})

const authorizationJson = ({ chainId, address, nonce, yParity, r, s }: SignedAuthorization) => ({
  chainId: quantity(chainId),
  address,
  nonce: quantity(nonce),
  yParity: quantity(yParity),
  r: quantity(BigInt(r)),
  s: quantity(BigInt(s)),
})

const wordsJson = (words: Readonly<Record<Hex, bigint>>) =>
  Object.fromEntries(
    Object.entries(words).map(([slot, word]) => [slot, `0x${word.toString(16).padStart(64, '0')}`]),
  )

interface AnsweredLog {
  address: Address
  topics: Hex[]
  data: Hex
}
interface AnsweredCall {
  status: Hex
  gasUsed: Hex
  returnData?: Hex
  logs?: AnsweredLog[]
  error?: { message?: string; data?: Hex }
}

function readBlock(answered: unknown, asked: readonly SimCall[], maxLogs: number): RanBlock {
  const block = answered as { number?: Hex; baseFeePerGas?: Hex; calls?: AnsweredCall[] } | null
  const number = quantityIn(block?.number)
  if (!Array.isArray(block?.calls) || block.calls.length !== asked.length || number === undefined)
    return unavailable('eth_simulateV1 returned other calls than requested')
  return {
    number: Number(number),
    baseFeeWei: quantityIn(block.baseFeePerGas) ?? 0n,
    calls: block.calls.map((call, i) => readCall(call, asked[i]!, maxLogs)),
  }
}

function readCall(answered: AnsweredCall, { gas }: SimCall, maxLogs: number): RanCall {
  const { status, returnData, logs, error } = answered
  const gasUsed = quantityIn(answered.gasUsed)
  if ((status !== '0x1' && status !== '0x0') || gasUsed === undefined)
    return unavailable('eth_simulateV1 does not report a call’s status')
  const ok = status === '0x1'
  const data = (ok ? returnData : (error?.data ?? returnData)) ?? '0x'
  const isMove = (log: AnsweredLog) => lower(log.address) === ETHER_LOGS
  const all = ok ? (logs ?? []) : []
  const keptLogs = all.filter((log) => !isMove(log)).slice(0, maxLogs)
  const moves = all.filter(isMove).slice(0, maxLogs)
  const reason = ok ? null : revertReason(data, error?.message)
  // A call that ran out of gas deep inside reverts without a reason: show its gas.
  const gasText = data === '0x' ? ` (${gasUsed} of ${gas} gas used)` : ''
  return {
    ok,
    data,
    gasUsed: Number(gasUsed),
    logs: keptLogs.map((log) => ({ address: lower(log.address), topics: log.topics, data: log.data })),
    etherMoves: moves.flatMap(moveIn),
    isCut: keptLogs.length + moves.length < all.length,
    reason,
    error: reason === null ? null : `${reason}${gasText}`,
  }
}

/** Nodes report an ETH transfer like a token's Transfer event. */
function moveIn({ topics: [, from, to], data }: AnsweredLog): Move[] {
  const [sender, receiver, atoms] = [addressIn(from), addressIn(to), quantityIn(data)]
  return sender && receiver && atoms !== undefined ? [{ from: sender, to: receiver, atoms }] : []
}
