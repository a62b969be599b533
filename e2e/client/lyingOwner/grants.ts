import { RISK_CODES } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { type Any, executor, GRANT, type Lie, type LyingOwnerWorld } from './world.ts'

/** Lies about the roots, limits and id of a session to sign. */
export function grantCases(w: () => LyingOwnerWorld): void {
  describe('a grant', () => {
    const onCurve = () => ({
      ...GRANT,
      tokens: [...GRANT.tokens, w().curveToken],
      accept_risks: [...RISK_CODES],
    })
    const lieAboutGrant =
      (change: (body: Any) => void): Lie =>
      (path, body) => {
        if (path === 'live/session/grant' && body.sign) change(body)
      }
    /** The honest answer to a grant on a curve. */
    let honest: Any
    const statuses = async (): Promise<string[]> =>
      (await w().client.api['me.sessions']()).sessions.map(({ status }) => status)

    it('on a curve has one root for calls and one for fees with an honest server', async () => {
      const record = lieAboutGrant((body) => {
        honest = structuredClone(body)
      })
      const { terms } = await w().whileLying(record, () =>
        w().client.grantSession(onCurve(), { allow7702: true }),
      )
      expect(terms.roots.map(({ kind }) => kind)).toEqual(['router', 'curve', 'fee'])
    })

    const feeRootOf = (body: Any) => {
      const [hash] = Object.entries<Any>(body.sign.curve_roots).find(([, { kind }]) => kind === 'fee')!
      return hash
    }
    /** Raises a fee root's daily cap, the first word of its window's terms. */
    const raiseCap = (terms: string): string => {
      const cap = BigInt(terms.slice(0, 66)) * 100n
      return `0x${cap.toString(16).padStart(64, '0')}${terms.slice(66)}`
    }

    it.each<[string, () => Any, (body: Any) => void]>([
      [
        'extra curve roots without curve tokens',
        () => GRANT,
        (body) => {
          body.sign.curve_roots = honest.sign.curve_roots
        },
      ],
      [
        'a fee root with 100 times its cap',
        onCurve,
        (body) => {
          const { message } = body.sign.curve_roots[feeRootOf(body)].typed_data
          const window = message.caveats.at(-1)
          window.terms = raiseCap(window.terms)
        },
      ],
      [
        'a second root for the curve',
        onCurve,
        (body) => {
          const [[, root]] = Object.entries<Any>(body.sign.curve_roots) as [[string, Any]]
          body.sign.curve_roots[`0x${'5'.repeat(64)}`] = structuredClone(root)
        },
      ],
      [
        'a missing root of the curve',
        onCurve,
        (body) => {
          delete body.sign.curve_roots[feeRootOf(body)]
        },
      ],
      [
        'limits shown lower than the binding’s',
        () => GRANT,
        (body) => {
          body.limits.max_day_usd = 1
        },
      ],
      [
        'an exposure shown lower than the binding’s',
        () => GRANT,
        (body) => {
          body.exposure.by_cosigner.max_trade_usd = 1
        },
      ],
      [
        'an exposure text with other limits',
        () => GRANT,
        (body) => {
          body.exposure.in_words = ['At most 1 dollar can be traded.']
        },
      ],
      [
        'risk terms shown narrower than the binding’s',
        onCurve,
        (body) => {
          body.risk_terms.accept_risks = []
        },
      ],
    ])('with %s is refused before anything is signed', async (_, request, change) => {
      const [error, signed] = await w().refusedBy(lieAboutGrant(change), () =>
        w().client.grantSession(request(), { allow7702: true }),
      )
      expect([error.code, error.rule, signed]).toEqual(['VERIFICATION_FAILED', 'GRANT_BINDING', 0])
      expect(await statuses(), 'pending sessions').not.toContain('pending')
    })

    it('shows the terms before signing, and leaves nothing pending when declined', async () => {
      const before = w().signatureCount()
      let shown: Any
      const declined = w().client.grantSession(GRANT, {
        allow7702: true,
        confirm: (terms) => {
          shown = terms
          return false
        },
      })
      await expect(declined).rejects.toMatchObject({ code: 'NOT_CONFIRMED' })
      expect(shown).toMatchObject({
        executor: executor.toLowerCase(),
        limits: { maxTradeUsd: 10, maxDayUsd: 20, maxTrades: 5 },
        shield: false,
      })
      expect(w().signatureCount()).toBe(before)
      expect(await statuses()).not.toContain('pending')
    })

    it('with the id of an earlier session is refused, and that session stays alive', async () => {
      const first = await w().client.grantSession(GRANT, { allow7702: true })
      const reuseId = lieAboutGrant((body) => {
        body.session_id = first.terms.sessionId
      })
      const [error, signed] = await w().refusedBy(reuseId, () =>
        w().client.grantSession(GRANT, { allow7702: true }),
      )
      expect([error.rule, signed]).toEqual(['GRANT_BINDING', 0])
      const { sessions } = await w().client.recordedSessions()
      expect(sessions.find(({ session_id }) => session_id === first.terms.sessionId)?.state).toBe('alive')
    })
  })
}
