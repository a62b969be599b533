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

export interface Found {
  row: FollowedRow
  receipt: Receipt
}

/**
 * What receipts make of their rows. Amounts are read from logs, and held against balances where logs do not
 * tell all; one that cannot be exact stays the plan's minimum, and one that is known to be nothing is none. A
 * row whose block the node no longer shows is left for later, and so is one for whose trace this look has no
 * time left.
 */
export async function readOutcomes(deps: ReadDeps, found: readonly Found[]): Promise<Outcome[]> {
  const startedMs = performance.now()
  const odd = await oddAmong(deps, new Set(found.flatMap(({ row }) => [row.token_out, row.fee_token])))
  const reads = createStateReads()
  const plans = found.map(({ row, receipt }) => askState(reads, row, receipt, odd))
  await reads.run(deps.rpc)
  const traceTime = () => performance.now() - startedMs < TRACES_START_WITHIN_MS
  const outcomes = await inParallel(found, AT_ONCE, async ({ row, receipt }, i): Promise<Outcome[]> => {
    const asked = plans[i]!
    const minedAtS = asked.blockTimeS()
    if (minedAtS === undefined) return []
    const amounts = await amountsOf({ ...deps, traceTime }, row, receipt, asked)
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

/** Tokens whose logs are not to be believed; so is one that cannot be asked about. */
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
      logger.warn({ err: error, token }, 'a token’s record cannot be read; its balances are')
      odd.add(token)
    }
  })
  return odd
}

/** What state is read for a row; each answers undefined where the node did not. */
interface Asked {
  blockTimeS(): number | undefined
  /** What the wallet has more ETH than before this transaction, its gas apart. */
  etherGained?(): bigint | undefined
  /** The same of the output, for a token whose logs do not tell. */
  tokenGained?(): bigint | undefined
  /** And of the fee's token, for the recipient. */
  feeGained?(): bigint | undefined
}

function askState(reads: StateReads, row: FollowedRow, receipt: Receipt, odd: ReadonlySet<Address>): Asked {
  const asked: Asked = { blockTimeS: reads.blockTimeS(receipt.blockHash) }
  if (!receipt.ok) return asked
  const { tx_hash: hash, wallet, signer } = row
  if (row.kind === 'swap' && row.token_out === NATIVE_TOKEN) {
    const gasWei = signer === wallet ? (receipt.gasCostWei ?? 0n) : 0n
    asked.etherGained = reads.etherGained({ wallet, receipt, ownTxs: signer === wallet ? 1 : 0, gasWei })
  } else if (row.kind === 'swap' && row.token_out !== null && odd.has(row.token_out)) {
    asked.tokenGained = reads.tokenGained({ token: row.token_out, holder: wallet, hash, receipt })
  }
  if (booksFee(row) && row.fee_token !== null && row.fee_recipient !== null && odd.has(row.fee_token)) {
    asked.feeGained = reads.tokenGained({ token: row.fee_token, holder: row.fee_recipient, hash, receipt })
  }
  return asked
}

/** More than any balance: the token's logs are made up. */
const MAX_ATOMS = 2n ** 256n - 1n

type Amounts = Pick<Outcome, 'amountOut' | 'amountOutKind' | 'fee'>
type AmountDeps = ReadDeps & { traceTime(): boolean }
const NOTHING: Amounts = { amountOut: null, amountOutKind: null, fee: null }

async function amountsOf(
  deps: AmountDeps,
  row: FollowedRow,
  receipt: Receipt,
  asked: Asked,
): Promise<Amounts | 'later'> {
  if (!receipt.ok) return NOTHING
  if (row.kind !== 'swap') return { ...NOTHING, fee: plainFee(deps, row, receipt, asked) }
  if (row.token_out === NATIVE_TOKEN) return etherAmounts(deps, row, receipt, asked)
  const fee = plainFee(deps, row, receipt, asked)
  if (row.token_out === null) return { ...NOTHING, fee }
  const delivered = asked.tokenGained
    ? asked.tokenGained()
    : netReceived(receipt.logs, row.token_out, row.wallet)
  if (delivered === undefined || delivered > MAX_ATOMS) return { ...atLeast(row), fee }
  return { ...actualOf(row, delivered), fee }
}

/** What is known to have come out; nothing at all is no amount, however much was promised. */
function actualOf(row: FollowedRow, delivered: bigint): Pick<Amounts, 'amountOut' | 'amountOutKind'> {
  const amountOut = delivered > 0n ? amountOutOf(row, delivered) : 0n
  return amountOut > 0n ? { amountOut, amountOutKind: 'actual' } : { amountOut: null, amountOutKind: null }
}

const atLeast = (row: FollowedRow): Pick<Amounts, 'amountOut' | 'amountOutKind'> =>
  row.amount_out_min === null
    ? { amountOut: null, amountOutKind: null }
    : { amountOut: BigInt(row.amount_out_min), amountOutKind: 'minimum' }

/** A fee that is no portion of ETH: a fixed amount, or what the token's logs show. The chain's word wins. */
function plainFee(
  { logger, addresses }: ReadDeps,
  row: FollowedRow,
  { logs }: Receipt,
  asked: Asked,
): BookedFee | null {
  if (!booksFee(row)) return null
  const agreed = row.fee_amount === null ? null : BigInt(row.fee_amount)
  if (row.fee_token === NATIVE_TOKEN) return bookedFee(row, agreed ?? 0n)
  const shown = asked.feeGained?.() ?? tokenFeeByLogs(logs, row, addresses)
  // No token makes more of what was sent, whatever it logs.
  const seen = shown !== null && agreed !== null && shown > agreed ? agreed : shown
  if (seen === null && agreed === null) logger.error({ hash: row.tx_hash }, 'a mined trade shows no fee')
  else if (seen !== null && agreed !== null && seen !== agreed)
    logger.warn(
      { hash: row.tx_hash, agreed: agreed.toString(), seen: seen.toString() },
      'a fee arrived as another amount than was agreed',
    )
  return bookedFee(row, seen ?? agreed ?? 0n)
}

/**
 * ETH leaves no logs of its own. What the pools' logs say it made is held against what the wallet has more.
 * Where the two differ, or one of them is not to be had, a trace decides; without one, the logs alone or the
 * balance alone.
 */
async function etherAmounts(
  deps: AmountDeps,
  row: FollowedRow,
  receipt: Receipt,
  asked: Asked,
): Promise<Amounts | 'later'> {
  const isPortion = booksFee(row) && row.fee_token === NATIVE_TOKEN && row.fee_amount === null
  const feeFor = (portion: bigint) =>
    isPortion ? bookedFee(row, portion) : plainFee(deps, row, receipt, asked)
  const actual = (delivered: bigint, portion: bigint): Amounts => ({
    ...actualOf(row, delivered),
    fee: feeFor(portion),
  })
  const portionOf = (made: bigint) => feeOf(made, row.fee_bps ?? 0)

  const made = etherMade(receipt.logs, row, deps.addresses)
  const gained = asked.etherGained?.()
  if (made !== null && gained === etherDelivered(row, made)) return actual(gained, portionOf(made))

  if (!deps.traceTime()) return 'later'
  const moves = await traceEther(deps.rpc, row.tx_hash)
  if (moves) {
    const { router } = deps.addresses
    return actual(
      moves.net(row.wallet),
      router && row.fee_recipient ? moves.paid(router, row.fee_recipient) : 0n,
    )
  }
  if (made !== null && gained === undefined) return actual(etherDelivered(row, made), portionOf(made))
  // Less than before: something else took of it in the same block.
  if (made === null && gained !== undefined && gained >= 0n)
    return actual(gained, gained > 0n ? portionOf(etherMadeFor(row, gained)) : 0n)
  deps.logger.warn({ hash: row.tx_hash }, 'the ETH a trade made cannot be told exactly')
  const least = made ?? etherMadeFor(row, BigInt(row.amount_out_min ?? 0))
  return { ...atLeast(row), fee: feeFor(portionOf(least)) }
}

/** Does the work for each, so many at a time; the answers come in the items' order. */
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
