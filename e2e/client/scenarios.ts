import type { Hex } from '@pit/chain'
import { createClient, fromViem, type PitClient, type RecordStore, rpcAt } from '@pit/client'
import { RISK_CODES } from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import type { SessionWorld } from '../session/world.ts'
import { readStoryTokens } from '../trading/tokens.ts'
import { MNEMONIC } from '../trading/trader.ts'
import { type PlanJson, through, v4Hop } from './badRoutes.ts'
import type { Json } from './lies.ts'
import { orderScenarios } from './orderScenarios.ts'
import type { Scenario, Stage } from './replay.ts'

// Everything the client signs, in one world, each as its user would request it.

const ETH = 10n ** 18n
const accept_risks = [...RISK_CODES]
const keyed = (name: string) => privateKeyToAccount(keccak256(stringToHex(`lied to: ${name}`)))
const numbered = (addressIndex: number) => mnemonicToAccount(MNEMONIC, { addressIndex })
type Signer = Scenario['account']

export async function openScenarios(world: SessionWorld, stage: Stage): Promise<Scenario[]> {
  const open = async (account: Signer, records?: RecordStore): Promise<Opened> => {
    const client = createClient({
      url: stage.serverUrl,
      domain: stage.domain,
      profile: stage.profile,
      account: fromViem(account),
      rpc: rpcAt(stage.nodeUrl),
      ...(records && { records }),
    })
    const { api_key } = await client.signIn()
    return { account, apiKey: api_key, client }
  }
  const tokens = await readStoryTokens(world.devnet)
  const curve = tokens.onCurve('ETH')
  const trader = await open(numbered(4))
  const held = await open(numbered(3))
  const plain = await open(keyed('owner'))
  const wei = { wei: 10n * ETH, usdg: 5_000_000_000n }
  await world.fund(plain.client.address, wei)

  const trades: [string, typeof trader, Parameters<PitClient['trade']>[0]][] = [
    ['ETH in', trader, { token_in: 'ETH', token_out: 'USDG', amount_in: '9000000000000000' }],
    ['a token in, by permit', trader, { token_in: 'USDG', token_out: 'ETH', notional_usd: 20 }],
    [
      'a token in, by a reusable permit',
      trader,
      {
        token_in: 'USDG',
        token_out: 'cbBTC',
        notional_usd: 20,
        permit_scope: '30d',
        approval_budget_usd: 60,
      },
    ],
    [
      'a token in, by a transaction',
      trader,
      {
        token_in: 'WETH',
        token_out: 'PARTNER',
        notional_usd: 12,
        permit_mode: 'transaction',
        approval_mode: 'exact',
      },
    ],
    [
      'a stock',
      trader,
      { token_in: 'USDG', token_out: 'NVDA', notional_usd: 20, owner_attests_non_us: true },
    ],
    [
      'an unscreened token',
      trader,
      { token_in: 'ETH', token_out: tokens.specimen('good'), notional_usd: 15, accept_risks },
    ],
    ['shield', trader, { token_in: 'ETH', token_out: 'USDG', notional_usd: 25, shield: true }],
    ['a curve buy', trader, { token_in: 'ETH', token_out: curve, notional_usd: 10, accept_risks }],
    ['a curve sale', held, { token_in: curve, token_out: 'ETH', notional_usd: 10, accept_risks }],
  ]
  // Leaves something to sell and something to revoke.
  await held.client.curveTrade({ side: 'buy', token: curve, notional_usd: 30, accept_risks })
  await held.client.trade({ token_in: 'USDG', token_out: 'ETH', notional_usd: 5, permit_mode: 'transaction' })

  const trap = tokens.specimen('fee_trap')
  const declined = { token_in: 'USDG', token_out: 'ETH', notional_usd: 20 }
  const trapped = v4Hop(trap, 900_000)
  const scenarios: Scenario[] = trades.map(([name, who, request]) => ({
    name: `trade: ${name}`,
    ...who,
    ages: true,
    run: (client) => client.trade(request),
  }))
  scenarios.push(
    {
      name: 'trade: a pool that keeps 90%',
      ...trader,
      ages: true,
      run: (client) => client.trade({ token_in: 'ETH', token_out: trap, notional_usd: 25, accept_risks }),
      lie(answer, random) {
        const plan = answer as unknown as PlanJson
        if (!Array.isArray(plan.steps)) return answer
        const honest = BigInt(String(plan['amount_out_expected']))
        const out = (honest * BigInt(1 + random.below(100))) / 100n
        const amountOutMin = (out * BigInt(1 + random.below(100))) / 100n
        const claims = { hops: [trapped], out, amountOutMin: amountOutMin > 0n ? amountOutMin : 1n }
        return through(stage.profile, plan, claims) as unknown as Json
      },
    },
    {
      name: 'a declined sale',
      ...trader,
      ages: true,
      signs: false,
      run: (client) => client.trade(declined, { confirm: () => false }),
    },
    {
      name: 'read the account',
      ...trader,
      ages: false,
      signs: false,
      async run(client) {
        await client.portfolio()
        await client.sessions()
        for await (const { id } of client.trades()) if (id < 0) throw new Error('an id below zero')
      },
    },
    {
      name: 'fast: ETH in',
      ...trader,
      ages: true,
      run: (client) => client.fastTrade({ token_in: 'ETH', token_out: 'USDG', usd: 20 }, { fallback: false }),
    },
    {
      name: 'fast: USDG in',
      ...held,
      ages: true,
      run: (client) => client.fastTrade({ token_in: 'USDG', token_out: 'ETH', usd: 4 }, { fallback: false }),
    },
    {
      name: 'sign in',
      ...trader,
      ages: true,
      run: (client) => client.signIn(),
    },
  )
  scenarios.push(...(await sessionScenarios(world, { open, plain, curve })))
  scenarios.push(...(await ownerScenarios(world, { open, domain: stage.domain })))
  scenarios.push(...(await orderScenarios(world, open)))
  return scenarios
}

type Opened = { account: Signer; apiKey: string; client: PitClient }
type Open = (account: Signer) => Promise<Opened>

async function sessionScenarios(
  world: SessionWorld,
  { open, plain, curve }: { open: Open; plain: Opened; curve: Hex },
): Promise<Scenario[]> {
  const executing = await open(keyed('executor'))
  await world.fund(executing.client.address, { wei: ETH })
  const terms = {
    executor: executing.client.address,
    tokens: ['ETH', 'USDG', curve],
    max_trade_usd: 100,
    max_day_usd: 10_000,
    max_trades: 1_000,
    expires_in_s: 7_200,
    accept_risks,
  }
  const grant = (client: PitClient) => client.grantSession(terms, { allow7702: true })
  const { active } = await grant(plain.client)
  const ended = await grant(plain.client)
  const request = { session_id: active.session_id, wallet: plain.client.address, token_in: 'ETH' }
  return [
    { name: 'grant', ...plain, ages: true, run: grant },
    {
      name: 'session trade',
      ...executing,
      ages: true,
      run: (client) => client.sessionTrade({ ...request, token_out: 'USDG', notional_usd: 10 }),
    },
    {
      name: 'session trade on a curve',
      ...executing,
      ages: true,
      run: (client) => client.sessionTrade({ ...request, token_out: curve, notional_usd: 5 }),
    },
    {
      name: 'revoke a session',
      ...plain,
      ages: false,
      run: (client) =>
        client.revokeSession({
          sessionId: ended.active.session_id,
          rootHashes: [
            ended.active.delegation_hash as Hex,
            ...(Object.values(ended.active.curve_roots ?? {}) as Hex[]),
          ],
        }),
    },
  ]
}

async function ownerScenarios(
  world: SessionWorld,
  { open, domain }: { open: Open; domain: string },
): Promise<Scenario[]> {
  const owner = await open(keyed('agent owner'))
  await world.fund(owner.client.address, { wei: ETH, usdg: 500_000_000n })
  const agentRequest = {
    brain: 'dca' as const,
    params: { usd: 6 },
    interval_s: 3_600,
    pairs: ['ETH/USDG'],
    mode: 'live' as const,
    limits: { max_trade_usd: 20, max_day_usd: 60, max_position_usd: 10_000 },
  }
  const agent = await owner.client.hosted.create(agentRequest)
  const executor = agent.executor as Hex
  const { active } = await owner.client.grantSession(
    { executor, tokens: ['ETH', 'USDG', 'NVDA'], max_trade_usd: 20, max_day_usd: 60, expires_in_s: 7_200 },
    { allow7702: true },
  )
  const id = agent.id
  const body = { session_id: active.session_id }
  await owner.client.api['hosted.session']({ params: { id }, body })
  const done = await owner.client.hosted.create(agentRequest)
  await world.fund(done.executor as Hex, { wei: ETH / 50n })
  await owner.client.api['hosted.stop']({ params: { id: done.id } })
  const entrant = await open(numbered(1))
  const enter = {
    agentId: '2',
    board: 'prize' as const,
    kind: 'wallet' as const,
    entrant: entrant.client.address,
    domain,
  }
  // A new one for every replay: the run may last more than an hour.
  const expiresS = Math.floor(Date.now() / 1000) + 5_400
  const waiting = await owner.client.hosted.create(agentRequest)
  const intent = { pairs: agentRequest.pairs, max_trade_usd: 20, max_day_usd: 60, expires_in_s: 7_200 }
  return [
    {
      name: 'agent live',
      ...owner,
      ages: true,
      run: (client) => client.hosted.grantLive(waiting.id, intent, { allow7702: true }),
    },
    {
      name: 'create an agent',
      ...owner,
      ages: false,
      signs: false,
      run: (client) => client.hosted.create(agentRequest),
    },
    {
      name: 'stock attestation',
      ...owner,
      ages: false,
      run: (client) =>
        client.hosted.attestStocks({
          agentId: id,
          expiresS,
          sessionId: active.session_id,
          rootHash: active.delegation_hash,
        }),
    },
    {
      name: 'refund',
      ...owner,
      ages: false,
      signs: false,
      run: (client) => client.hosted.refundGas(done.id),
    },
    { name: 'league statement', ...entrant, ages: true, run: (client) => client.league.enter(enter) },
  ]
}
