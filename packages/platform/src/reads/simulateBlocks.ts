import { type Address, type Hex, lowerAddress as lower, type SignedAuthorization } from '@pit/chain'
import { plainText, revertReason } from '../revertReason.ts'
import { type Rpc, RpcError } from '../rpc.ts'
import { addressIn, type BlockTag, toQuantity as quantity, quantityIn, tagOf } from './hex.ts'
import { rpcUnavailable as unavailable } from './unavailable.ts'

export interface SimCall {
  /** Nobody in particular when absent. */
  from?: Address
  to: Address
  data: Hex
  gas: number
  valueWei?: bigint
  /** The sender pays the base fee for gas, at most this; absent: gas is free. */
  maxFeePerGasWei?: bigint
  /** None when absent: then what gas cost is known on every chain, gas used at the base fee. */
  tipWei?: bigint
  /** EIP-7702: applied before the call. */
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
/** Null: made or undone. */
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
  /** Where asked for: every move of ETH, by whichever call inside. */
  etherMoves: Move[]
  /** There were more logs than are kept. */
  isCut: boolean
  /** Why it failed, in words. */
  reason: string | null
  /** The same, with the gas used where the call reverted with nothing to say. */
  error: string | null
}

/** The calls were understood and no block could hold them: theirs is the fault, not the node's. */
export class NotRunnable extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** The codes of eth_simulateV1 that judge the calls; what a node words itself is not repeated. */
const NOT_RUNNABLE = new Map([
  [-38010, 'a nonce was used before'],
  [-38011, 'a nonce is not the next'],
  [-38012, 'the fee cap is under the base fee'],
  [-38013, 'the gas limit is under what any such transaction needs'],
  [-38014, 'the ETH held does not cover value and gas'],
  [-38015, 'the gas limit is more than a block has'],
  [-38021, 'the block’s time is not after the one before'],
])
/** EIP-1474's: for nodes that do not tell the reasons apart. */
const TRANSACTION_REJECTED = -32003
const METHOD_NOT_FOUND = -32601
/** Where the execution APIs have moves of ETH logged; no code is there. */
const ETHER_LOGS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** A hostile token may log as long as gas lasts. */
const MAX_LOGS = 256

interface SimTerms {
  timeoutMs: number
  /** Every move of ETH is told too, by whichever call inside. */
  traceTransfers?: boolean
  /** Logs kept of each call. */
  maxLogs?: number
  /** The block they stand on; the newest when absent. */
  block?: BlockTag
}

/**
 * Runs calls on the newest state, or on an earlier block's, with one eth_simulateV1, block after block, and
 * leaves nothing behind. Nonces are the node's to count: a wallet with something pending has none of its own
 * to be held to. A call that fails is an answer. Throws NotRunnable when no block could hold the calls, and
 * refuses RPC_UNAVAILABLE when the node cannot tell.
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
    return unavailable('eth_simulateV1 answered other blocks than were asked')
  return blocks.map(({ calls }, i) => readBlock(answer[i], calls, maxLogs))
}

function refuse(error: Error): never {
  if (!(error instanceof RpcError)) return unavailable('it did not answer a simulation')
  if (error.code === METHOD_NOT_FOUND) return unavailable('this node has no eth_simulateV1')
  const words = NOT_RUNNABLE.get(error.code)
  if (words !== undefined) throw new NotRunnable(error.code, words)
  if (error.code === TRANSACTION_REJECTED) throw new NotRunnable(error.code, plainText(error.message))
  return unavailable(`it refused the simulation (${error.code})`)
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
    return unavailable('eth_simulateV1 answered other calls than were asked')
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
    return unavailable('eth_simulateV1 does not say how a call ended')
  const ok = status === '0x1'
  const data = (ok ? returnData : (error?.data ?? returnData)) ?? '0x'
  const isMove = (log: AnsweredLog) => lower(log.address) === ETHER_LOGS
  const all = ok ? (logs ?? []) : []
  const kept = all.filter((log) => !isMove(log)).slice(0, maxLogs)
  const moves = all.filter(isMove).slice(0, maxLogs)
  const reason = ok ? null : revertReason(data, error?.message)
  // A call that was choked deep inside reverts with nothing to say: then its gas says more.
  const gasText = data === '0x' ? ` (${gasUsed} of ${gas} gas used)` : ''
  return {
    ok,
    data,
    gasUsed: Number(gasUsed),
    logs: kept.map((log) => ({ address: lower(log.address), topics: log.topics, data: log.data })),
    etherMoves: moves.flatMap(moveIn),
    isCut: kept.length + moves.length < all.length,
    reason,
    error: reason === null ? null : `${reason}${gasText}`,
  }
}

/** A node tells a move of ETH as if it were a token's Transfer. */
function moveIn({ topics: [, from, to], data }: AnsweredLog): Move[] {
  const [sender, receiver, atoms] = [addressIn(from), addressIn(to), quantityIn(data)]
  return sender && receiver && atoms !== undefined ? [{ from: sender, to: receiver, atoms }] : []
}
