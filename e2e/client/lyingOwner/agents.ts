import type { Hex } from '@pit/chain'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { THIEF } from '../lies.ts'
import { AGENT, codesOf, ETH, type Lie, type LyingOwnerWorld, owner, TERMS } from './world.ts'

/** Far above the limits that the agent was created with. */
const wider: Lie = (path, body) => {
  if (!/^hosted\/[^/]+$/.test(path)) return
  body.limits = { max_trade_usd: 1_000, max_day_usd: 100_000, max_position_usd: 1e6 }
}

/** Lies about hosted agents and the refund of their gas. */
export function agentCases(w: () => LyingOwnerWorld): void {
  describe('an agent whose answer is wider than its creation', () => {
    it.each<[string, Lie]>([
      ['limits', wider],
      [
        'risks',
        (path, body) => {
          if (/^hosted\/[^/]+$/.test(path)) body.terms.accept_risks = ['HONEYPOT', 'SELL_TAX']
        },
      ],
      [
        'pairs',
        (path, body) => {
          if (/^hosted\/[^/]+$/.test(path)) body.pairs.push('cbBTC/USDG')
        },
      ],
    ])('gets no grant from the library: %s', async (_, lie) => {
      const { id } = await w().client.hosted.create(AGENT)
      const [error, signed] = await w().refusedBy(lie, () =>
        w().client.hosted.grantLive(id, {}, { allow7702: true }),
      )
      expect([error.code, error.rule, signed]).toEqual(['VERIFICATION_FAILED', 'GRANT_CAPS', 0])
    })

    it('gets no grant from the command, with a record or with flags', async () => {
      const created = await w().runPit('agent', 'create', 'dca', '--live', '--every', '1h')
      expect(created.code, created.stderr).toBe(0)
      const { id } = created.json()
      const before = await w().sentCount()
      const live = ['agent', 'live', id, '--yes', '--allow-7702', '--no-setup']
      const lied = await w().whileLying(wider, () => w().runPit(...live))
      expect(codesOf(lied), lied.stderr).toEqual([1, 'VERIFICATION_FAILED'])
      expect(lied.json().error.message).toContain('GRANT_CAPS')
      const elsewhere = await w().client.hosted.create(AGENT)
      const unrecorded = await w().runPit('agent', 'live', elsewhere.id, '--yes', '--allow-7702')
      expect(codesOf(unrecorded)).toEqual([4, 'INPUT_NEEDED'])
      expect(unrecorded.json().error.message).toContain('--max-trade-usd')
      const flags = ['--pairs', 'ETH/USDG', '--max-trade-usd', '10', '--max-day-usd', '20']
      const flagged = await w().whileLying(wider, () =>
        w().runPit('agent', 'live', elsewhere.id, '--yes', '--allow-7702', ...flags),
      )
      expect(codesOf(flagged)).toEqual([1, 'VERIFICATION_FAILED'])
      expect(await w().sentCount(), 'transactions').toBe(before)
    })

    it('goes live as created with an honest server, and its roots end when it stops', async () => {
      const { id } = await w().client.hosted.create(AGENT)
      const { agent, granted } = await w().client.hosted.grantLive(id, TERMS, { allow7702: true })
      expect(agent).toMatchObject({ id, live: true })
      expect(granted!.terms).toMatchObject({
        limits: { maxTradeUsd: 10, maxDayUsd: 20, maxTrades: 5 },
        acceptRisks: [],
      })
      // The client ends the session even if the answer to the stop hides it.
      const hide: Lie = (path, body) => {
        if (path.endsWith('/stop')) body.session_revoke = { on_chain: [] }
      }
      const stopped = await w().whileLying(hide, () => w().client.hosted.stop(id, { onChain: true }))
      expect(stopped.revoked.flatMap(({ roots }) => roots.map(({ state }) => state))).toEqual(['ended'])
      expect(await w().isDisabled(granted!.terms.roots[0]!.hash)).toBe(true)
    })

    it('ends its roots when the answer to the stop is malformed', async () => {
      const { id } = await w().client.hosted.create(AGENT)
      const { granted } = await w().client.hosted.grantLive(id, TERMS, { allow7702: true })
      const malformed: Lie = (path, body) => {
        if (path.endsWith('/stop')) body.session_revoke = { on_chain: [null], sessions: 7 }
      }
      const stopping = w().whileLying(malformed, () => w().client.hosted.stop(id, { onChain: true }))
      await expect(stopping).rejects.toMatchObject({ code: 'MALFORMED_RESPONSE', retry: 'no' })
      expect(await w().isDisabled(granted!.terms.roots[0]!.hash)).toBe(true)
    })

    it('stops over MCP, and does not resume there without the operator’s flag', async () => {
      const { id: agent_id } = await w().client.hosted.create(AGENT)
      const mcp = await w().mcp()
      const resume = await mcp.call('control_agent', { agent_id, action: 'resume' })
      expect(resume.answer.code).toBe('LIVE_RESUME_NOT_ALLOWED')
      const stopped = await mcp.call('control_agent', { agent_id, action: 'stop' })
      expect(stopped.answer).toMatchObject({ status: 'stopped', sessions: [] })
    })
  })

  describe('a refund of gas', () => {
    it('is refused from another account and mined from the attested executor', async () => {
      const { id, executor: hosted } = await w().client.hosted.create(AGENT)
      await w().world.fund(hosted as Hex, { wei: ETH / 100n })
      await w().client.hosted.stop(id)
      const stranger = privateKeyToAccount(keccak256(stringToHex('a stranger')))
      await w().world.fund(stranger.address.toLowerCase() as Hex, { wei: ETH / 100n })
      const raw = await stranger.signTransaction({
        type: 'eip1559',
        chainId: w().world.profile.chain_id,
        nonce: 0,
        to: owner,
        value: 1n,
        gas: 21_000n,
        maxFeePerGas: 10n ** 10n,
        maxPriorityFeePerGas: 0n,
      })
      const fromStranger: Lie = (path, body) => {
        if (path.endsWith('/refund-gas'))
          Object.assign(body, {
            raw,
            tx_hash: keccak256(raw),
            value_wei: '1',
            executor: stranger.address.toLowerCase(),
          })
        if (path.endsWith('/executor')) body.executor = stranger.address.toLowerCase()
      }
      const [error] = await w().refusedBy(fromStranger, () => w().client.hosted.refundGas(id))
      expect(error.code).toBe('REFUND_TO')
      expect(await w().world.devnet.rpc<Hex>('eth_getTransactionCount', [stranger.address, 'latest'])).toBe(
        '0x0',
      )
      const refund = await w().client.hosted.refundGas(id)
      expect(refund.executor.toLowerCase()).toBe(hosted)
      expect(THIEF).not.toBe(refund.to)
      const receipt = await w().world.devnet.rpc<{ status: Hex }>('eth_getTransactionReceipt', [
        refund.tx_hash,
      ])
      expect(receipt.status).toBe('0x1')
    })
  })
}
