import { readFileSync } from 'node:fs'
import { type Address, delegationHash, encodeDisable, type Hex, NATIVE, sessionRoot } from '@pit/chain'
import { bindingHash, createBinding } from '@pit/protocol'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { fromViem } from '../account.ts'
import type { ClientDeps } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import { openNode } from '../own/node.ts'
import { type Rpc, RpcFailure } from '../own/rpc.ts'
import { pinsOf } from '../pins.ts'
import { memoryRecords, openRecords } from '../records.ts'
import { hashing } from '../verify/grant.ts'
import { revokeApprovals } from './revokeApprovals.ts'
import { revokeSession } from './revokeSession.ts'

const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')))
const account = fromViem(privateKeyToAccount(`0x${'11'.repeat(32)}`))
const USDG = [...pins.tokens].find(([, { core }]) => core === 'USDG')![0]
const NOW_S = 1_800_000_000
const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const word = (value: bigint | Hex): string => BigInt(value).toString(16).padStart(64, '0')

/** A node with one root and two allowances, on which sent calldata takes effect unless it is ignored. */
function chain(ignores: (raw: Hex) => boolean = () => false) {
  const state = { isDisabled: false }
  const allowances = { token: 0n, permit2: 0n }
  const sent: Hex[] = []
  const take = (raw: Hex): Hex => {
    sent.push(raw)
    if (ignores(raw)) return raw
    if (raw.includes('49934047')) state.isDisabled = true
    if (raw.includes('095ea7b3')) allowances.token = 0n
    if (raw.includes('cc53287f')) allowances.permit2 = 0n
    return raw
  }
  const call = ({ to }: { to: Address }): Hex => {
    if (to === pins.addresses.manager) return `0x${word(state.isDisabled ? 1n : 0n)}`
    if (to === pins.permit2) return `0x${word(allowances.permit2)}${word(BigInt(NOW_S + 60))}${word(0n)}`
    return `0x${word(allowances.token)}`
  }
  const rpc: Rpc = {
    all: async (calls) =>
      calls.map(({ method, params }) => {
        if (method === 'eth_call') return call(params[0] as never)
        if (method === 'eth_sendRawTransaction') return take(params[0] as Hex)
        if (method === 'eth_getBlockByNumber')
          return { timestamp: `0x${NOW_S.toString(16)}`, baseFeePerGas: '0x7' }
        if (method === 'eth_getTransactionCount') return `0x${sent.length.toString(16)}`
        if (method === 'eth_estimateGas') return '0xea60'
        if (method === 'eth_getTransactionReceipt')
          return { status: '0x1', blockNumber: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [] }
        return new RpcFailure(`no ${method}`)
      }),
  }
  return { rpc, sent, allowances }
}

function depsOn(rpc: Rpc, revoke: () => Promise<unknown>): ClientDeps {
  return {
    api: { 'live.session.revoke': revoke } as never,
    account,
    endingAccount: account,
    pins,
    rpc: openNode(rpc, pins, () => NOW_S * 1000),
    nowMs: () => NOW_S * 1000,
    sleep: async () => {},
    records: openRecords(memoryRecords(), account.address),
    checked: async () => {},
  }
}

async function recordSession({ records }: ClientDeps, expiresS = NOW_S + 3_600): Promise<Hex> {
  const binding = createBinding({
    wallet: account.address,
    executor: at('2'),
    cosigner: at('3'),
    router: pins.router,
    feeRecipient: pins.feeRecipient,
    tokens: [NATIVE, USDG],
    limits: { max_trade_micro_usd: 10_000_000, max_day_micro_usd: 20_000_000, max_trades: 5 },
    expires_at: expiresS,
    nonce: `0x${'4'.repeat(64)}`,
    risk: { accept_risks: [], shield: false, policies: [] },
  })
  const hashOfBinding = bindingHash(hashing.keccakText, binding)
  const eth = { dayWei: 2n, tradeWei: 1n }
  const delegation = sessionRoot(pins.addresses, { binding, bindingHash: hashOfBinding, eth, nowS: NOW_S })
  const hash = delegationHash(hashing, delegation)
  await records.putSession({
    session_id: 'ses_1',
    wallet: account.address,
    executor: at('2'),
    binding,
    roots: [{ hash, delegation }],
    granted_at: NOW_S,
  })
  return hash
}

const confirmed = async () => ({ on_chain: [], signer_revoked: true, approvals: [] })
const failing = async () => {
  throw new PitRefusal('INTERNAL', 'The service failed.')
}

describe('revokeSession', () => {
  it('disables the recorded root although the server lists no step', async () => {
    const { rpc, sent } = chain()
    const deps = depsOn(rpc, confirmed)
    const hash = await recordSession(deps)
    const ended = await revokeSession(deps, { sessionId: 'ses_1' })
    expect(ended).toMatchObject({ complete: true, roots: [{ hash, state: 'ended' }] })
    // The bytes sent end exactly the recorded root.
    const { delegation } = (await deps.records.session('ses_1'))!.roots[0]!
    expect(sent[0]).toContain(encodeDisable(delegation).slice(2))
  })

  it('refuses and names the root when the chain still shows it alive', async () => {
    const { rpc } = chain(() => true)
    const deps = depsOn(rpc, confirmed)
    const hash = await recordSession(deps)
    await expect(revokeSession(deps, { sessionId: 'ses_1' })).rejects.toMatchObject({
      code: 'REVOCATION_INCOMPLETE',
      details: { live_roots: [hash] },
    })
  })

  it('ends the root on chain although the service fails, and reports the silent co-signer', async () => {
    const { rpc, sent } = chain()
    const deps = depsOn(rpc, failing)
    await recordSession(deps)
    await expect(revokeSession(deps, { sessionId: 'ses_1' })).rejects.toMatchObject({
      code: 'REVOCATION_INCOMPLETE',
      details: { live_roots: [], cosigner_confirmed: false },
    })
    expect(sent).toHaveLength(1)
  })

  it('signs nothing for a root past its time', async () => {
    const { rpc, sent } = chain()
    const deps = depsOn(rpc, confirmed)
    await recordSession(deps, NOW_S - 1)
    const { roots } = await revokeSession(deps, { sessionId: 'ses_1' })
    expect([roots[0]!.state, sent.length]).toEqual(['expired', 0])
  })

  it('is not satisfied without a record when the server lists nothing', async () => {
    const { rpc } = chain()
    const deps = depsOn(rpc, confirmed)
    await expect(revokeSession(deps, { sessionId: 'ses_9' })).rejects.toMatchObject({
      code: 'REVOCATION_INCOMPLETE',
      details: { complete: false },
    })
  })
})

describe('revokeApprovals', () => {
  const approved = () => {
    const node = chain()
    Object.assign(node.allowances, { token: 99_995n, permit2: 7n })
    return node
  }

  it('takes both allowances back by its own calls', async () => {
    const { rpc, sent, allowances } = approved()
    const { revoked } = await revokeApprovals(depsOn(rpc, failing), { tokens: ['USDG'] })
    expect(revoked.map(({ by, amount }) => [by, amount])).toEqual([
      ['token', 99_995n],
      ['permit2', 7n],
    ])
    expect([sent.length, allowances]).toEqual([2, { token: 0n, permit2: 0n }])
  })

  it('refuses when a token keeps its allowance', async () => {
    const node = chain((raw) => raw.includes('095ea7b3'))
    node.allowances.token = 5n
    await expect(revokeApprovals(depsOn(node.rpc, failing), {})).rejects.toMatchObject({
      code: 'APPROVALS_LEFT',
      details: { left: [{ by: 'token', token: USDG, amount: '5' }] },
    })
  })

  it('signs nothing when it is not confirmed, and nothing when nothing is left', async () => {
    const { rpc, sent } = approved()
    const declined = revokeApprovals(depsOn(rpc, failing), {}, { confirm: () => false })
    await expect(declined).rejects.toMatchObject({ code: 'NOT_CONFIRMED' })
    expect((await revokeApprovals(depsOn(chain().rpc, failing), {})).receipts).toEqual([])
    expect(sent).toEqual([])
  })
})
