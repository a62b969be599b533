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
import type { Entry, Journal, TradeIntent } from './journal.ts'

export interface Trading {
  client: PitClient
  journal: Journal
  ceilings: Ceilings
  nowMs(): number
  /** A call returns after this time at the latest; its trade is followed to the end. */
  answerWithinMs: number
  /** Severe risks accepted by the operator; a model cannot accept any. */
  acceptRisks: readonly string[]
  attestsNonUs: boolean
  /** Whether a model may resume an agent that trades real funds. */
  allowsLiveResume: boolean
  /** Serializes signing: two plans with the same nonce would conflict. */
  inTurn: InTurn
  log(text: string): void
}

/** State of a trade: its journal entry, or the reason why its result is not known yet. */
export interface Standing {
  entry: Entry | undefined
  /** Why the result is not known yet. */
  uncertain: string | null
}

/** Trades at most once per client id, within the limits; a retry finishes or returns the first trade. */
export async function placeTrade(
  trading: Trading,
  clientId: string,
  request: TradeIntent,
): Promise<Standing> {
  const { client, journal } = trading
  journal.claim()
  const intent = await withWallet(client, request)
  // Check before waiting for earlier trades.
  checkSame(journal.find(clientId), intent)
  const done = trading.inTurn(() => runTrade(trading, clientId, intent))
  const late = timeout(trading.answerWithinMs)
  const standing = await Promise.race([done, late.reached]).finally(late.clear)
  if (standing !== 'late') return standing
  // The trade continues; the journal records its result.
  done.catch(() => {})
  return { entry: journal.find(clientId), uncertain: 'not mined yet' }
}

async function runTrade(trading: Trading, clientId: string, intent: TradeIntent): Promise<Standing> {
  const { client, journal, ceilings, nowMs } = trading
  const entry = journal.find(clientId)
  checkSame(entry, intent)
  if (entry?.state === 'mined' || entry?.state === 'reverted') return { entry, uncertain: null }
  if (entry?.state === 'signed') return settle(trading, entry, () => client.resume(entry.signed))
  const microUsd = checkCeilings(ceilings, journal, { clientId, usd: intent.usd, nowMs: nowMs() })
  const reserved = { clientId, asked: intent, microUsd, reservedAtMs: nowMs() }
  journal.write({ ...reserved, state: 'reserved' })
  const onSigned = (signed: SignedTrade) =>
    journal.write({ ...reserved, state: 'signed', txHash: signed.hashes.at(-1)!, signed })
  try {
    return await settle(trading, reserved, () =>
      intent.session_id === undefined
        ? tradeOwn(trading, intent, onSigned)
        : tradeInSession(trading, intent as SessionIntent, clientId, onSigned),
    )
  } catch (error) {
    // Still reserved: nothing was signed, so release the reservation.
    if (journal.find(clientId)?.state === 'reserved')
      journal.write({ ...reserved, state: 'refused', code: isRefusal(error) ? error.code : 'FAILED' })
    throw error
  }
}

export function checkSame(entry: Entry | undefined, intent: TradeIntent): void {
  if (entry && canonicalJson(entry.asked) !== canonicalJson(intent))
    throw new ToolRefusal(
      'CLIENT_ID_REUSED',
      'This client_id belongs to another trade.',
      'Use a new client_id for a new trade. Repeat a client_id only to retry the same trade.',
    )
}

/** Records how a sent trade ended. With an unknown result it stays `signed` and keeps counting. */
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
  const reservation = { clientId, asked, microUsd, reservedAtMs }
  const end = (entry: Entry): Standing => {
    journal.write(entry)
    return { entry, uncertain: null }
  }
  try {
    const { receipt, amountOut } = await work()
    const signed = journal.find(clientId)
    const tokenOut = signed?.state === 'signed' ? signed.signed.tokenOut : NATIVE
    return end({
      ...reservation,
      state: 'mined',
      txHash: receipt.hash,
      block: receipt.block,
      tokenOut,
      amountOut,
    })
  } catch (error) {
    const entry = journal.find(clientId)
    if (entry?.state !== 'signed') throw error
    const fate = isRefusal(error) ? error.fate : null
    if (fate?.state === 'mined' && fate.reverted)
      return end({ ...reservation, state: 'reverted', txHash: entry.txHash })
    if (isRefusal(error) && fate?.state === 'dead')
      return end({ ...reservation, state: 'refused', code: error.code })
    if (isRefusal(error)) return { entry, uncertain: error.code }
    log(`${entry.txHash} may have been sent, then: ${(error as Error)?.stack ?? String(error)}`)
    return { entry, uncertain: 'FAILED' }
  }
}

async function tradeOwn(
  { client, acceptRisks, attestsNonUs }: Trading,
  { sell, buy, usd, shield = false }: TradeIntent,
  onSigned: (signed: SignedTrade) => void,
) {
  const request: TradeParams = {
    token_in: sell,
    token_out: buy,
    notional_usd: usd,
    accept_risks: [...acceptRisks],
    shield,
    owner_attests_non_us: attestsNonUs,
    // A leftover allowance would outlive the limit it was made under.
    approval_mode: 'exact',
  }
  const verified = await client.plan(request).catch(unpriced)
  checkValue(usd, verified)
  return client.send(verified, {
    onStage: (stage) => {
      if (stage.stage === 'signed') onSigned(stage.signed)
    },
  })
}

/**
 * The wallet of a session's trade, as the caller named it or by this server's own record: the service's list could name
 * another one.
 */
async function withWallet(client: PitClient, intent: TradeIntent): Promise<TradeIntent> {
  const { session_id, wallet } = intent
  if (session_id === undefined) return intent
  if (wallet !== undefined) return { ...intent, wallet: wallet.toLowerCase() as Address }
  const { sessions } = await client.recordedSessions()
  const record = sessions.find((one) => one.session_id === session_id)
  if (record) return { ...intent, wallet: record.wallet }
  throw new ToolRefusal(
    'WALLET_NEEDED',
    'This server has no record of that session, so it cannot know whose funds would trade. Nothing was signed.',
    'Call it again with the wallet that granted the session, as its owner named it.',
  )
}

type SessionIntent = TradeIntent & { session_id: string; wallet: Address }

async function tradeInSession(
  { client, attestsNonUs }: Trading,
  { session_id, wallet, sell, buy, usd }: SessionIntent,
  clientId: string,
  onSigned: (signed: SignedTrade) => void,
) {
  const request = {
    session_id,
    wallet,
    client_id: clientId,
    token_in: sell,
    token_out: buy,
    notional_usd: usd,
    owner_attests_non_us: attestsNonUs,
  }
  return client.sessionTrade(request, { onSigned }).catch(unpriced)
}

type Verified = Awaited<ReturnType<PitClient['plan']>>

/** Values the trade at this server's own prices: the service's could defeat the limits. */
function checkValue(usd: number, { reading, own }: Verified): void {
  const { paid } = own.market
  if (!paid) throw noOwnPrice()
  if (!isWorthAtMost(reading.amountIn, dearer(paid), usd))
    throw new ToolRefusal(
      'OVER_ASKED_SIZE',
      'At this server’s own prices, the planned trade is larger than notional_usd. Nothing was signed.',
      'Call it again. If it happens again, the service’s prices are wrong: report it to the operator.',
    )
}

export const noOwnPrice = () =>
  new ToolRefusal(
    'NO_OWN_PRICE',
    'This server cannot price one of the tokens itself, so it cannot enforce its limits. Nothing was signed.',
    'Trade a token that has a pool against a core token such as ETH or USDG.',
  )

/** Turns the client's error about a missing price into this server's own. */
function unpriced(error: unknown): never {
  throw isRefusal(error) && error.rule === 'PRICE' && 'own_price' in error.details ? noOwnPrice() : error
}

function timeout(ms: number) {
  let timer: NodeJS.Timeout | undefined
  const reached = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late')
  })
  return { reached, clear: () => clearTimeout(timer) }
}
