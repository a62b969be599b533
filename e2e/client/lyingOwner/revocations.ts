import type { Hex } from '@pit/chain'
import { isRefusal } from '@pit/client'
import { describe, expect, it } from 'vitest'
import { openProxy } from '../proxy.ts'
import { type Any, codesOf, executor, GRANT, type Lie, type LyingOwnerWorld, owner } from './world.ts'

/** An empty revocation, and lists without sessions. */
const hideSessions: Lie = (path, body) => {
  if (path === 'live/session/revoke') body.on_chain = []
  if (path === 'me/sessions') body.sessions = []
}

/** Lies about sessions and approvals to revoke. */
export function revocationCases(w: () => LyingOwnerWorld): void {
  describe('a revocation', () => {
    it('without steps still ends every root (library)', async () => {
      const { terms } = await w().client.grantSession(GRANT, { allow7702: true })
      const ended = await w().whileLying(hideSessions, () =>
        w().client.revokeSession({ sessionId: terms.sessionId }),
      )
      expect(ended).toMatchObject({ complete: true, roots: [{ hash: terms.roots[0]!.hash, state: 'ended' }] })
      expect(await w().isDisabled(terms.roots[0]!.hash)).toBe(true)
    })

    it('by a failing server still ends every root on chain', async () => {
      const { terms } = await w().client.grantSession(GRANT, { allow7702: true })
      const failure = { error: { code: 'INTERNAL', message: 'no', retry: 'no' } }
      const failing = await openProxy(w().world.server.url, {
        intercept: ({ path }) =>
          path === 'live/session/revoke' ? { status: 500, body: failure } : undefined,
      })
      const { sessions } = await w().client.recordedSessions()
      const { roots } = sessions.find(({ session_id }) => session_id === terms.sessionId)!
      const other = w().openClient(failing.url)
      const request = { sessionId: terms.sessionId, delegations: roots.map(({ delegation }) => delegation) }
      const error = await other.revokeSession(request).catch((one: unknown) => one)
      await failing.close()
      expect(isRefusal(error, 'REVOCATION_INCOMPLETE') && error.details).toMatchObject({
        live_roots: [],
        cosigner_confirmed: false,
      })
      expect(await w().isDisabled(terms.roots[0]!.hash)).toBe(true)
    })

    it('without a record and without steps is refused, not reported as done', async () => {
      const { terms } = await w().client.grantSession(GRANT, { allow7702: true })
      const forgetful = w().openClient()
      await forgetful.signIn()
      const [error, signed] = await w().refusedBy(hideSessions, () =>
        forgetful.revokeSession({ sessionId: terms.sessionId }),
      )
      expect([error.code, signed]).toEqual(['REVOCATION_INCOMPLETE', 0])
      const [named] = await w().refusedBy(hideSessions, () =>
        forgetful.revokeSession({
          sessionId: terms.sessionId,
          rootHashes: terms.roots.map(({ hash }) => hash),
        }),
      )
      expect(named.details['live_roots']).toEqual([terms.roots[0]!.hash])
      const honest = await forgetful.revokeSession({ sessionId: terms.sessionId })
      expect(honest).toMatchObject({ complete: false, roots: [{ state: 'ended' }] })
    })

    it('by the command ends sessions that the server hides, one by one and all at once', async () => {
      const grant = () =>
        w().runPit('session', 'grant', executor, '--allow-7702', '--no-setup', '--for', '1h', '--yes')
      const [first, second, third] = [await grant(), await grant(), await grant()]
      expect(first.code, first.stderr).toBe(0)
      const list = await w().whileLying(hideSessions, () => w().runPit('session', 'list'))
      const states = (list.json() as Any[]).map(({ session_id, on_chain }) => [session_id, on_chain])
      for (const ran of [first, second, third])
        expect(states).toContainEqual([ran.json().session_id, 'alive'])
      const one = await w().whileLying(hideSessions, () =>
        w().runPit('session', 'revoke', first.json().session_id, '--yes'),
      )
      expect(one.code, one.stderr).toBe(0)
      expect(await w().isDisabled(first.json().delegation_hash)).toBe(true)
      const all = await w().whileLying(hideSessions, () => w().runPit('session', 'revoke', '--all', '--yes'))
      expect(all.code, all.stderr).toBe(0)
      for (const ran of [second, third]) expect(await w().isDisabled(ran.json().delegation_hash)).toBe(true)
    })

    it('by the command of a session signed elsewhere does not exit with 0', async () => {
      const { terms } = await w().client.grantSession(GRANT, { allow7702: true })
      const hidden = await w().whileLying(hideSessions, () =>
        w().runPit('session', 'revoke', terms.sessionId, '--yes'),
      )
      expect(codesOf(hidden)).toEqual([1, 'REVOCATION_INCOMPLETE'])
      const honest = await w().runPit('session', 'revoke', terms.sessionId, '--yes')
      expect(honest.code).toBe(5)
      expect(honest.stderr).toContain('REVOCATION_UNPROVEN')
    })

    it('over MCP is not reported as done if the server hides the session', async () => {
      const { terms } = await w().client.grantSession(GRANT, { allow7702: true })
      const mcp = await w().mcp()
      const { isError, answer } = await w().whileLying(
        (path, body) => {
          if (path === 'live/session/revoke') body.on_chain = []
        },
        () => mcp.call('revoke_session', { session_id: terms.sessionId }),
      )
      expect([isError, answer.code]).toEqual([true, 'REVOCATION_INCOMPLETE'])
      const honest = await mcp.call('revoke_session', { session_id: terms.sessionId })
      expect(honest.answer).toMatchObject({ proven: false, roots: [{ on_chain: 'ended' }] })
    })
  })

  describe('approvals', () => {
    const readAllowance = async (): Promise<bigint> => {
      const word = (address: string) => address.slice(2).toLowerCase().padStart(64, '0')
      const data = `0xdd62ed3e${word(owner)}${word(w().world.profile.contracts.permit2)}`
      return BigInt(
        await w().world.devnet.rpc<Hex>('eth_call', [{ to: w().world.core('USDG'), data }, 'latest']),
      )
    }
    /** A sale that leaves an approval of Permit2 and an allowance of the router. */
    const approve = () =>
      w().client.trade({
        token_in: 'USDG',
        token_out: 'ETH',
        notional_usd: 5,
        permit_mode: 'transaction',
        permit_scope: '30d',
      })
    const nothing: Lie = (path, body) => {
      if (path === 'live/revoke') Object.assign(body, { nothing_to_revoke: true, steps: [] })
    }
    const half: Lie = (path, body) => {
      if (path === 'live/revoke') body.steps = body.steps.slice(0, 1)
    }

    it.each([
      ['nothing to revoke', nothing],
      ['half of the steps', half],
    ])('are zero on the client’s node after %s (library)', async (_, lie) => {
      await approve()
      expect(await readAllowance()).toBeGreaterThan(0n)
      const { revoked } = await w().whileLying(lie, () => w().client.revokeApprovals())
      expect(revoked.map(({ by }) => by)).toEqual(['token', 'permit2'])
      expect(await readAllowance()).toBe(0n)
      expect((await w().client.revokeApprovals()).revoked).toEqual([])
    })

    it('are zero after the command and after the MCP tool, whatever the server answers', async () => {
      await approve()
      const ran = await w().whileLying(nothing, () => w().runPit('revoke', 'USDG', '--yes'))
      expect(ran.json()).toMatchObject({ nothing_to_revoke: false })
      expect([ran.code, await readAllowance()], ran.stderr).toEqual([0, 0n])
      await approve()
      const mcp = await w().mcp()
      const { answer } = await w().whileLying(nothing, () =>
        mcp.call('revoke_approvals', { tokens: ['USDG'] }),
      )
      expect(answer.transactions.length, JSON.stringify(answer)).toBe(2)
      expect(await readAllowance()).toBe(0n)
    })
  })
}
