import type { Address } from '@pit/chain'
import { traceEther } from '@pit/platform/reads'
import { feeOf, NATIVE_TOKEN } from '@pit/protocol'
import type { RelayDeps } from '../deps.ts'
import {
  type Addresses,
  amountOutOf,
  bookedFee,
  booksFee,
  etherDelivered,
  etherMade,
  etherMadeFor,
  netReceived,
  tokenFeeByLogs,
} from './amounts.ts'
import { createStateReads, type StateReads } from './stateReads.ts'
import type { BookedFee, FollowedRow, Outcome, Receipt } from './types.ts'

type ReadDeps = Pick<RelayDeps, 'rpc' | 'logger' | 'isPlainToken'> & { addresses: Addresses }

export interface MinedRow {
  row: FollowedRow
  receipt: Receipt
}

/**
 * Derives outcomes from receipts. Amounts come from logs, checked against balances if logs are incomplete; an
 * inexact amount stays the plan's minimum, and a zero amount is null. A row whose block the node no longer has,
 * or whose trace does not fit into this round, is left for the next one.
 */
export async function readOutcomes(deps: ReadDeps, rows: readonly MinedRow[]): Promise<Outcome[]> {
  const startedMs = performance.now()
  const odd = await oddAmong(deps, new Set(rows.flatMap(({ row }) => [row.token_out, row.fee_token])))
  const reads = createStateReads()
  const plans = rows.map(({ row, receipt }) => askState(reads, row, receipt, odd))
  await reads.run(deps.rpc)
  const traceTime = () => performance.now() - startedMs < TRACES_START_WITHIN_MS
  const outcomes = await inParallel(rows, AT_ONCE, async ({ row, receipt }, i): Promise<Outcome[]> => {
    const reads = plans[i]!
    const minedAtS = reads.blockTimeS()
    if (minedAtS === undefined) return []
    const amounts = await amountsOf({ ...deps, traceTime }, row, receipt, reads)
    if (amounts === 'later') return []
    const { block, blockHash, gasCostWei: gasWei } = receipt
    const status = receipt.ok ? 'mined' : 'reverted'
    return [{ row, status, block, blockHash, minedAtS, gasWei, ...amounts }]
  })
  return outcomes.flat()
}

const AT_ONCE = 8
/** Tracing may be slow: rows reached after this time wait for the next round. */
const TRACES_START_WITHIN_MS = 2_000

/** Tokens whose logs cannot be trusted, including those whose record cannot be read. */
async function oddAmong(
  { isPlainToken, logger }: ReadDeps,
  tokens: ReadonlySet<Address | null>,
): Promise<Set<Address>> {
  const odd = new Set<Address>()
  if (!isPlainToken) return odd
  await inParallel([...tokens], AT_ONCE, async (token) => {
    if (token === null || token === NATIVE_TOKEN) return
    try {
      if (!(await isPlainToken(token))) odd.add(token)
    } catch (error) {
      logger.warn({ err: error, token }, 'failed to read a token’s record; using balances')
      odd.add(token)
    }
  })
  return odd
}

/** State reads of a row; each returns undefined if the node did not respond. */
interface RowReads {
  blockTimeS(): number | undefined
  /** Change of the wallet's ETH balance by this transaction, before gas. */
  etherGained?(): bigint | undefined
  /** Change of the output token's balance, for a token with unreliable logs. */
  tokenGained?(): bigint | undefined
  /** Change of the recipient's balance of the fee token. */
  feeGained?(): bigint | undefined
}

function askState(
  reads: StateReads,
  row: FollowedRow,
  receipt: Receipt,
  odd: ReadonlySet<Address>,
): RowReads {
  const rowReads: RowReads = { blockTimeS: reads.blockTimeS(receipt.blockHash) }
  if (!receipt.ok) return rowReads
  const { tx_hash: hash, wallet, signer } = row
  if (row.kind === 'swap' && row.token_out === NATIVE_TOKEN) {
    const gasWei = signer === wallet ? (receipt.gasCostWei ?? 0n) : 0n
    rowReads.etherGained = reads.etherGained({ wallet, receipt, ownTxs: signer === wallet ? 1 : 0, gasWei })
  } else if (row.kind === 'swap' && row.token_out !== null && odd.has(row.token_out)) {
    rowReads.tokenGained = reads.tokenGained({ token: row.token_out, holder: wallet, hash, receipt })
  }
  if (booksFee(row) && row.fee_token !== null && row.fee_recipient !== null && odd.has(row.fee_token)) {
    rowReads.feeGained = reads.tokenGained({ token: row.fee_token, holder: row.fee_recipient, hash, receipt })
  }
  return rowReads
}

/** More than any balance: the token's logs are fabricated. */
const MAX_ATOMS = 2n ** 256n - 1n

type Amounts = Pick<Outcome, 'amountOut' | 'amountOutKind' | 'fee'>
type AmountDeps = ReadDeps & { traceTime(): boolean }
const NOTHING: Amounts = { amountOut: null, amountOutKind: null, fee: null }

async function amountsOf(
  deps: AmountDeps,
  row: FollowedRow,
  receipt: Receipt,
  rowReads: RowReads,
): Promise<Amounts | 'later'> {
  if (!receipt.ok) return NOTHING
  if (row.kind !== 'swap') return { ...NOTHING, fee: plainFee(deps, row, receipt, rowReads) }
  if (row.token_out === NATIVE_TOKEN) return etherAmounts(deps, row, receipt, rowReads)
  const fee = plainFee(deps, row, receipt, rowReads)
  if (row.token_out === null) return { ...NOTHING, fee }
  const delivered = rowReads.tokenGained
    ? rowReads.tokenGained()
    : netReceived(receipt.logs, row.token_out, row.wallet)
  if (delivered === undefined || delivered > MAX_ATOMS) return { ...atLeast(row), fee }
  return { ...actualOf(row, delivered), fee }
}

/** The confirmed output; null if nothing was delivered. */
function actualOf(row: FollowedRow, delivered: bigint): Pick<Amounts, 'amountOut' | 'amountOutKind'> {
  const amountOut = delivered > 0n ? amountOutOf(row, delivered) : 0n
  return amountOut > 0n ? { amountOut, amountOutKind: 'actual' } : { amountOut: null, amountOutKind: null }
}

const atLeast = (row: FollowedRow): Pick<Amounts, 'amountOut' | 'amountOutKind'> =>
  row.amount_out_min === null
    ? { amountOut: null, amountOutKind: null }
    : { amountOut: BigInt(row.amount_out_min), amountOutKind: 'minimum' }

/** A fee that is not a portion of ETH: a fixed amount, or from the token's logs. Chain data takes precedence. */
function plainFee(
  { logger, addresses }: ReadDeps,
  row: FollowedRow,
  { logs }: Receipt,
  rowReads: RowReads,
): BookedFee | null {
  if (!booksFee(row)) return null
  const agreed = row.fee_amount === null ? null : BigInt(row.fee_amount)
  if (row.fee_token === NATIVE_TOKEN) return bookedFee(row, agreed ?? 0n)
  const shown = rowReads.feeGained?.() ?? tokenFeeByLogs(logs, row, addresses)
  // The recipient cannot receive more than was sent, whatever the token logs.
  const received = shown !== null && agreed !== null && shown > agreed ? agreed : shown
  if (received === null && agreed === null) logger.error({ hash: row.tx_hash }, 'a mined trade has no fee')
  else if (received !== null && agreed !== null && received !== agreed)
    logger.warn(
      { hash: row.tx_hash, agreed: agreed.toString(), seen: received.toString() },
      'the received fee differs from the agreed amount',
    )
  return bookedFee(row, received ?? agreed ?? 0n)
}

/**
 * ETH transfers have no logs. The amount from the pools' logs is compared with the change of the wallet's
 * balance. If they differ or one is missing, a trace decides; without a trace, the logs or the balance alone.
 */
async function etherAmounts(
  deps: AmountDeps,
  row: FollowedRow,
  receipt: Receipt,
  rowReads: RowReads,
): Promise<Amounts | 'later'> {
  const isPortion = booksFee(row) && row.fee_token === NATIVE_TOKEN && row.fee_amount === null
  const feeFor = (portion: bigint) =>
    isPortion ? bookedFee(row, portion) : plainFee(deps, row, receipt, rowReads)
  const actual = (delivered: bigint, portion: bigint): Amounts => ({
    ...actualOf(row, delivered),
    fee: feeFor(portion),
  })
  const portionOf = (made: bigint) => feeOf(made, row.fee_bps ?? 0)

  const produced = etherMade(receipt.logs, row, deps.addresses)
  const gained = rowReads.etherGained?.()
  if (produced !== null && gained === etherDelivered(row, produced))
    return actual(gained, portionOf(produced))

  if (!deps.traceTime()) return 'later'
  const moves = await traceEther(deps.rpc, row.tx_hash)
  if (moves) {
    const { router } = deps.addresses
    return actual(
      moves.net(row.wallet),
      router && row.fee_recipient ? moves.paid(router, row.fee_recipient) : 0n,
    )
  }
  if (produced !== null && gained === undefined)
    return actual(etherDelivered(row, produced), portionOf(produced))
  // Negative: another transaction in the same block spent ETH.
  if (produced === null && gained !== undefined && gained >= 0n)
    return actual(gained, gained > 0n ? portionOf(etherMadeFor(row, gained)) : 0n)
  deps.logger.warn({ hash: row.tx_hash }, 'the ETH output of a trade is not known exactly')
  const least = produced ?? etherMadeFor(row, BigInt(row.amount_out_min ?? 0))
  return { ...atLeast(row), fee: feeFor(portionOf(least)) }
}

/** Runs the work with limited concurrency; results in the items' order. */
async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = new Array(items.length)
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const i = next++
      answers[i] = await work(items[i]!, i)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return answers
}
