import {
  type Address,
  createCrypto,
  type Hex,
  hashTx,
  multicall3Abi,
  NATIVE,
  parseSignedTx,
} from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { CHAIN_ID, feeOf, refusal } from '@pit/protocol'
import type { CosignedTrade, Session, SessionTradeParams } from '@pit/sessions'
import type { SettleParams } from '@pit/signer-wire'
import type { PlanTx } from '@pit/trading'
import { decodeFunctionData, encodeFunctionResult, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { NewAgent } from '../src/store.ts'
import { ETHER, TOKENS, USD, WALLET } from './paperWorld.ts'
import { AGENT_TOKENS, MANAGER, openTickWorld } from './tickWorld.ts'

/** Live agents on a real store and real quotes; co-signer, executor key and sequencer are scripted. */

const crypto = await createCrypto()
const RECIPIENT = '0x0000000000000000000000000000000000000fee'

/** Spend as counted by the co-signer. */
const SPEND = {
  trades: 1,
  trades_left: 99,
  day_micro_usd: 10_000_000,
  day_left_micro_usd: 90_000_000,
  this_micro_usd: 10_000_000,
}

let keys = 1
export function openLiveWorld(db: Db) {
  const account = privateKeyToAccount(toHex(++keys + 0xabc0000, { size: 32 }))
  const executor = account.address.toLowerCase() as Address
  const sessionId = `s_${keys}`
  const chain = {
    held: new Map<Address, bigint>([
      [NATIVE, ETHER / 5n],
      [TOKENS.USDG, 1_000n * USD],
    ]),
    executorWei: ETHER,
    isDown: false,
    knownHashes: new Set<Hex>(),
  }
  const script = {
    tamper: (_trade: CosignedTrade, _tx: PlanTx): void => {},
    /** Runs after planning, before co-signing. */
    beforeCosign: (): void | Promise<void> => {},
    beforeSign: async (): Promise<void> => {},
    refuse: null as null | (() => never),
    /** Of the session's day, as the co-signer counts it. */
    sessionUsed: 0n,
    /** Whether the co-signer sees the transactions that used leaves. */
    isSettled: true,
    /** Outcome of relayed bytes. */
    relayed: 'mined' as 'mined' | 'pending' | 'reverted',
    submit: null as null | (() => never | Promise<never>),
    beforeRelay: async (): Promise<void> => {},
    /** Runs after the relay stored the bytes; may simulate a lost response. */
    afterRelay: null as null | (() => never),
    signs: 0,
    trades: 0,
    attested: [] as boolean[],
    inputs: [] as SessionTradeParams[],
    settled: [] as SettleParams[],
    received: null as string | null,
  }
  const session = {
    id: sessionId,
    wallet: WALLET,
    executor,
    rootHash: toHex(keys, { size: 32 }),
    status: 'active',
    createdAtS: 1_800_000_000,
    expiresAtS: 1_800_000_000 + 20 * 86_400,
    binding: {
      version: 3,
      limits: { max_trade_micro_usd: 1e9, max_day_micro_usd: 1e12, max_trades: 100 },
      fee: {
        schedule: 2,
        recipient: RECIPIENT,
        major_min_bps: 10,
        major_max_bps: 25,
        other_bps: 50,
        shield_add_bps: 10,
      },
      risk: { accept_risks: [], shield: false, policies: [] },
    },
  } as unknown as Session

  const world = openTickWorld(db, {
    rpc: {
      batch: async () => [],
      async request<T>(method: string, params: readonly unknown[] = []): Promise<T> {
        if (chain.isDown) throw new Error('down')
        if (method === 'eth_getTransactionByHash')
          return (chain.knownHashes.has(params[0] as Hex) ? {} : null) as T
        const { data } = params[0] as { data: Hex }
        const { args } = decodeFunctionData({ abi: multicall3Abi, data })
        const calls = (args as readonly [readonly { target: Address; callData: Hex }[]])[0]
        const word = (value: bigint) => ({ success: true, returnData: toHex(value, { size: 32 }) })
        const result = calls.map(({ target, callData }) => {
          const at = target.toLowerCase() as Address
          if (at !== MANAGER) return word(chain.held.get(at) ?? 0n)
          const isExecutor = callData.toLowerCase().includes(executor.slice(2))
          return word(isExecutor ? chain.executorWei : (chain.held.get(NATIVE) ?? 0n))
        })
        return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result }) as T
      },
    },
    sessions: {
      sessionOf: async (id) => (id === sessionId ? session : null),
      usedOf: async () => new Map([[sessionId, { trades: 1, dayMicroUsd: script.sessionUsed }]]),
      async tradeInSession(input) {
        if (input.path !== 'hosted') throw new Error('not an agent’s')
        script.attested.push(input.ownerAttestsNonUs === true)
        script.inputs.push(input)
        script.refuse?.()
        const quote = await world.paper.quoteTrade({
          wallet: WALLET,
          tokenIn: input.tokenIn,
          tokenOut: input.tokenOut,
          ...(input.amountIn === undefined
            ? { notionalUsd: input.notionalUsd! }
            : { amountIn: input.amountIn }),
          venues: ['venue_pool'],
          shield: false,
          policies: null,
          fast: false,
          admit: async () => {},
        })
        input.judge(quote)
        await script.beforeCosign()
        await input.beforeCosign()
        const gross = quote.routes[0]!.amountOut
        const out = quote.fee.side === 'output' ? gross - feeOf(gross, quote.fee.bps) : gross
        const tx: PlanTx = {
          from: executor,
          to: MANAGER,
          valueWei: 0n,
          data: toHex(++script.trades, { size: 8 }),
          gas: 500_000,
          nonce: script.trades,
          maxFeePerGasWei: 20n,
          maxPriorityFeePerGasWei: 1n,
        }
        const trade = {
          kind: 'cosigned',
          session: { ...session },
          planned: {
            plan: { amountOutMin: out - feeOf(out, 50), amountOutExpected: out },
            request: {
              quote: {
                ...quote,
                request: { ...quote.request },
                fee: { ...quote.fee },
                risks: [{ code: 'CURVE', severity: 'info', message: 'x' }],
              },
            },
          },
          simulation: { ok: true },
          cosigned: { spend: SPEND, sequence: 5 },
          tx,
          ready: true,
        } as unknown as CosignedTrade
        script.tamper(trade, tx)
        return trade
      },
    },
    signer: {
      async settleLeaf(request) {
        script.settled.push(request)
        if (!script.isSettled) return { state: 'open', received: null, settled_at: null }
        return { state: 'used', received: script.received, settled_at: Math.floor(world.clock.ms / 1_000) }
      },
      async signExecutorTx({ tx }) {
        await script.beforeSign()
        script.signs++
        const raw = await account.signTransaction({
          type: 'eip1559',
          chainId: CHAIN_ID,
          to: tx.to,
          value: tx.value_wei,
          data: tx.data,
          nonce: tx.nonce,
          gas: BigInt(tx.gas),
          maxFeePerGas: tx.max_fee_per_gas,
          maxPriorityFeePerGas: tx.max_priority_fee_per_gas,
        })
        return { raw, tx_hash: hashOf(raw) }
      },
    },
    async submitBytes({ by, raws }) {
      if (script.submit) return script.submit()
      await script.beforeRelay()
      const hash = hashOf(raws as Hex)
      await db.query(
        `insert into trades (kind, wallet, key_id, path, session_id, status, tx_hash, fee_bps, fee_class,
           fee_tier, created_at_ms) values ('swap', $1, $2, 'hosted', $3, $4, $5, 25, 'major', 25, 0)`,
        [WALLET, by.keyId, sessionId, script.relayed, hash],
      )
      script.afterRelay?.()
      return { hashes: [hash], feeFirst: false, timings: { checkMs: 0, writeMs: 0, sendMs: 0, totalMs: 0 } }
    },
  })

  /** A live agent with an attached session and its live flag on. */
  async function addLive(given: Partial<NewAgent> = {}): Promise<string> {
    await db.query(
      `insert into sessions (id, wallet, executor, status, binding, binding_version, root, root_hash,
         created_at_s, expires_at_s)
       values ($1, $2, $3, 'active', '{}', 3, '{}', $4, 0, 4000000000) on conflict do nothing`,
      [sessionId, WALLET, executor, toHex(keys, { size: 32 })],
    )
    return world.addAgent({
      mode: 'live',
      live: true,
      brain: 'webhook',
      executor,
      sessionId,
      tokens: [AGENT_TOKENS.ETH, AGENT_TOKENS.USDG],
      ...given,
    })
  }
  return { ...world, chain, script, session, executor, addLive }
}

export const refuse = (code: Parameters<typeof refusal>[0]) => (): never => {
  throw refusal(code, { message: `no: ${code}` })
}

function hashOf(raw: Hex): Hex {
  const parsed = parseSignedTx(raw)
  if (!parsed.ok) throw new Error(parsed.why)
  return hashTx(crypto, parsed.tx)
}
