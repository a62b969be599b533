import type { Hex } from '@pit/chain'
import type { Charge } from '@pit/http'
import { type Answer, type Body, FAST, FAST_RULES, fail, type PitError, refusal, TRADE } from '@pit/protocol'
import { type Fast, type FastParams, type FastTerms, type FastTrade, feeTerms } from '@pit/trading'
import type { Caller, Handlers } from '../http/types.ts'
import { attestsNonUs } from './attestsNonUs.ts'
import { traderOf } from './caller.ts'

export const fastRoutes = ({
  fast,
  charge,
}: {
  fast: Omit<Fast, 'close'>
  charge: Charge
}): Pick<Handlers, 'live.fast' | 'live.fast.terms'> => ({
  'live.fast': {
    admit() {
      if (!fast.enabled) fail('FAST_DISABLED')
    },
    refused: withFailures,
    handle: async ({ body, caller }) =>
      describeTrade(
        fast,
        await fast.tradeFast({
          by: traderOf(caller),
          request: askOf(body, caller),
          admitSimulation: () => charge(caller, ['fast_sim']),
        }),
      ),
  },
  'live.fast.terms': async ({ caller, query }) =>
    describeTerms(
      fast,
      await fast.readTerms({ wallet: traderOf(caller).wallet, shield: query.shield === '1' }),
    ),
})

const askOf = (body: Body<'live.fast'>, caller: Caller): FastParams => ({
  raw: body.raw_tx,
  tokenIn: body.token_in,
  tokenOut: body.token_out,
  amountIn: BigInt(body.amount_in),
  minOut: BigInt(body.min_out),
  deadlineS: body.deadline,
  feeBps: body.fee_bps,
  shield: body.shield,
  permit: body.permit
    ? {
        amount: BigInt(body.permit.amount),
        expirationS: body.permit.expiration,
        nonce: body.permit.nonce,
        sigDeadlineS: body.permit.sig_deadline,
        signature: body.permit.signature as Hex,
      }
    : null,
  simulate: body.simulate,
  checkOnly: body.check_only,
  fund: body.fund === true,
  attestsNonUs: attestsNonUs(body, caller),
  ...(body.amount_usd !== undefined && { amountUsd: body.amount_usd }),
  ...(body.max_notional_usd !== undefined && { maxNotionalUsd: body.max_notional_usd }),
})

/** Every refusal by a fast-mode rule lists all failures; a refusal outside the rule list is its only one. */
function withFailures(error: PitError): PitError {
  if (error.extras['failures'] !== undefined || !(FAST_RULES as readonly string[]).includes(error.code))
    return error
  const { code, message, extras, retryAfterS } = error
  return refusal(code, {
    message,
    ...extras,
    failures: [{ code, message }],
    ...(error.statusGiven ? { status: error.status } : {}),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  })
}

function describeTrade(
  { pinned: { table, sha256 } }: Pick<Fast, 'pinned'>,
  { hash, relayed, repeat, route, withPermit, fee, minOut, minOutFloor, ...judged }: FastTrade,
): Answer<'live.fast'> {
  const { pair, row } = route
  const { checksMs, readMs, simulationMs, writeMs, sendMs, totalMs } = judged.timings
  return {
    tx_hash: hash,
    relayed,
    repeat,
    route: {
      pair,
      version: table.version,
      sha256,
      pool: row.pool,
      commands: (withPermit && row.permit?.commands) || row.commands,
    },
    fee: {
      bps: fee.bps,
      class: fee.class,
      tier: fee.tier,
      shield: fee.shield,
      side: fee.side,
      token: fee.token,
      recipient: fee.recipient,
    },
    min_out: String(minOut),
    min_out_floor: minOutFloor?.toString() ?? null,
    checks: judged.checks,
    simulation: judged.simulation,
    timings: {
      checks: round(checksMs),
      ...(readMs !== undefined && { read: round(readMs) }),
      ...(simulationMs !== undefined && { simulation: round(simulationMs) }),
      ...(writeMs !== undefined && { write: round(writeMs) }),
      ...(sendMs !== undefined && { send: round(sendMs) }),
      total: round(totalMs),
    },
  }
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000

const describeTerms = (
  { pinned: { table, sha256 }, maxCostWei }: Pick<Fast, 'pinned' | 'maxCostWei'>,
  { enabled, fee, baseFeeWei, stocksOpen, nowMs }: FastTerms,
): Answer<'live.fast.terms'> => ({
  enabled,
  routes: { ...table, sha256 },
  deadline_s: FAST.deadlineMaxS,
  limits: {
    tx_type: FAST.txType,
    gas_limit_max: FAST.gasLimitMax,
    max_fee_per_gas_base_fee_multiple: FAST.maxFeePerGasBaseFeeMultiple,
    max_cost_wei: maxCostWei,
    min_notional_usd: FAST.minNotionalUsd,
    amount_usd_tolerance_pct: FAST.amountUsdTolerancePct,
    band_bps_usdg: FAST.bandBpsUsdg,
    band_bps_cross: FAST.bandBpsCross,
    max_vs_mid_bps: TRADE.maxVsMidBps,
    permit_expiry_s: TRADE.permitTradeExpiryS,
  },
  fee: feeTerms(fee),
  base_fee_wei: baseFeeWei?.toString() ?? null,
  max_notional_usd: FAST.maxNotionalUsd,
  mark_max_age_s: FAST.markMaxAgeS,
  slippage_tolerance_by_size: structuredClone(TRADE.slippageToleranceBySize) as never,
  stock_session_open: stocksOpen,
  server_time: Math.floor(nowMs / 1000),
})
