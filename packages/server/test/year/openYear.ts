import type { Address } from '@pit/chain'
import {
  at,
  DAY,
  ETH,
  emptyStore as emptyLeague,
  FIRST_S,
  openLeagueWorld,
  PROFILE,
  TOKENS,
} from '@pit/league/test/leagueWorld'
import { systemClock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { word } from '@pit/platform/test/scriptedChain'
import { type Answer, type ChainProfile, checkAnswer } from '@pit/protocol'
import { openTreasury } from '@pit/treasury/internal/openTreasury'
import { emptyStore as emptyTreasury } from '@pit/treasury/test/openTestTreasury'
import { createTreasuryChain } from '@pit/treasury/test/treasuryChain'

/** League and treasury over one store, one clock and one chain. */

export const PLATFORM = at(0xfee)
export const ROUTER = at(0x40)
export const STRANGER = at(0x57)
/** Holds the stake, and sends the prizes. */
export const REGISTRY = PROFILE.agent_registry!.address as Address
export const DISTRIBUTOR = at(0xd15)
export const BUCKETS = { operations: at(0xb1), buybacks: at(0xb2), treasury: at(0xb3) }
export const MEME = at(0x3e3e)
export const DECIMALS: Record<string, number> = {
  [ETH]: 18,
  [TOKENS.WETH]: 18,
  [TOKENS.USDG]: 6,
  [TOKENS.cbBTC]: 8,
  [TOKENS.PARTNER]: 18,
  [TOKENS.NVDA]: 18,
}
/** A block a minute, so that a year is read quickly. */
export const BLOCK_S = 60
const GENESIS_S = FIRST_S - 3 * DAY
const FEE_BPS = 25n
/** The treasury chain's. */
const GAS_PRICE = 7n

export interface YearTrade {
  wallet: Address
  atS: number
  kind: 'swap' | 'approve'
  status: 'mined' | 'reverted'
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  amountOut: bigint
  gas: bigint
}

export async function openYear(db: Db) {
  await emptyTreasury(db)
  await emptyLeague(db)
  const profile = {
    ...PROFILE,
    explorer_tx: 'https://explorer.example/tx/',
    fee_recipient: PLATFORM,
    treasury_buckets: BUCKETS,
  } as ChainProfile
  const clock = { ms: 0, nowMs: () => clock.ms, sleep: systemClock.sleep }
  const chain = createTreasuryChain({
    startS: GENESIS_S,
    everyS: BLOCK_S,
    clock,
    multicall3: PROFILE.contracts.multicall3 as Address,
  })
  const world = await openLeagueWorld(db, {
    nowS: FIRST_S - 2 * DAY,
    genesisS: GENESIS_S,
    clock,
    profile,
    chain,
  })
  /** A wallet's balance after a block; trades here do not check funds. */
  const held = (token: Address, wallet: Address, block: number): bigint => {
    const atoms = chain.balance(token, wallet, block)
    return atoms < 0n ? 0n : atoms
  }
  chain.onCall(({ to, data }, block) => {
    const isEther = data.startsWith('0x4d2301cc')
    if (!isEther && !data.startsWith('0x70a08231')) return undefined
    return word(held(isEther ? ETH : to, `0x${data.slice(34)}`, block))
  })
  const logger = { info() {}, warn() {}, error() {} }
  const { prizePayouts } = world.league
  const treasury = openTreasury({ db, rpc: chain.rpc, clock, logger, profile, prizePayouts })

  return {
    ...world,
    treasury,
    /** A wallet's balance just before a time. */
    balanceOf: (wallet: Address, token: Address, atS: number) =>
      held(token, wallet, Math.ceil((atS - GENESIS_S) / BLOCK_S) - 1),
    /** Token transfers outside of trades. */
    move: (token: Address, from: Address, to: Address, atoms: bigint, atS: number) =>
      chain.add({ from: STRANGER, to: ROUTER, moves: [{ token, from, to, atoms }] }, chain.blockAt(atS)),
    feeOf: (amountIn: bigint) => (amountIn * FEE_BPS) / 10_000n,
    gasOf: (gas: bigint) => gas * GAS_PRICE,
    async answer(): Promise<Answer<'treasury'>> {
      const answer = JSON.parse(await treasury.record())
      const checked = checkAnswer('treasury', answer)
      if (!checked.ok) throw new Error(`not as the contract says: ${checked.field} ${checked.message}`)
      return answer
    },
    gift: (token: Address, atoms: bigint, atS: number) =>
      chain.add(
        { from: STRANGER, to: PLATFORM, moves: [{ token, from: STRANGER, to: PLATFORM, atoms }] },
        chain.blockAt(atS),
      ),
    /** Trades as the relay leaves them: mined, final, and each swap's fee on chain and in the ledger. */
    async relay(trades: readonly YearTrade[]): Promise<{ hash: string; trade: YearTrade }[]> {
      const mined = trades.map((trade) => {
        const { wallet, atS, kind, status, tokenIn, tokenOut, amountIn, amountOut, gas } = trade
        const paysFee = kind === 'swap' && status === 'mined'
        const fee = paysFee ? (amountIn * FEE_BPS) / 10_000n : 0n
        const moves = paysFee
          ? [
              { token: tokenIn, from: wallet, to: ROUTER, atoms: amountIn },
              { token: tokenOut, from: ROUTER, to: wallet, atoms: amountOut },
              { token: tokenIn, from: ROUTER, to: PLATFORM, atoms: fee },
            ].filter(({ atoms }) => atoms > 0n)
          : []
        const reverted = status === 'reverted'
        const tx = chain.add({ from: wallet, to: ROUTER, moves, reverted, gasUsed: gas }, chain.blockAt(atS))
        return { ...tx, trade, fee }
      })
      const ids = await db.query<{ id: number; tx_hash: string }>(
        `insert into trades (kind, wallet, key_id, path, status, token_in, token_out, amount_in, amount_out,
           tx_hash, signer, nonce, block, block_hash, mined_at_s, created_at_ms, settled, gas_wei)
         select kind, wallet, 1, 'agent', status, token_in, token_out, amount_in::numeric,
           amount_out::numeric, hash, wallet, 0, block, hash, at_s, (at_s - 1) * 1000, true, gas_wei::numeric
         from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
           $8::text[], $9::int8[], $10::int8[], $11::text[])
           as given (kind, wallet, status, token_in, token_out, amount_in, amount_out, hash, block, at_s,
           gas_wei)
         returning id, tx_hash`,
        [
          mined.map(({ trade }) => trade.kind),
          mined.map(({ trade }) => trade.wallet),
          mined.map(({ trade }) => trade.status),
          mined.map(({ trade }) => trade.tokenIn),
          mined.map(({ trade }) => trade.tokenOut),
          mined.map(({ trade }) => String(trade.amountIn)),
          mined.map(({ trade }) => (trade.status === 'reverted' ? null : String(trade.amountOut))),
          mined.map(({ hash }) => hash),
          mined.map(({ block }) => block),
          mined.map(({ trade }) => trade.atS),
          // Some from before gas was recorded.
          mined.map(({ trade }, i) => (i % 4 === 0 ? null : String(trade.gas * GAS_PRICE))),
        ],
      )
      const idOf = new Map(ids.map(({ id, tx_hash }) => [tx_hash, id]))
      const paying = mined.filter(({ fee }) => fee > 0n)
      await db.query(
        `insert into fees (trade_id, token, atoms, side, bps, class, recipient, tx_hash, block, block_time_s,
           week_start_s)
         select id, token, atoms::numeric, 'input', 25, 'major', $1, hash, block, at_s, 0
         from unnest($2::int8[], $3::text[], $4::text[], $5::text[], $6::int8[], $7::int8[])
           as given (id, token, atoms, hash, block, at_s)`,
        [
          PLATFORM,
          paying.map(({ hash }) => idOf.get(hash)),
          paying.map(({ trade }) => trade.tokenIn),
          paying.map(({ fee }) => String(fee)),
          paying.map(({ hash }) => hash),
          paying.map(({ block }) => block),
          paying.map(({ trade }) => trade.atS),
        ],
      )
      return mined.map(({ hash, trade }) => ({ hash, trade }))
    },
  }
}
export type Year = Awaited<ReturnType<typeof openYear>>
