import { type Address, type Hex, NATIVE } from '@pit/chain'
import {
  dearer,
  type InTurn,
  isRefusal,
  isWorthAtMost,
  type PitClient,
  type SignedTrade,
  type TradeParams,
} from '@pit/client'
import { canonicalJson } from '@pit/protocol'
import { ToolRefusal } from '../refusal.ts'
import { type Ceilings, checkCeilings } from './ceilings.ts'
import type { Asked, Entry, Journal } from './journal.ts'

export interface Trading {
  client: PitClient
  journal: Journal
  ceilings: Ceilings
  nowMs(): number
  /** A call is answered by then, whatever became of its trade; the trade itself is followed to its end. */
  answerWithinMs: number
  /** Severe risks that the person who runs the server accepted; a model cannot. */
  acceptRisks: readonly string[]
  attestsNonUs: boolean
  /** Whether the operator lets a model resume an agent that trades real funds. */
  allowsLiveResume: boolean
  /** Whatever signs runs in turn: two plans of one nonce would spoil each other. */
  inTurn: InTurn
  log(text: string): void
}

/** How a trade stands: the journal's entry, or what is known of one that is still on its way. */
export interface Standing {
  entry: Entry | undefined
  /** Why nobody can say yet. */
  uncertain: string | null
}

/** Trades once for each client id, inside the ceilings; a retry finishes or finds the first one. */
export async function placeTrade(trading: Trading, clientId: string, asked: Asked): Promise<Standing> {
  const { journal } = trading
  journal.claim()
  // Refused at once, before any turn is waited for.
  checkSame(journal.find(clientId), asked)
  const done = trading.inTurn(() => runTrade(trading, clientId, asked))
  const late = lateAfter(trading.answerWithinMs)
  const standing = await Promise.race([done, late.reached]).finally(late.forget)
  if (standing !== 'late') return standing
  // Followed to its end all the same; the journal has what becomes of it.
  done.catch(() => {})
  return { entry: journal.find(clientId), uncertain: 'It is not mined yet.' }
}

async function runTrade(trading: Trading, clientId: string, asked: Asked): Promise<Standing> {
  const { client, journal, ceilings, nowMs } = trading
  const known = journal.find(clientId)
  checkSame(known, asked)
  if (known?.state === 'mined' || known?.state === 'reverted') return { entry: known, uncertain: null }
  if (known?.state === 'signed') return settle(trading, known, () => client.resume(known.signed))
  const microUsd = checkCeilings(ceilings, journal, { clientId, usd: asked.usd, nowMs: nowMs() })
  const reserved = { clientId, asked, microUsd, reservedAtMs: nowMs() }
  journal.write({ ...reserved, state: 'reserved' })
  const onSigned = (signed: SignedTrade) =>
    journal.write({ ...reserved, state: 'signed', txHash: signed.hashes.at(-1)!, signed })
  try {
    return await settle(trading, reserved, () =>
      asked.session_id === undefined
        ? tradeOwn(trading, asked, onSigned)
        : tradeInSession(trading, { ...asked, session_id: asked.session_id }, clientId, onSigned),
    )
  } catch (error) {
    // Still reserved means that nothing was signed, so the dollars are given back.
    if (journal.find(clientId)?.state === 'reserved')
      journal.write({ ...reserved, state: 'refused', code: isRefusal(error) ? error.code : 'FAILED' })
    throw error
  }
}

function checkSame(known: Entry | undefined, asked: Asked): void {
  if (known && canonicalJson(known.asked) !== canonicalJson(asked))
    throw new ToolRefusal(
      'CLIENT_ID_REUSED',
      'This client_id belongs to another trade.',
      'One client_id per intended trade: take a new one for a new trade, the same one only to retry.',
    )
}

/** Writes down how a sent trade ended. What cannot be told stays `signed`, and counts. */
async function settle(
  { journal, log }: Trading,
  {
    clientId,
    asked,
    microUsd,
    reservedAtMs,
  }: Pick<Entry, 'clientId' | 'asked' | 'microUsd' | 'reservedAtMs'>,
  work: () => Promise<{ receipt: { hash: Hex; block: number }; amountOut: bigint | null }>,
): Promise<Standing> {
  const kept = { clientId, asked, microUsd, reservedAtMs }
  const end = (entry: Entry): Standing => {
    journal.write(entry)
    return { entry, uncertain: null }
  }
  try {
    const { receipt, amountOut } = await work()
    const signed = journal.find(clientId)
    const tokenOut = signed?.state === 'signed' ? signed.signed.tokenOut : NATIVE
    return end({ ...kept, state: 'mined', txHash: receipt.hash, block: receipt.block, tokenOut, amountOut })
  } catch (error) {
    const entry = journal.find(clientId)
    if (entry?.state !== 'signed') throw error
    if (isRefusal(error, 'TX_REVERTED')) return end({ ...kept, state: 'reverted', txHash: entry.txHash })
    // The client proved on its own node that the bytes cannot trade any more.
    if (isRefusal(error) && error.details['dead'] !== undefined)
      return end({ ...kept, state: 'refused', code: error.code })
    if (isRefusal(error)) return { entry, uncertain: error.code }
    log(`${entry.txHash} is sent or not, and then: ${(error as Error)?.stack ?? String(error)}`)
    return { entry, uncertain: 'FAILED' }
  }
}

async function tradeOwn(
  { client, acceptRisks, attestsNonUs }: Trading,
  { sell, buy, usd, shield = false }: Asked,
  onSigned: (signed: SignedTrade) => void,
) {
  const request: TradeParams = {
    token_in: sell,
    token_out: buy,
    notional_usd: usd,
    accept_risks: [...acceptRisks],
    shield,
    owner_attests_non_us: attestsNonUs,
    // An allowance left over would outlive the ceiling it was made under.
    approval_mode: 'exact',
  }
  const verified = await client.plan(request).catch(unpriced)
  checkWorth(usd, verified)
  return client.send(verified, {
    onStage: (stage) => {
      if (stage.stage === 'signed') onSigned(stage.signed)
    },
  })
}

async function tradeInSession(
  { client, attestsNonUs }: Trading,
  { session_id, sell, buy, usd }: Asked & { session_id: string },
  clientId: string,
  onSigned: (signed: SignedTrade) => void,
) {
  const { as_executor } = await client.sessions()
  const session = as_executor.find((one) => one.session_id === session_id)
  if (!session)
    throw new ToolRefusal(
      'NOT_EXECUTOR',
      'This server’s account is the executor of no such session.',
      'List sessions with list_sessions; in your own wallet trade with place_trade.',
    )
  const request = {
    session_id,
    wallet: session.wallet as Address,
    client_id: clientId,
    token_in: sell,
    token_out: buy,
    notional_usd: usd,
    owner_attests_non_us: attestsNonUs,
  }
  return client.sessionTrade(request, { onSigned }).catch(unpriced)
}

type Verified = Awaited<ReturnType<PitClient['plan']>>

/** The ceilings are in dollars: they hold only at prices that this server reads itself, never the service's. */
function checkWorth(usd: number, { reading, own }: Verified): void {
  const { paid } = own.market
  if (!paid) throw noOwnPrice()
  if (!isWorthAtMost(reading.amountIn, dearer(paid), usd))
    throw new ToolRefusal(
      'OVER_ASKED_SIZE',
      'By this server’s own prices the planned trade is worth more than was asked for. Nothing was signed.',
      'Ask again; if it stays so, the service’s prices are wrong: tell the person who runs this server.',
    )
}

const noOwnPrice = () =>
  new ToolRefusal(
    'NO_OWN_PRICE',
    'This server’s own node shows no price of one of the tokens, so the ceiling cannot be enforced. Nothing was signed.',
    'Trade a token that has a pool against a core token such as ETH or USDG.',
  )

/** The client refuses what it cannot price: named as this server's own refusal. */
function unpriced(error: unknown): never {
  throw isRefusal(error) && error.rule === 'PRICE' && 'own_price' in error.details ? noOwnPrice() : error
}

function lateAfter(ms: number) {
  let timer: NodeJS.Timeout | undefined
  const reached = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late')
  })
  return { reached, forget: () => clearTimeout(timer) }
}
