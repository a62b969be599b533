import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, call, newWallet, refusal, register } from '@pit/league/test/leagueWorld'
import { playedSeason } from '@pit/league/test/playedSeason'
import { createLogger } from '@pit/platform/monitoring'
import { SanctionsFileError } from '@pit/platform/sanctions'
import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { LEAGUE } from './league.ts'
import { openOperator } from './openOperator.ts'
import { reachSocket } from './reachSocket.ts'
import { serveAdmin } from './serveAdmin.ts'
import { adminSocketPath } from './socketPath.ts'
import { type Operator, OperatorRefused } from './types.ts'

const logger = createLogger({ level: 'silent' })
const HASH = `0x${'ab'.repeat(32)}`

withDb('an operator of the league, on a running server’s socket', (db) => {
  const game = playedSeason(db)
  let far: Operator
  const act = (name: string, input: object, reason: string | null = null) =>
    far.act({ name, operator: 'ada', reason, input: input as Record<string, unknown> })
  const refused = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'was not refused',
      (error: unknown) => {
        expect(error).toBeInstanceOf(OperatorRefused)
        return (error as Error).message
      },
    )
  const audit = async () =>
    (await act('audit.list', { limit: 100, before: null })) as { action: string; details: object }[]

  async function serve(own: { isSanctioned?: (address: string) => Promise<boolean> } = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'pit-league-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { world } = game
    const operator = openOperator({
      db,
      rpc: undefined as never,
      clock: world.clock,
      profile: world.profile,
      treasury: undefined as never,
      signer: null,
      league: LEAGUE,
      vault: world.registry,
      isSanctioned: world.isSanctioned,
      ...own,
    })
    const path = adminSocketPath(folder)
    const served = await serveAdmin({ operator, path, logger })
    onTestFinished(() => served!.close())
    far = reachSocket(path)
  }

  beforeEach(async () => {
    await db.exec(
      `alter table operator_actions disable trigger user; truncate operator_actions;
       alter table operator_actions enable trigger user`,
    )
    await serve()
  })

  async function paidSeason() {
    await game.marksOfSeason()
    for (const i of game.players.keys()) await game.play(i, i)
    await game.decide()
  }

  it('does not pay a newly sanctioned recipient, whatever the jobs saw last', async () => {
    await paidSeason()
    const winner = game.players[11]!.address
    game.world.sanctioned.add(winner)
    const planned = await act('league.settle', { season: 1, gain: null, partner_price_e18: null })
    expect(planned).toMatchObject([
      { place: 1, recipient: winner, problem: 'the recipient is on the sanctions list' },
      { place: 2, problem: null },
      { place: 3, problem: null },
    ])
    game.world.sanctioned.add(game.players[10]!.address)
    for (const place of [1, 2])
      expect(await refused(act('league.payout', { season: 1, place, tx_hash: HASH }))).toContain(
        'sanctions list',
      )
    await act('league.payout', { season: 1, place: 3, tx_hash: HASH })
    expect(await act('league.payouts', {})).toMatchObject([
      { season: 1, place: 1, tx_hash: null },
      { place: 2, tx_hash: null },
      { place: 3, tx_hash: HASH },
    ])
    expect((await audit()).map(({ action }) => action)).toEqual(['league.payout', 'league.settle'])
  })

  it('pays no prize while the list is unreadable', async () => {
    await paidSeason()
    await act('league.settle', { season: 1, gain: null, partner_price_e18: null })
    await serve({
      isSanctioned: () => Promise.reject(new SanctionsFileError('SANCTIONS_FILE x: no such file')),
    })
    expect(await refused(act('league.payout', { season: 1, place: 1, tx_hash: HASH }))).toContain(
      'SANCTIONS_FILE',
    )
    expect(await db.query('select 1 from league_payouts where tx_hash is not null')).toEqual([])
  })

  it('redirects a held prize only to the recipient in the registry', async () => {
    await paidSeason()
    const [winner, hacked, fresh] = [game.players[11]!.address, at(0xbad), at(0xf4e5)]
    register(game.world, '111', { owner: winner, agentWallet: hacked })
    await db.query('update league_payouts set recipient = $1 where place = 1', [hacked])
    game.world.sanctioned.add(hacked)
    await game.settle()
    const move = (place = 1) => act('league.recipient', { season: 1, place }, 'its key was stolen')
    expect(await refused(act('league.recipient', { season: 1, place: 1 }))).toContain('--reason')
    expect(await refused(act('league.recipient', { season: 2, place: 1 }, 'x'))).toContain(
      'no prize for place',
    )
    expect(await refused(move())).toContain('the registry still records')
    // The owner moved the agent to another wallet.
    register(game.world, '111', { owner: winner, agentWallet: fresh })
    for (const listed of [fresh, winner]) {
      game.world.sanctioned.add(listed)
      expect(await refused(move())).toBe(`${listed}: is on the sanctions list`)
      game.world.sanctioned.delete(listed)
    }
    expect(await audit()).toEqual([])
    expect(await move()).toEqual({ from: hacked, to: fresh })
    expect(await audit()).toMatchObject([
      { action: 'league.recipient', details: { season: 1, place: 1, from: hacked, to: fresh } },
    ])
    await act('league.payout', { season: 1, place: 1, tx_hash: HASH })
    register(game.world, '111', { owner: winner })
    expect(await refused(move())).toContain('may have paid it')
    await db.query(`update league_payouts set status = 'mined' where place = 1`)
    expect(await refused(move())).toContain('is paid')
    game.world.vault.agents.delete('110')
    expect(await refused(move(2))).toContain('the registry has no agent 110')
  })

  it('sets an account’s division, which decides whether the practice board accepts it', async () => {
    const wallet = await newWallet(db, 'a trader of stocks')
    register(game.world, '300', { owner: wallet.address })
    const set = (division: string, address: string = wallet.address) =>
      act('account.division', { wallet: address, division }, 'its own wish')
    const enter = () => call(game.world, 'league.enter', wallet, { agent_id: '300', board: 'practice' })
    expect(await set('stocks', wallet.address.toUpperCase().replace('0X', '0x'))).toMatchObject({
      before: 'crypto',
      entered: false,
      takes: 'crypto',
    })
    expect(await refusal(enter())).toBe('LEAGUE_DIVISION')
    expect(await refused(set('bonds'))).toContain('division')
    expect(await refused(set('crypto', at(0x999)))).toContain('has no account')
    expect(await set('crypto')).toMatchObject({ before: 'stocks' })
    await enter()
    expect(await set('stocks')).toMatchObject({ entered: true })
    expect(await audit()).toMatchObject([
      {
        action: 'account.division',
        details: { wallet: wallet.address, division: 'stocks', before: 'crypto' },
      },
      { details: { division: 'crypto', before: 'stocks' } },
      { details: { division: 'stocks', before: 'crypto' } },
    ])
  })
})
