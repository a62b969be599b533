import type { Address, Crypto, Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import { askReceipt, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { boundControls, fail } from '@pit/protocol'
import type { SettledLeaf } from '@pit/signer-wire'
import { type BookPriceOf, bookTrade } from '../brakes/book.ts'
import { bookPricesOf } from '../brakes/bookPrices.ts'
import { sampleState } from '../brakes/sampleBooks.ts'
import { putBook, readBook } from '../brakes/store.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import type { Session } from '../roots/readRoots.ts'
import { leafRoots, readReceived, readUsed, redeemedIn } from './readRedeemed.ts'
import { lockRoot } from './store.ts'

export interface SettleDeps {
  db: Db
  crypto: Crypto
  clock: Clock
  rpc: Rpc
  pins: Pins
  prices: Pick<Prices, 'own' | 'last'>
  sessions: { find(rootHash: Hex): Session | null | Promise<Session | null> }
}

export interface SettleRequest {
  rootHash: Hex
  sequence: number
  txHash: Hex
}

interface LeafRow {
  token_in: Address
  token_out: Address
  amount_in: string
  min_out: string
  max_out: string | null
  micro_usd: number
  expires_at_s: number
  state: 'used' | 'unused' | null
  received: string | null
  settled_at_ms: number | null
}

const OPEN: SettledLeaf = { state: 'open', received: null, settled_at: null }

const settledOf = ({ state, received, settled_at_ms }: LeafRow): SettledLeaf =>
  state === null ? OPEN : { state, received, settled_at: Math.floor(settled_at_ms! / 1000) }

/**
 * Settles a leaf by the transaction that the server names. The co-signer reads its receipt and the IdEnforcer
 * itself; anything but a redemption of exactly this leaf leaves it open.
 */
export async function settleLeaf(deps: SettleDeps, request: SettleRequest): Promise<SettledLeaf> {
  const { sessions } = deps
  const { rootHash, sequence, txHash } = request
  const session = await sessions.find(rootHash)
  if (!session) fail('NO_SESSION', { message: 'The root is not registered.' })
  const row = await findLeafRow(deps.db, rootHash, sequence)
  if (!row) fail('NO_SESSION', { message: 'The session has no such leaf.' })
  if (row.state !== null) return settledOf(row)
  const reading = await readRedemption(deps, session, { sequence, tokenOut: row.token_out, txHash }).catch(
    () => null,
  )
  if (reading === null)
    fail('CHAIN_UNAVAILABLE', { message: 'The co-signer could not read the transaction.' })
  if (reading === 'open') return OPEN
  return settle(deps, session, { sequence, state: 'used', received: reading.received })
}

/** Reads a transaction: the leaf stays open unless it redeemed exactly this one. */
export async function readRedemption(
  deps: Pick<SettleDeps, 'rpc' | 'pins' | 'crypto'>,
  session: Session,
  { sequence, tokenOut, txHash }: { sequence: number; tokenOut: Address; txHash: Hex },
): Promise<'open' | { received: bigint | null }> {
  const { rpc, pins } = deps
  const { wallet } = session.binding
  const receipt = await readOne(rpc, askReceipt(txHash))
  const name = { roots: leafRoots(session), sequence }
  const redeemed = receipt && redeemedIn(deps, receipt, { ...name, wallet })
  // Two nodes agree on the flag; of logs they only agree on the number.
  if (!receipt || !redeemed || !(await readUsed(rpc, pins, name))) return 'open'
  if (!redeemed.isAlone) return { received: null }
  return { received: await readReceived(rpc, receipt, { wallet, token: tokenOut }) }
}

async function findLeafRow(sql: Sql, rootHash: Hex, sequence: number): Promise<LeafRow | null> {
  const [row] = await sql.query<LeafRow>(
    `select l.token_in, l.token_out, l.amount_in::text, l.min_out::text, l.max_out::text, c.micro_usd,
       l.expires_at_s, l.state, l.received::text, l.settled_at_ms
     from order_leaves l join leaves c using (root_hash, sequence)
     where l.root_hash = $1 and l.sequence = $2`,
    [rootHash, sequence],
  )
  return row ?? null
}

/** The amount, if it is within the leaf's minimum and its input's value and 1%; otherwise the nearer of them. */
function credited({ min_out, max_out }: LeafRow, received: bigint | null): bigint {
  const least = BigInt(min_out)
  if (max_out === null || received === null || received < least) return least
  return received > BigInt(max_out) ? BigInt(max_out) : received
}

export type Outcome = { sequence: number } & (
  | { state: 'used'; received: bigint | null }
  /** Of a leaf whose last call expired at this time: one that was signed again since is not settled. */
  | { state: 'unused'; expiresS: number }
)

/** Writes what became of a leaf, and books a used one. Repeating it changes nothing. */
export async function settle(deps: SettleDeps, session: Session, outcome: Outcome): Promise<SettledLeaf> {
  const { db, clock, pins, prices } = deps
  const { rootHash, binding } = session
  const { sequence } = outcome
  return db.transaction(async (sql) => {
    await lockRoot(sql, rootHash)
    const row = await findLeafRow(sql, rootHash, sequence)
    if (!row) throw new Error('a leaf disappeared while it was settled')
    if (row.state !== null) return settledOf(row)
    const atMs = clock.nowMs()
    if (outcome.state === 'unused' && row.expires_at_s !== outcome.expiresS) return OPEN
    const received = outcome.state === 'used' ? credited(row, outcome.received) : null
    await sql.query(
      `update order_leaves set state = $3, received = $4, settled_at_ms = $5
       where root_hash = $1 and sequence = $2`,
      [rootHash, sequence, outcome.state, received, atMs],
    )
    if (received !== null) {
      const priceOf = bookPricesOf({ pins, prices, binding, nowMs: atMs })
      await bookLeaf(sql, session, { row, received, priceOf, atMs })
    }
    const after = { state: outcome.state, received: received?.toString() ?? null, settled_at_ms: atMs }
    return settledOf({ ...row, ...after })
  })
}

async function bookLeaf(
  sql: Sql,
  { rootHash, binding }: Session,
  { row, received, priceOf, atMs }: { row: LeafRow; received: bigint; priceOf: BookPriceOf; atMs: number },
): Promise<void> {
  const breakers = boundControls(binding)?.breakers
  if (!breakers) return
  const state = await readBook(sql, rootHash, { breakers, atMs })
  const book = bookTrade(state.book, {
    tokenIn: row.token_in,
    tokenOut: row.token_out,
    amountIn: BigInt(row.amount_in),
    received,
    microUsd: BigInt(row.micro_usd),
  })
  await putBook(sql, rootHash, sampleState({ ...state, book }, { breakers, priceOf, atMs }), atMs)
}
