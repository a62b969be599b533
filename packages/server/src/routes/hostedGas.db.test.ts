import { GAS, signRefund } from '@pit/agents/test/hostedSigner'
import { type Address, type Hex, NATIVE } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, describe, expect, it } from 'vitest'
import { emptyHosted, type HostedWorld, openHostedWorld } from '../../test/hostedWorld.ts'
import { codeOf, crypto, refused, WHO } from '../../test/sessionWorld.ts'

const MAX_COST = BigInt(GAS.limit) * GAS.maxFeeWei
/** Gas used on the scripted chain. */
const COST = MAX_COST / 2n
const BALANCE = 10n ** 16n

withDb('the gas of hosted agents', (db) => {
  let world: HostedWorld
  beforeEach(async () => {
    await emptyHosted(db)
    world = openHostedWorld(db)
  })
  const fund = (executor: string | null, wei: bigint) =>
    world.chain.setBalance(NATIVE, executor as Address, wei)
  const owned = () => world.chain.balance(NATIVE, WHO.owner)
  async function stopped() {
    const agent = await world.running()
    fund(agent.executor, BALANCE)
    await world.stop(agent)
    return agent
  }

  describe('an executor', () => {
    it('shows balance, need and top-up', async () => {
      const agent = await world.running()
      const poor = await world.executor(agent)
      // Fees twice the base fee of 0.01 gwei and a tip; 900,000 gas a trade, three of them at least.
      const trade = 900_000n * 20_500_000n
      expect(poor).toMatchObject({
        executor: agent.executor,
        balance_wei: '0',
        balance_usd: 0,
        min_balance_wei: (3n * trade).toString(),
        min_balance_usd: 0.138375,
        enough: false,
        top_up: { to: agent.executor, amount_wei: (50n * trade).toString(), amount_usd: 2.30625, trades: 50 },
        refund: {
          available: false,
          why_not: 'STOP_FIRST',
          route: `POST /api/v1/hosted/${agent.id}/refund-gas`,
          last: null,
        },
        executor_attestation: { cosigner: WHO.cosigner },
        trades_left: 0,
        closed: false,
        retired: [],
      })
      expect(poor.top_up!['message']).toContain(
        `Send 0.000923 ETH (about 2.31 dollars) from any wallet to ${agent.executor}`,
      )
      fund(agent.executor, 3n * trade - 1n)
      expect(await world.executor(agent)).toMatchObject({ enough: false, trades_left: 2 })
      fund(agent.executor, 3n * trade)
      expect(await world.executor(agent)).toMatchObject({ enough: true, top_up: null, trades_left: 3 })
    })

    it('of an agent that had many is read in several requests, all or none', async () => {
      const agent = await world.live()
      await db.query(
        `insert into hosted_executors (executor, agent_id, owner, attestation, created_at_s, retired_at_s)
         select '0x' || lpad(to_hex(n), 40, '0'), agent_id, owner, attestation, 1, n
         from hosted_executors, generate_series(1, 250) as n`,
      )
      for (let n = 1; n <= 250; n++) fund(`0x${n.toString(16).padStart(40, '0')}`, BigInt(n))
      const sizes: number[] = []
      const { rpc } = world.deps
      world.deps.rpc = {
        ...rpc,
        batch: (calls, options) => {
          sizes.push(calls.length)
          return sizes.length === 6 ? Promise.reject(new Error('cut')) : rpc.batch(calls, options)
        },
      }
      const { retired } = await world.executor(agent)
      expect(retired).toHaveLength(250)
      expect(retired!.every(({ retired_at, balance_wei }) => balance_wei === String(retired_at))).toBe(true)
      expect(sizes).toEqual([100, 100, 51])
      expect(await codeOf(world.executor(agent))).toBe('RPC_UNAVAILABLE')
    })

    it('is none on paper; without the chain it is unknown', async () => {
      expect(await refused(world.executor(await world.create()))).toMatchObject({
        code: 'NO_EXECUTOR',
        status: 409,
      })
      const agent = await world.live()
      world.chain.isDown = true
      expect(await codeOf(world.executor(agent))).toBe('RPC_UNAVAILABLE')
    })

    it('explains why its gas cannot be refunded', async () => {
      const agent = await world.running()
      await world.stop(agent)
      const why = async () => (await world.executor(agent)).refund
      expect(await why()).toMatchObject({ available: false, why_not: 'NOTHING_LEFT' })
      fund(agent.executor, BALANCE)
      expect(await why()).toMatchObject({ available: true, why_not: null })
      await db.query(`update sessions set status = 'active'`)
      expect(await why()).toMatchObject({ why_not: 'SESSION_ACTIVE' })
      await db.query(`update sessions set status = 'revoked'`)
      const order = (status: string) =>
        db.query(
          `insert into hosted_orders (agent_id, tick, n, pair, side, micro_usd, status, tx_hash,
           created_at_ms)
           values ($1, 1, 0, 'ETH/USDG', 'buy', 1, $2, '0x01', $3)
           on conflict (agent_id, tick, n) do update set status = excluded.status`,
          [agent.id, status, world.nowS() * 1_000],
        )
      await order('signed')
      expect(await why()).toMatchObject({ why_not: 'LEAF_LIVE' })
      // A mined transaction cannot be mined again.
      await order('filled')
      expect(await why()).toMatchObject({ why_not: null })
      await order('relayed')
      expect(await why()).toMatchObject({ why_not: 'LEAF_LIVE' })
      world.clock.aheadS = 150
      expect(await why()).toMatchObject({ why_not: null })
      const mute = openHostedWorld(db, { submitEnabled: false })
      expect((await mute.executor(agent)).refund.why_not).toBe('SUBMIT_DISABLED')
      const bare = openHostedWorld(db, { withSigner: false })
      expect((await bare.executor(agent)).refund.why_not).toBe('SIGNER_REQUIRED')
    })
  })

  describe('a refund', () => {
    it('refunds everything but its own gas, to the wei, and closes the executor', async () => {
      const agent = await stopped()
      const before = owned()
      const refund = await world.refund(agent)
      expect(refund).toMatchObject({
        id: agent.id,
        executor: agent.executor,
        to: WHO.owner,
        value_wei: (BALANCE - MAX_COST).toString(),
        balance_wei: BALANCE.toString(),
        nonce: 0,
        gas: GAS.limit,
        max_fee_per_gas: GAS.maxFeeWei.toString(),
        max_cost_wei: MAX_COST.toString(),
        status: 'mined',
        block: 42,
        already: false,
        relay_error: null,
        closed: true,
      })
      expect(owned() - before).toBe(BALANCE - MAX_COST)
      expect(world.chain.balance(NATIVE, agent.executor as Address)).toBe(MAX_COST - COST)
      expect(await world.executor(agent)).toMatchObject({
        closed: true,
        refund: { last: { status: 'mined' } },
      })
      expect(await world.get(agent)).toMatchObject({
        gas_refund: { tx_hash: refund.tx_hash, status: 'mined' },
      })
      expect((await world.logs(agent, { kinds: 'session' })).rows[0]).toMatchObject({ code: 'GAS_REFUND' })
    })

    it('repeated is the same one, and nothing more is sent', async () => {
      const agent = await stopped()
      const first = await world.refund(agent)
      world.signer.reachable = false
      expect(await world.refund(agent)).toEqual({ ...first, already: true })
      await world.delete(agent)
      expect(await world.refund(agent)).toEqual({ ...first, already: true })
      expect(world.sent).toEqual([first.raw])
    })

    it('is one under concurrency', async () => {
      const agent = await stopped()
      const answers = await Promise.all(Array.from({ length: 6 }, () => world.refund(agent)))
      expect(new Set(answers.map(({ tx_hash }) => tx_hash)).size).toBe(1)
      expect(answers.every(({ status }) => status === 'mined')).toBe(true)
      expect(await db.query('select * from hosted_refunds')).toHaveLength(1)
    })

    it('of ETH that arrived after the first was mined is another', async () => {
      const agent = await stopped()
      await world.refund(agent)
      fund(agent.executor, BALANCE)
      expect(await world.refund(agent)).toMatchObject({ nonce: 1, already: false, status: 'mined' })
      expect(await world.refund(agent)).toMatchObject({ nonce: 1, already: true })
    })

    it('covers replaced executors', async () => {
      const agent = await world.running()
      fund(agent.executor, BALANCE)
      const rotated = await world.rotate(agent)
      await world.stop(agent)
      expect(await world.executor(agent)).toMatchObject({
        executor: rotated.executor,
        balance_wei: '0',
        retired: [{ executor: agent.executor, balance_wei: BALANCE.toString(), closed: false }],
        refund: { available: true },
      })
      expect(await world.refund(agent)).toMatchObject({ executor: agent.executor, status: 'mined' })
      fund(rotated.executor, BALANCE)
      expect(await world.refund(agent)).toMatchObject({ executor: rotated.executor, already: false })
      expect(await world.refund(agent)).toMatchObject({ already: true })
    })

    it('without a response from the sequencer is uncertain, stored, and found later', async () => {
      const agent = await stopped()
      world.state.sequencer = 'silent'
      world.state.mines = false
      const lost = await world.refund(agent)
      expect(lost).toMatchObject({ status: 'uncertain', block: null, already: false })
      expect(lost.relay_error).toContain('did not respond')
      expect((await world.executor(agent)).refund).toMatchObject({
        available: true,
        last: { status: 'uncertain' },
      })
      world.mine(lost.raw as `0x${string}`)
      await world.hosted.sweep()
      expect(await world.refund(agent)).toMatchObject({
        tx_hash: lost.tx_hash,
        status: 'mined',
        already: true,
      })
      expect(world.sent).toHaveLength(1)
    })

    it('that is not mined yet is sent, and resent unchanged on a repeat', async () => {
      const agent = await stopped()
      world.state.mines = false
      const waiting = await world.refund(agent)
      expect(waiting).toMatchObject({ status: 'sent', already: false })
      world.state.mines = true
      // Even without the signer: the bytes are stored here.
      world.signer.reachable = false
      expect(await world.refund(agent)).toMatchObject({
        status: 'mined',
        already: true,
        tx_hash: waiting.tx_hash,
      })
      expect(world.sent).toEqual([waiting.raw, waiting.raw])
    })

    it('is looked up in turn, however many others never end', async () => {
      const agent = await stopped()
      world.state.mines = false
      const waiting = await world.refund(agent)
      // Newer ones that never appear on chain.
      await db.query(
        `insert into hosted_refunds (executor, agent_id, to_wallet, value_wei, balance_wei, tx_hash, raw,
           nonce, gas, max_fee_per_gas, status, created_at_s)
         select executor, agent_id, to_wallet, 1, 1, 'lost ' || n, raw, 100 + n, gas, max_fee_per_gas,
           'uncertain', created_at_s + n from hosted_refunds, generate_series(1, 60) as n`,
      )
      await world.hosted.sweep()
      world.mine(waiting.raw as Hex)
      const status = async () =>
        (await db.query<{ status: string }>('select status from hosted_refunds where nonce = 0'))[0]!.status
      for (let i = 0; i < 2; i++) {
        world.clock.aheadS += 60
        await world.hosted.sweep()
      }
      expect(await status()).toBe('mined')
    })

    it('that the sequencer rejects is reported', async () => {
      const agent = await stopped()
      world.state.sequencer = 'refuses'
      world.state.mines = false
      expect(await world.refund(agent)).toMatchObject({
        status: 'uncertain',
        relay_error: expect.stringContaining('insufficient funds'),
      })
    })

    it('whose nonce was used by another is replaced by the signer’s next', async () => {
      const agent = await stopped()
      world.state.sequencer = 'refuses'
      const first = await world.refund(agent)
      world.chain.setNonce(agent.executor as Address, 1)
      world.state.sequencer = 'ok'
      const second = await world.refund(agent)
      expect(second).toMatchObject({ nonce: 1, status: 'mined', already: false })
      expect(second.tx_hash).not.toBe(first.tx_hash)
      // The one that was never mined is no longer open.
      expect(await world.executor(agent)).toMatchObject({
        refund: { available: false, why_not: 'NOTHING_LEFT', last: { tx_hash: second.tx_hash } },
      })
      world.signer.reachable = false
      expect(await world.refund(agent)).toEqual({ ...second, already: true })
    })

    it('requires stopped live agents whose sessions have ended', async () => {
      expect(await codeOf(world.refund(await world.create()))).toBe('NO_EXECUTOR')
      const agent = await world.running()
      expect(await refused(world.refund(agent))).toMatchObject({ code: 'STOP_FIRST', status: 409 })
      await world.stop(agent)
      expect(await refused(world.refund(agent))).toMatchObject({
        code: 'REFUND_REFUSED',
        status: 409,
        extras: { checks: [{ rule: 'BALANCE' }] },
      })
      fund(agent.executor, BALANCE)
      await db.query(`update sessions set status = 'active'`)
      expect(await refused(world.refund(agent))).toMatchObject({ code: 'SESSION_ACTIVE', status: 409 })
      await db.query(`update sessions set status = 'registering', registering_at_s = 1`)
      expect(await codeOf(world.refund(agent))).toBe('SESSION_ACTIVE')
      expect(await world.executor(agent)).toMatchObject({ refund: { why_not: 'SESSION_ACTIVE' } })
      await db.query(`update sessions set status = 'revoked'`)
      world.signer.reachable = false
      expect(await refused(world.refund(agent))).toMatchObject({ code: 'SIGNER_UNAVAILABLE', status: 503 })
      world.chain.isDown = true
      expect(await refused(world.refund(agent))).toMatchObject({ code: 'CHAIN_UNAVAILABLE', status: 503 })
      const mute = openHostedWorld(db, { submitEnabled: false })
      expect(await refused(mute.refund(agent))).toMatchObject({ code: 'SUBMIT_DISABLED', status: 503 })
      const bare = openHostedWorld(db, { withSigner: false })
      expect(await refused(bare.refund(agent))).toMatchObject({ code: 'SIGNER_REQUIRED', status: 503 })
      expect(world.sent).toEqual([])
    })

    it.each(['SIGNER_FROZEN', 'BUSY', 'SANCTIONED', 'REFUND_OWNER', 'REFUND_IN_FLIGHT'] as const)(
      'that the signer refuses with %s is refused with it',
      async (code) => {
        const agent = await stopped()
        world.signer.refuses = code
        expect(await codeOf(world.refund(agent))).toBe(code)
        // Also while an earlier one is open, unless the refusal only means that the signer could not be
        // asked.
        world.signer.refuses = null
        world.state.mines = false
        await world.refund(agent)
        world.signer.refuses = code
        if (code === 'BUSY') expect(await world.refund(agent)).toMatchObject({ already: true })
        else expect(await codeOf(world.refund(agent))).toBe(code)
      },
    )

    it('to anyone but the owner is neither relayed nor stored', async () => {
      const agent = await stopped()
      const { key } = world.signer.keys.get(agent.executor as Address)!
      const bent = (to: Address, value: bigint) =>
        signRefund(crypto, key, { to, value, nonce: 0, balance: BALANCE })
      for (const refund of [
        bent(WHO.stranger, BALANCE - MAX_COST),
        { ...bent(WHO.stranger, BALANCE - MAX_COST), to: WHO.owner },
        bent(WHO.owner, BALANCE - MAX_COST - 1n),
      ]) {
        world.signer.bend.refund = () => refund
        world.signer.refunds.clear()
        expect(await refused(world.refund(agent))).toMatchObject({ code: 'SIGNED_MISMATCH', status: 502 })
      }
      expect(await db.query('select * from hosted_refunds')).toEqual([])
      expect(world.sent).toEqual([])
    })

    it('that was tampered with in the store is not sent', async () => {
      const agent = await stopped()
      world.state.sequencer = 'refuses'
      await world.refund(agent)
      const { key } = world.signer.keys.get(agent.executor as Address)!
      const evil = signRefund(crypto, key, { to: WHO.stranger, value: 1n, nonce: 0, balance: 1n })
      await db.query('update hosted_refunds set raw = $1', [Buffer.from(evil.raw.slice(2), 'hex')])
      world.state.sequencer = 'ok'
      world.signer.reachable = false
      expect(await refused(world.refund(agent))).toMatchObject({ code: 'NOT_A_REFUND', status: 422 })
      expect(world.sent).toEqual([])
    })
  })
})
