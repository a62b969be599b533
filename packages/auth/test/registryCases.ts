import type { PartnerAgent, PartnerFinding } from '@pit/agent-registry'
import { describe, expect, it } from 'vitest'
import { type AuthCases, CONFIG, codeOf, newWallet, openTestAuth, refused } from './authWorld.ts'

export function registryCases({ db }: AuthCases): void {
  describe('the registry', () => {
    const agent: PartnerAgent = { agent_id: '7', token: null, symbol: 'AG', role: 'owner', name: 'Seven' }
    const saying = (finding: PartnerFinding | Error, requirePartnerAgent = false) =>
      openTestAuth(db, {
        registry: { find: async () => (finding instanceof Error ? Promise.reject(finding) : finding) },
        config: { ...CONFIG, requirePartnerAgent },
      })

    it('names the agent in verify and me', async () => {
      const own = await saying({ status: 'ok', agent })
      const key = await own.signIn(newWallet())
      expect(key).toMatchObject({ partner_agent: agent, partner_check: 'ok' })
      const stored = await own.authenticateKey(key.api_key)
      expect(await own.me(stored!)).toEqual({
        wallet: key.wallet,
        account: key.account,
        key_id: key.key_id,
        expires_at: key.expires_at,
        partner_agent: agent,
      })
    })

    it('unreadable, reports why and admits wallets if agents are not required', async () => {
      const own = await saying(new Error('https://rpc.example/secret-token refused'))
      const key = await own.signIn(newWallet())
      expect(key.partner_agent).toBeNull()
      expect(key.partner_check).toMatch(/could not be read/)
      expect(JSON.stringify(key)).not.toContain('secret-token')
    })

    it('required, admits agents only, and no wallet while unreadable', async () => {
      expect((await (await saying({ status: 'ok', agent }, true)).signIn(newWallet())).partner_agent).toEqual(
        agent,
      )
      const none = await saying({ status: 'ok', agent: null }, true)
      expect(await codeOf(none.signIn(newWallet()))).toBe('NOT_PARTNER_AGENT')
      const unread = await saying({ status: 'unreadable', why: 'no answer' }, true)
      const error = await refused(unread.signIn(newWallet()))
      expect(error).toMatchObject({ code: 'PARTNER_UNAVAILABLE', status: 503 })
      expect(error.retryAfterS).toBeGreaterThan(0)
    })
  })
}
