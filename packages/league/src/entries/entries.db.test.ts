import type { HostedAgent } from '@pit/agents'
import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  at,
  call,
  DAY,
  emptyStore,
  enterSigned,
  FIRST_S,
  type LeagueWorld,
  newWallet,
  openLeagueWorld,
  refusal,
  register,
  season,
  type Wallet,
} from '../../test/leagueWorld.ts'

withDb('league entries', (db) => {
  let world: LeagueWorld
  let alice: Wallet
  let bob: Wallet
  beforeEach(async () => {
    await emptyStore(db)
    world = await openLeagueWorld(db)
    alice = await newWallet(db, 'alice')
    bob = await newWallet(db, 'bob')
    register(world, '5', { owner: alice.address })
    register(world, '6', { owner: bob.address })
  })
  const statement = (wallet: Wallet, body: object) =>
    call(world, 'league.statement', wallet, body as { agent_id: string })
  const enter = (wallet: Wallet, body: object) =>
    call(world, 'league.enter', wallet, body as { agent_id: string })
  const myEntries = (wallet: Wallet) => world.league.entriesOf(wallet.address)

  describe('a statement', () => {
    it('names the board, the entrant and the agent, for ten minutes', async () => {
      const made = await statement(alice, { agent_id: 5 })
      expect(made).toMatchObject({
        agent_id: '5',
        board: 'prize',
        entrant: alice.address,
        expires_at: world.nowS() + 600,
      })
      expect(made.message).toContain(`\nEntrant: prize league, trading wallet ${alice.address}\n`)
      expect(made.message).toContain(`\nNonce: ${made.nonce}\n`)
    })

    it('enters once, for exactly what it was made for', async () => {
      const made = await statement(bob, { agent_id: '5' })
      const signature = await alice.sign(made.message)
      const signed = { signature, nonce: made.nonce }
      expect(await refusal(enter(alice, { agent_id: '5', ...signed }))).toBe('STATEMENT_MISMATCH wallet')
      expect(await refusal(enter(bob, { agent_id: '6', ...signed }))).toBe('STATEMENT_MISMATCH agent_id')
      expect(await refusal(enter(bob, { agent_id: '5', board: 'practice', ...signed }))).toBe(
        'STATEMENT_MISMATCH board',
      )
      const entry = await enter(bob, { agent_id: '5', ...signed })
      expect(entry).toMatchObject({
        agent_id: '5',
        wallet: bob.address,
        owner: alice.address,
        proof: 'statement',
        confirmed: true,
        status: 'active',
        from_season: 2,
        playing: false,
        season: null,
      })
      await call(world, 'league.leave', bob, {})
      expect(await refusal(enter(bob, { agent_id: '5', ...signed }))).toBe('STATEMENT_EXPIRED nonce')
    })

    it('expires after ten minutes, and an invented nonce is unknown', async () => {
      const made = await statement(alice, { agent_id: '5' })
      const signature = await alice.sign(made.message)
      world.goTo(world.nowS() + 600)
      expect(await refusal(enter(alice, { agent_id: '5', signature, nonce: made.nonce }))).toBe(
        'STATEMENT_EXPIRED nonce',
      )
      expect(await refusal(enter(alice, { agent_id: '5', signature, nonce: 'nobody-knows' }))).toBe(
        'STATEMENT_EXPIRED nonce',
      )
    })

    it('is signed by the owner only', async () => {
      const made = await statement(bob, { agent_id: '5' })
      const forged = { agent_id: '5', nonce: made.nonce, signature: await bob.sign(made.message) }
      expect(await refusal(enter(bob, forged))).toBe(`NOT_OWNER ${alice.address}`)
      const garbage = { agent_id: '5', nonce: made.nonce, signature: `0x${'ff'.repeat(65)}` }
      expect(await refusal(enter(bob, garbage))).toBe('BAD_SIGNATURE signature')
      for (const signature of ['0x', '0x12', `0x${'11'.repeat(64)}`, `0x${'11'.repeat(66)}`]) {
        expect(await refusal(enter(bob, { ...garbage, signature }))).toBe('BAD_SIGNATURE signature')
        expect(await refusal(enter(bob, { ...garbage, nonce: 'unknown', signature }))).toBe(
          'BAD_SIGNATURE signature',
        )
      }
      // None of that used it up.
      const signature = await alice.sign(made.message)
      expect(await enter(bob, { agent_id: '5', nonce: made.nonce, signature })).toMatchObject({
        confirmed: true,
      })
    })

    it('is kept to the newest twenty of a wallet', async () => {
      for (let i = 0; i < 25; i++) await statement(alice, { agent_id: '5' })
      const [row] = await db.query<{ n: number }>('select count(*)::int4 as n from league_statements')
      expect(row?.n).toBe(20)
    })
  })

  describe('entering', () => {
    it('by signing in plays, and wins nothing until confirmed', async () => {
      const entry = await enter(alice, { agent_id: '5' })
      expect(entry).toMatchObject({ proof: 'signed_in', confirmed: false, from_season: 2 })
      expect(entry.note).toContain('league/confirm')
      // Already entered: a statement is still issued, since confirming needs one.
      const made = await statement(alice, { agent_id: '5' })
      const body = { agent_id: '5', nonce: made.nonce, signature: await alice.sign(made.message) }
      expect(await call(world, 'league.confirm', alice, body)).toMatchObject({ confirmed: true })
      expect(await refusal(call(world, 'league.confirm', alice, body))).toBe('STATEMENT_EXPIRED nonce')
    })

    it('needs an agent, its owner, and both halves of a signature', async () => {
      expect(await refusal(enter(alice, { agent_id: '99' }))).toBe('NOT_AN_AGENT agent_id')
      expect(await refusal(enter(alice, { agent_id: (2n ** 256n).toString() }))).toBe('NOT_AN_AGENT agent_id')
      expect(await refusal(enter(bob, { agent_id: '5' }))).toBe(`NOT_OWNER ${alice.address}`)
      // Refused by the request alone, although the registry does not answer.
      world.vault.answering = false
      expect(await refusal(enter(alice, { agent_id: '5', nonce: 'x' }))).toBe('BAD_REQUEST signature')
      expect(await refusal(enter(alice, { agent_id: '5', signature: `0x${'11'.repeat(65)}` }))).toBe(
        'BAD_REQUEST nonce',
      )
    })

    it('is refused while the registry cannot be read', async () => {
      world.vault.answering = false
      expect(await refusal(enter(alice, { agent_id: '5' }))).toBe('LEAGUE_UNAVAILABLE')
      expect(await refusal(statement(alice, { agent_id: '5' }))).toBe('LEAGUE_UNAVAILABLE')
    })

    it('is refused for any address on the list, by name', async () => {
      for (const [who, field] of [
        ['owner', 'owner'],
        ['agentWallet', 'agent_wallet'],
        ['beneficiary', 'beneficiary'],
      ] as const) {
        const listed = at(0xbad)
        world.sanctioned.add(listed)
        register(world, '7', { owner: alice.address, [who]: listed })
        expect(await refusal(enter(alice, { agent_id: '7' }))).toBe(`SANCTIONED ${field}`)
        expect(await refusal(statement(alice, { agent_id: '7' }))).toBe(`SANCTIONED ${field}`)
      }
    })

    it('takes one entry for an agent and one for a wallet on a board', async () => {
      register(world, '8', { owner: alice.address })
      await enter(alice, { agent_id: '5' })
      expect(await refusal(enter(alice, { agent_id: '5' }))).toBe('AGENT_ENTERED')
      expect(await refusal(enter(alice, { agent_id: '8' }))).toBe('ALREADY_ENTERED')
      expect(await refusal(statement(alice, { agent_id: '8' }))).toBe('ALREADY_ENTERED')
      expect(await refusal(statement(bob, { agent_id: '5' }))).toBe('AGENT_ENTERED')
      // The other board is independent.
      expect(await enter(alice, { agent_id: '5', board: 'practice' })).toMatchObject({
        board: 'practice',
        kind: 'account',
        confirmed: null,
      })
      expect(await refusal(enter(alice, { agent_id: '8', board: 'practice' }))).toBe('ALREADY_ENTERED')
    })

    it('accepts one of many concurrent entries', async () => {
      const tries = await Promise.all(
        Array.from({ length: 12 }, () => refusal(enter(alice, { agent_id: '5' }))),
      )
      expect(tries.filter((code) => code === 'was not refused')).toHaveLength(1)
      expect(tries.filter((code) => code === 'AGENT_ENTERED' || code === 'ALREADY_ENTERED')).toHaveLength(11)
      const made = await statement(bob, { agent_id: '6' })
      const body = { agent_id: '6', nonce: made.nonce, signature: await bob.sign(made.message) }
      const twice = await Promise.all([refusal(enter(bob, body)), refusal(enter(bob, body))])
      expect(twice.filter((code) => code === 'was not refused')).toHaveLength(1)
    })

    it('plays from the next season, and from the first before there was one', async () => {
      world.goTo(FIRST_S - DAY)
      expect(await enter(alice, { agent_id: '5' })).toMatchObject({ from_season: 1, playing: false })
      world.goTo(FIRST_S)
      expect(await myEntries(alice)).toMatchObject([{ playing: true, season: 1 }])
      world.goTo(season(3).endsAtS - 1)
      expect(await enter(bob, { agent_id: '6' })).toMatchObject({ from_season: 4 })
    })

    it('of an account is refused in another division', async () => {
      await db.query(`update accounts set division = 'stocks' where wallet = $1`, [alice.address])
      expect(await refusal(enter(alice, { agent_id: '5', board: 'practice' }))).toBe('LEAGUE_DIVISION')
    })

    it('is not possible where no league is run', async () => {
      const closed = { league: world.open({ firstSeasonS: null }) }
      expect(await refusal(call(closed, 'league.enter', alice, { agent_id: '5' }))).toBe('LEAGUE_UNAVAILABLE')
      expect(await refusal(call(closed, 'league.leave', alice, {}))).toBe('LEAGUE_UNAVAILABLE')
    })
  })

  describe('a hosted agent', () => {
    const hosted = (own: Partial<HostedAgent> = {}) => {
      const agent = {
        id: 'h1',
        wallet: alice.address,
        mode: 'paper',
        status: 'active',
        pairs: ['ETH/USDG', 'cbBTC/USDG'],
        intervalS: 300,
        deletedAtS: null,
        ...own,
      } as HostedAgent
      world.hosted.set('h1', agent)
    }
    const ask = (wallet = alice, own: object = {}) =>
      enter(wallet, { agent_id: '5', hosted_id: 'h1', ...own })

    it('plays the practice board, and only such an agent does', async () => {
      expect(await refusal(ask())).toBe('NOT_FOUND')
      hosted()
      expect(await refusal(ask(bob, { agent_id: '6' }))).toBe('FORBIDDEN')
      expect(await refusal(ask(alice, { board: 'prize' }))).toBe('PRIZE_IS_LIVE')
      for (const [own, code] of [
        [{ status: 'stopped' }, 'STOPPED'],
        [{ mode: 'live' }, 'LEAGUE_PAPER_ONLY'],
        [{ pairs: ['ETH/USDG', 'ETH/cbBTC'] }, 'LEAGUE_PAIRS'],
        [{ pairs: ['NVDA/USDG'] }, 'LEAGUE_PAIRS'],
        [{ intervalS: 299 }, 'LEAGUE_INTERVAL'],
        [{ deletedAtS: 1 }, 'NOT_FOUND'],
      ] as const) {
        hosted(own as Partial<HostedAgent>)
        expect(await refusal(ask())).toBe(code)
        expect(await refusal(statement(alice, { agent_id: '5', hosted_id: 'h1' }))).toBe(code)
      }
      hosted()
      await db.query(
        `insert into hosted_agents (id, wallet, key_id, brain, params, interval_s, pairs, tokens,
         max_trade_micro_usd,
           max_day_micro_usd, max_position_micro_usd, mode, status, created_at_s)
         values ('h1', $1, 1, 'dca', '{}', 299, '{ETH/USDG}', '[]', 1, 1, 1, 'paper', 'active', 0)`,
        [alice.address],
      )
      // Changed since it was read: its state at the entry counts.
      expect(await refusal(ask())).toBe('LEAGUE_INTERVAL')
      await db.query(`update hosted_agents set interval_s = 300, pairs = '{ETH/USDG,ETH/cbBTC}'`)
      expect(await refusal(ask())).toBe('LEAGUE_PAIRS')
      await db.query(`update hosted_agents set pairs = '{ETH/USDG}'`)
      expect(await ask()).toMatchObject({
        board: 'practice',
        kind: 'hosted',
        hosted_id: 'h1',
        confirmed: null,
      })
      expect(await refusal(ask())).toBe('AGENT_ENTERED')
      await world.league.leaveHosted('h1')
      expect(await myEntries(alice)).toMatchObject([{ status: 'left' }])
    })
  })

  describe('confirming', () => {
    it('is the trading wallet’s to send and the owner’s to sign', async () => {
      const made = await statement(bob, { agent_id: '5' })
      const signature = await alice.sign(made.message)
      await enter(bob, { agent_id: '5', nonce: made.nonce, signature })
      const again = await statement(bob, { agent_id: '5' })
      const confirm = (wallet: Wallet, own: object) =>
        call(world, 'league.confirm', wallet, {
          agent_id: '5',
          nonce: again.nonce,
          signature: `0x${'11'.repeat(64)}1b`,
          ...own,
        } as never)
      for (const malformed of ['0x', '0x12', `0x${'11'.repeat(64)}`, `0x${'11'.repeat(65)}`]) {
        expect(await refusal(confirm(alice, { signature: malformed }))).toBe('BAD_SIGNATURE signature')
      }
      expect(await refusal(confirm(alice, {}))).toBe('FORBIDDEN')
      expect(await refusal(confirm(bob, { agent_id: '6' }))).toBe('NOT_ENTERED')
      expect(await refusal(confirm(bob, { signature: await bob.sign(again.message) }))).toBe(
        `NOT_OWNER ${alice.address}`,
      )
      world.sanctioned.add(alice.address)
      expect(await refusal(confirm(bob, { signature: await alice.sign(again.message) }))).toBe(
        'SANCTIONED owner',
      )
      world.sanctioned.clear()
      // The registry names another wallet since.
      world.sanctioned.add(at(0xbad))
      await db.query('update league_owners set agent_wallet = $1', [at(0xbad)])
      expect(await refusal(confirm(bob, { signature: await alice.sign(again.message) }))).toBe(
        'SANCTIONED agent_wallet',
      )
      world.sanctioned.clear()
      expect(await confirm(bob, { signature: await alice.sign(again.message) })).toMatchObject({
        confirmed: true,
      })
    })

    it('takes no practice statement', async () => {
      await enter(alice, { agent_id: '5' })
      const made = await statement(alice, { agent_id: '5', board: 'practice' })
      const body = { agent_id: '5', nonce: made.nonce, signature: await alice.sign(made.message) }
      expect(await refusal(call(world, 'league.confirm', alice, body))).toBe('STATEMENT_MISMATCH board')
    })
  })

  describe('leaving', () => {
    it('takes the wallet’s own entry out at once, and lets it in again', async () => {
      expect(await refusal(call(world, 'league.leave', alice, {}))).toBe('NOT_ENTERED')
      const first = await enterSigned(world, alice, '5')
      expect(await refusal(call(world, 'league.leave', alice, { board: 'practice' }))).toBe('NOT_ENTERED')
      const left = await call(world, 'league.leave', alice, {})
      expect(left).toMatchObject({ entry_id: first.entry_id, status: 'left', left_at: world.nowS() })
      expect((await enterSigned(world, alice, '5')).entry_id).not.toBe(first.entry_id)
    })

    it('by agent is the entering wallet’s and the owner’s', async () => {
      await enterSigned(world, bob, '5', alice)
      const carol = await newWallet(db, 'carol')
      expect(await refusal(call(world, 'league.leave', carol, { agent_id: '5' }))).toBe('FORBIDDEN')
      // A new owner may take it out too.
      register(world, '5', { owner: carol.address })
      expect(await call(world, 'league.leave', carol, { agent_id: '5' })).toMatchObject({ status: 'left' })
      register(world, '5', { owner: alice.address })
      await enterSigned(world, bob, '5', alice)
      expect(await call(world, 'league.leave', alice, { agent_id: '5' })).toMatchObject({ status: 'left' })
    })
  })
})
