import { setTimeout as sleep } from 'node:timers/promises'
import { type Crypto, createCrypto, serializeSignature } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { type Answer, AUTH, isPitError } from '@pit/protocol'
import { parseSiweMessage, validateSiweMessage } from 'viem/siwe'
import { beforeAll, describe, expect, it } from 'vitest'
import { withDb } from '../../../test/withDb.ts'
import type { Caller } from '../../http/types.ts'
import { type Auth, type AuthOptions, openAuth } from './openAuth.ts'
import type { PartnerAgent, PartnerFinding } from './partner.ts'

const SITE = { authDomain: 'pit.example', publicUrl: 'https://pit.example' }
const CAPS = { signupsPerAddressDay: 1e6, signupsPerHour: 1e6, keysPerAddressDay: 1e6, keysPerHour: 1e6 }
const CONFIG = { ...SITE, requirePartnerAgent: false, caps: CAPS }
// A round hour, so that windows end where the tests say.
const START_S = 1_800_000_000 - (1_800_000_000 % 86_400) + 10 * 3_600

let crypto: Crypto
beforeAll(async () => {
  crypto = await createCrypto()
})

interface Wallet {
  address: `0x${string}`
  sign(message: string): `0x${string}`
}
let wallets = 0
function newWallet(): Wallet {
  const key = `0x${(++wallets).toString(16).padStart(64, '0')}` as const
  const address = crypto.addressOf(key)
  return { address, sign: (message) => serializeSignature(crypto.sign(crypto.hashMessage(message), key)) }
}

const clock = { ms: START_S * 1000, nowMs: () => clock.ms }
const later = (s: number) => {
  clock.ms += s * 1000
}
const caller = (address = '192.0.2.1'): Caller => ({ requestId: 'r', address, key: null })

async function openTestAuth(db: Db, options: Partial<AuthOptions> = {}) {
  const auth = await openAuth({ db, clock, crypto, isSanctioned: () => false, config: CONFIG, ...options })
  return { ...auth, ...driver(auth) }
}
type TestAuth = Awaited<ReturnType<typeof openTestAuth>>

type Body = Record<string, unknown>
function driver({ handlers }: Auth) {
  const call = async <T>(route: keyof typeof handlers, body: Body, by: Caller = caller()): Promise<T> => {
    const handler = handlers[route] as (call: object) => Promise<T>
    return handler({ params: {}, query: {}, body, caller: by })
  }
  return {
    call,
    challenge: (body: Body) => call<Answer<'auth.challenge'>>('auth.challenge', body),
    verify: (body: Body, by?: Caller) => call<Answer<'auth.verify'>>('auth.verify', body, by),
    revokeAll: (body: Body) => call<Answer<'auth.revoke_all'>>('auth.revoke_all', body),
    async signIn(wallet: Wallet, by?: Caller) {
      const { message, nonce } = await this.challenge({ address: wallet.address })
      return this.verify({ address: wallet.address, signature: wallet.sign(message), nonce }, by)
    },
  }
}

function signal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { give, given }
}

const refused = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('was not refused'),
    (error: unknown) => {
      if (!isPitError(error)) throw error
      return error
    },
  )
const codeOf = async (work: Promise<unknown>) => (await refused(work)).code

withDb('sign-in', (db, store) => {
  let auth: TestAuth
  beforeAll(async () => {
    auth = await openTestAuth(db)
  })

  describe('a challenge', () => {
    it('is an EIP-4361 message that another implementation reads and accepts', async () => {
      const wallet = newWallet()
      const challenge = await auth.challenge({ address: crypto.toChecksum(wallet.address) })
      const parsed = parseSiweMessage(challenge.message)
      expect(parsed).toMatchObject({
        domain: 'pit.example',
        address: crypto.toChecksum(wallet.address),
        uri: 'https://pit.example',
        version: '1',
        chainId: 4663,
        nonce: challenge.nonce,
        issuedAt: new Date(clock.ms),
        expirationTime: new Date(clock.ms + 300_000),
      })
      expect(parsed.statement).toBe(challenge.statement)
      expect(challenge.statement).toContain('Terms of Use')
      const time = new Date(clock.ms)
      expect(
        validateSiweMessage({ message: parsed, domain: 'pit.example', nonce: challenge.nonce, time }),
      ).toBe(true)
      expect(challenge).toMatchObject({
        address: wallet.address,
        domain: 'pit.example',
        chain_id: 4663,
        version: '1',
        issued_at: clock.ms / 1000,
        expires_at: clock.ms / 1000 + 300,
      })
    })

    it('has a nonce of its own', async () => {
      const wallet = newWallet()
      const nonces = await Promise.all(
        Array.from({ length: 20 }, async () => (await auth.challenge({ address: wallet.address })).nonce),
      )
      expect(new Set(nonces).size).toBe(20)
    })

    it('is refused while no domain is set', async () => {
      const off = await openTestAuth(db, { config: { ...CONFIG, authDomain: null } })
      const { address } = newWallet()
      expect(await codeOf(off.challenge({ address }))).toBe('AUTH_DOMAIN_UNSET')
      expect(await codeOf(off.verify({ address, signature: `0x${'11'.repeat(65)}` }))).toBe(
        'AUTH_DOMAIN_UNSET',
      )
      await off.close()
    })
  })

  describe('verify', () => {
    it('trades a signature for a key that works, and stores only its hash', async () => {
      const wallet = newWallet()
      const key = await auth.signIn(wallet)
      expect(key.api_key).toMatch(/^pit_w_[A-Za-z0-9_-]{43}$/)
      expect(key).toMatchObject({
        wallet: wallet.address,
        expires_at: clock.ms / 1000 + 2_592_000,
        partner_agent: null,
        account: { name: `${wallet.address.slice(0, 6)}...${wallet.address.slice(-4)}` },
      })
      expect(await auth.authenticateKey(key.api_key)).toEqual({
        keyId: key.key_id,
        accountId: key.account.id,
        wallet: wallet.address,
        expiresAtS: key.expires_at,
      })
      const dump = JSON.stringify(await db.query('select k::text from api_keys k'))
      expect(dump).not.toContain(key.api_key.slice(6))
    })

    it('keeps one account per wallet over many sign-ins, older keys live on', async () => {
      const wallet = newWallet()
      const first = await auth.signIn(wallet)
      const second = await auth.signIn(wallet)
      expect(second.account).toEqual(first.account)
      expect(second.key_id).not.toBe(first.key_id)
      expect(await auth.authenticateKey(first.api_key)).not.toBeNull()
    })

    it('takes the address in any case', async () => {
      const wallet = newWallet()
      const { message, nonce } = await auth.challenge({ address: wallet.address })
      const address = `0x${wallet.address.slice(2).toUpperCase()}`
      expect((await auth.verify({ address, signature: wallet.sign(message), nonce })).wallet).toBe(
        wallet.address,
      )
    })

    it('works once', async () => {
      const wallet = newWallet()
      const { message, nonce } = await auth.challenge({ address: wallet.address })
      const body = { address: wallet.address, signature: wallet.sign(message), nonce }
      await auth.verify(body)
      expect(await codeOf(auth.verify(body))).toBe('CHALLENGE_EXPIRED')
    })

    it('makes exactly one key of 64 verifies at once', async () => {
      const wallet = newWallet()
      const { message, nonce } = await auth.challenge({ address: wallet.address })
      const body = { address: wallet.address, signature: wallet.sign(message), nonce }
      const answers = await Promise.allSettled(
        Array.from({ length: 64 }, (_, i) => auth.verify(i % 2 ? body : { ...body, nonce: undefined })),
      )
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const answer of answers) {
        if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'CHALLENGE_EXPIRED' })
      }
      expect(await db.query('select id from api_keys where wallet = $1', [wallet.address])).toHaveLength(1)
      expect(await db.query('select id from accounts where wallet = $1', [wallet.address])).toHaveLength(1)
    })

    it('makes one account of first sign-ins at once', async () => {
      const wallet = newWallet()
      const challenges = await Promise.all(
        Array.from({ length: 5 }, () => auth.challenge({ address: wallet.address })),
      )
      const keys = await Promise.all(
        challenges.map(({ message, nonce }) =>
          auth.verify({ address: wallet.address, signature: wallet.sign(message), nonce }),
        ),
      )
      expect(new Set(keys.map(({ key_id }) => key_id)).size).toBe(5)
      expect(new Set(keys.map(({ account }) => account.id)).size).toBe(1)
    })

    it('ends after 300 s, to the second', async () => {
      const wallet = newWallet()
      const sign = async () => {
        const { message, nonce } = await auth.challenge({ address: wallet.address })
        return { address: wallet.address, signature: wallet.sign(message), nonce }
      }
      const early = await sign()
      later(299)
      await auth.verify(early)
      const late = await sign()
      later(300)
      expect(await codeOf(auth.verify(late))).toBe('CHALLENGE_EXPIRED')
    })

    it('without a nonce takes any open challenge', async () => {
      const wallet = newWallet()
      const challenges = []
      for (let i = 0; i < 5; i++) challenges.push(await auth.challenge({ address: wallet.address }))
      for (const { message } of [challenges[0], challenges[4], challenges[2]].filter(
        (c) => c !== undefined,
      )) {
        await auth.verify({ address: wallet.address, signature: wallet.sign(message) })
      }
      const left = await db.query<{ nonce: string }>(
        'select nonce from challenges where wallet = $1 and used_at_s is null order by id',
        [wallet.address],
      )
      expect(left.map(({ nonce }) => nonce)).toEqual([challenges[1]?.nonce, challenges[3]?.nonce])
    })

    it('drops the oldest of six open challenges', async () => {
      const wallet = newWallet()
      const first = await auth.challenge({ address: wallet.address })
      const rest = []
      for (let i = 0; i < 5; i++) rest.push(await auth.challenge({ address: wallet.address }))
      const verify = ({ message, nonce }: Answer<'auth.challenge'>) =>
        auth.verify({ address: wallet.address, signature: wallet.sign(message), nonce })
      expect(await codeOf(verify(first))).toBe('CHALLENGE_EXPIRED')
      for (const challenge of rest) await verify(challenge)
    })

    it('keeps to five open challenges when more come at once', async () => {
      const { address } = newWallet()
      // Each waits between adding its own and dropping the oldest, so that all would add before any drops.
      const slow: Db = {
        ...db,
        transaction: (run, options) =>
          db.transaction(
            (sql) =>
              run({
                async query<Row>(text: string, values?: readonly unknown[]) {
                  const rows = await sql.query<Row>(text, values)
                  if (text.startsWith('insert into challenges')) await sleep(50)
                  return rows
                },
              }),
            options,
          ),
      }
      const own = await openTestAuth(slow)
      await Promise.all(Array.from({ length: 9 }, () => own.challenge({ address })))
      const open = await db.query('select id from challenges where wallet = $1 and used_at_s is null', [
        address,
      ])
      expect(open).toHaveLength(AUTH.maxOpenChallengesPerWallet)
      await own.close()
    })

    it.each([
      ['another wallet’s', (message: string) => newWallet().sign(message)],
      ['one of another text', (message: string, wallet: Wallet) => wallet.sign(`${message} `)],
      ['zeros', () => `0x${'00'.repeat(65)}`],
      ['ones', () => `0x${'ff'.repeat(65)}`],
    ])('refuses a signature that is %s, and leaves the challenge open', async (_, forge) => {
      const wallet = newWallet()
      const { message, nonce } = await auth.challenge({ address: wallet.address })
      const forged = forge(message, wallet)
      const error = await refused(auth.verify({ address: wallet.address, signature: forged, nonce }))
      expect(error).toMatchObject({ code: 'BAD_SIGNATURE', status: 401 })
      await auth.verify({ address: wallet.address, signature: wallet.sign(message), nonce })
    })

    it('refuses a contract wallet’s signature with a word about it, and text that is none as such', async () => {
      const wallet = newWallet()
      await auth.challenge({ address: wallet.address })
      for (const signature of [`0x${'ab'.repeat(64)}`, `0x${'ab'.repeat(200)}`]) {
        const error = await refused(auth.verify({ address: wallet.address, signature }))
        expect(error).toMatchObject({ code: 'BAD_SIGNATURE', status: 401 })
        expect(error.message).toContain('EIP-1271')
      }
      const error = await refused(auth.verify({ address: wallet.address, signature: 'hello' }))
      expect(error).toMatchObject({ code: 'BAD_REQUEST', extras: { field: 'signature' } })
    })

    it('takes no challenge made for another domain', async () => {
      const wallet = newWallet()
      const elsewhere = await openTestAuth(db, { config: { ...CONFIG, authDomain: 'evil.example' } })
      const { message, nonce } = await elsewhere.challenge({ address: wallet.address })
      const body = { address: wallet.address, signature: wallet.sign(message), nonce }
      expect(await codeOf(auth.verify(body))).toBe('BAD_SIGNATURE')
      await elsewhere.close()
    })

    it('takes no other wallet’s nonce', async () => {
      const [mine, theirs] = [newWallet(), newWallet()]
      const { message, nonce } = await auth.challenge({ address: theirs.address })
      const body = { address: mine.address, signature: mine.sign(message), nonce }
      expect(await codeOf(auth.verify(body))).toBe('CHALLENGE_EXPIRED')
    })

    it('never mixes purposes', async () => {
      const wallet = newWallet()
      const forRevoking = await auth.challenge({ address: wallet.address, purpose: 'revoke-all' })
      const forSigningIn = await auth.challenge({ address: wallet.address, purpose: 'sign-in' })
      expect(forRevoking.statement).toMatch(/revoke/i)
      const signed = ({ message, nonce }: Answer<'auth.challenge'>) => ({
        address: wallet.address,
        signature: wallet.sign(message),
        nonce,
      })
      expect(await codeOf(auth.verify(signed(forRevoking)))).toBe('CHALLENGE_EXPIRED')
      expect(await codeOf(auth.verify({ ...signed(forRevoking), nonce: undefined }))).toBe('BAD_SIGNATURE')
      expect(await codeOf(auth.revokeAll(signed(forSigningIn)))).toBe('CHALLENGE_EXPIRED')
      await auth.verify(signed(forSigningIn))
      expect((await auth.revokeAll(signed(forRevoking))).revoked).toBe(1)
    })
  })

  describe('caps', () => {
    const capped = (caps: Partial<typeof CAPS>) =>
      openTestAuth(db, { config: { ...CONFIG, caps: { ...CAPS, ...caps } } })

    it('count new accounts per address and day, exactly, also at once', async () => {
      later(86_400)
      const own = await capped({ signupsPerAddressDay: 7 })
      const by = caller('198.51.100.7')
      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => own.signIn(newWallet(), by)))
      const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
      expect(answers.length - refusals.length).toBe(7)
      const untilMidnightS = 86_400 - ((clock.ms / 1000) % 86_400)
      for (const error of refusals) {
        expect(error).toMatchObject({ code: 'SIGNUP_CAPPED', status: 429, retryAfterS: untilMidnightS })
      }
      await own.signIn(newWallet(), caller('198.51.100.8'))
      later(untilMidnightS)
      await own.signIn(newWallet(), by)
      await own.close()
    })

    it('let a wallet with an account sign in past the cap on accounts, with the same challenge as before', async () => {
      const own = await capped({ signupsPerAddressDay: 1 })
      const by = caller('198.51.100.9')
      const wallet = newWallet()
      await own.signIn(wallet, by)
      await own.signIn(wallet, by)
      const stranger = newWallet()
      const { message, nonce } = await own.challenge({ address: stranger.address })
      const body = { address: stranger.address, signature: stranger.sign(message), nonce }
      expect(await codeOf(own.verify(body, by))).toBe('SIGNUP_CAPPED')
      await own.verify(body, caller('198.51.100.10'))
      await own.close()
    })

    it('count keys per address and day, a whole IPv6 /64 as one', async () => {
      const own = await capped({ keysPerAddressDay: 3 })
      const wallet = newWallet()
      for (const tail of ['1', 'abcd', 'ffff:1']) await own.signIn(wallet, caller(`2001:db8:0:1::${tail}`))
      const error = await refused(own.signIn(wallet, caller('2001:db8:0:1:9::9')))
      expect(error).toMatchObject({ code: 'KEYS_CAPPED', status: 429 })
      expect(error.retryAfterS).toBe(86_400 - ((clock.ms / 1000) % 86_400))
      await own.signIn(wallet, caller('2001:db8:0:2::1'))
      await own.close()
    })

    it('count keys of the whole service by the hour', async () => {
      later(3_600)
      const own = await capped({ keysPerHour: 5 })
      const answers = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) => own.signIn(newWallet(), caller(`203.0.113.${i}`))),
      )
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
      const error = await refused(own.signIn(newWallet(), caller('203.0.113.99')))
      const untilTheHourS = 3_600 - ((clock.ms / 1000) % 3_600)
      expect(error).toMatchObject({ code: 'KEYS_CAPPED', retryAfterS: untilTheHourS })
      later(untilTheHourS)
      await own.signIn(newWallet())
      await own.close()
    })
  })

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
      const by = { ...caller(), key: await own.authenticateKey(key.api_key) }
      expect(await own.call('auth.me', {}, by)).toEqual({
        wallet: key.wallet,
        account: key.account,
        key_id: key.key_id,
        expires_at: key.expires_at,
        partner_agent: agent,
      })
    })

    it('unread, says why and lets in where agents are not required', async () => {
      const own = await saying(new Error('https://rpc.example/secret-token refused'))
      const key = await own.signIn(newWallet())
      expect(key.partner_agent).toBeNull()
      expect(key.partner_check).toMatch(/could not be read/)
      expect(JSON.stringify(key)).not.toContain('secret-token')
    })

    it('required, lets in agents only, and no one while unread', async () => {
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

  it('refuses sanctioned wallets at both steps, but lets them revoke', async () => {
    const wallet = newWallet()
    const key = await auth.signIn(wallet)
    const { message, nonce } = await auth.challenge({ address: wallet.address })
    const own = await openTestAuth(db, { isSanctioned: (address) => address === wallet.address })
    const expected = { code: 'SANCTIONED', status: 451, extras: { field: 'address' } }
    const shouted = `0x${wallet.address.slice(2).toUpperCase()}`
    expect(await refused(own.challenge({ address: shouted }))).toMatchObject(expected)
    const body = { address: shouted, signature: wallet.sign(message), nonce }
    expect(await refused(own.verify(body))).toMatchObject(expected)
    const revoke = await own.challenge({ address: wallet.address, purpose: 'revoke-all' })
    const signature = wallet.sign(revoke.message)
    expect(await own.revokeAll({ address: wallet.address, signature, nonce: revoke.nonce })).toMatchObject({
      revoked: 1,
    })
    expect(await own.authenticateKey(key.api_key)).toBeNull()
    await own.close()
  })

  describe('a key', () => {
    it('ends 30 days after sign-in, though it was used just before', async () => {
      const key = await auth.signIn(newWallet())
      later(2_592_000 - 1)
      expect(await auth.authenticateKey(key.api_key)).not.toBeNull()
      later(1)
      expect(await auth.authenticateKey(key.api_key)).toBeNull()
    })

    it.each([
      '',
      'pit_w_',
      'nonsense',
      `pit_w_${'A'.repeat(43)}`,
      `pit_w_${'A'.repeat(44)}`,
      `PIT_W_${'A'.repeat(43)}`,
    ])('is not %j', async (text) => expect(await auth.authenticateKey(text)).toBeNull())

    it('stops at once when revoked, the others of its wallet do not', async () => {
      const wallet = newWallet()
      const [key, other] = [await auth.signIn(wallet), await auth.signIn(wallet)]
      const by = { ...caller(), key: await auth.authenticateKey(key.api_key) }
      expect(await auth.call('auth.revoke', {}, by)).toEqual({
        revoked: true,
        key_id: key.key_id,
        wallet: wallet.address,
      })
      expect(await auth.authenticateKey(key.api_key)).toBeNull()
      expect(await auth.authenticateKey(other.api_key)).not.toBeNull()
    })

    it('is not kept alive by a look-up that read it just before it was revoked', async () => {
      const key = await auth.signIn(newWallet())
      const known = await auth.authenticateKey(key.api_key)
      const [gate, read] = [signal(), signal()]
      let lookups = 0
      const slow: Db = {
        ...db,
        async query<Row>(text: string, values?: readonly unknown[]) {
          const rows = await db.query<Row>(text, values)
          if (lookups++ === 0) {
            read.give()
            await gate.given
          }
          return rows
        },
      }
      const own = await openTestAuth(slow)
      const early = own.authenticateKey(key.api_key)
      await read.given
      await own.call('auth.revoke', {}, { ...caller(), key: known })
      // Asked after the revocation: it may not join the look-up from before it, nor find what that one kept.
      expect(await own.authenticateKey(key.api_key)).toBeNull()
      gate.give()
      expect(await early).not.toBeNull()
      expect(await own.authenticateKey(key.api_key)).toBeNull()
      await own.close()
    })

    it('is asked of the store once for many requests', async () => {
      const key = await auth.signIn(newWallet())
      let queries = 0
      const counted: Db = {
        ...db,
        query: (text, values) => {
          queries++
          return db.query(text, values)
        },
      }
      const own = await openTestAuth(counted)
      await Promise.all(Array.from({ length: 50 }, () => own.authenticateKey(key.api_key)))
      for (let i = 0; i < 50; i++) expect(await own.authenticateKey(key.api_key)).not.toBeNull()
      expect(queries).toBe(1)
      await own.close()
    })
  })

  it('revoke-all ends every key of the wallet and says how many lived', async () => {
    const [wallet, bystander] = [newWallet(), newWallet()]
    const expired = await auth.signIn(wallet)
    later(2_592_000)
    const live = [await auth.signIn(wallet), await auth.signIn(wallet), await auth.signIn(wallet)]
    const others = await auth.signIn(bystander)
    const first = live[0]
    if (!first) throw new Error('no key')
    await auth.call('auth.revoke', {}, { ...caller(), key: await auth.authenticateKey(first.api_key) })
    const revoke = async () => {
      const { message, nonce } = await auth.challenge({ address: wallet.address, purpose: 'revoke-all' })
      return { address: wallet.address, signature: wallet.sign(message), nonce }
    }
    const body = await revoke()
    expect(await auth.revokeAll(body)).toMatchObject({ wallet: wallet.address, revoked: 2 })
    for (const { api_key } of [expired, ...live]) expect(await auth.authenticateKey(api_key)).toBeNull()
    expect(await auth.authenticateKey(others.api_key)).not.toBeNull()
    expect(await codeOf(auth.revokeAll(body))).toBe('CHALLENGE_EXPIRED')
    expect(await auth.revokeAll(await revoke())).toMatchObject({ revoked: 0 })
    expect(await auth.authenticateKey((await auth.signIn(wallet)).api_key)).not.toBeNull()
  })

  it('sweeps what no sign-in can need, and keeps the rest', async () => {
    later(5 * 86_400)
    const wallet = newWallet()
    const { message, nonce } = await auth.challenge({ address: wallet.address })
    expect(await auth.sweep()).toBeGreaterThan(10)
    expect(await db.query('select nonce from challenges')).toEqual([{ nonce }])
    expect(await db.query('select scope from issue_counts')).toEqual([])
    await auth.verify({ address: wallet.address, signature: wallet.sign(message), nonce })
    expect(await auth.sweep()).toBe(0)
  })

  it('heard of by another process on the same store at once', async ({ skip }) => {
    const { openSecond } = store()
    if (!openSecond) return skip('the embedded store has one process')
    const here = await openTestAuth(db)
    const there = await openTestAuth(await openSecond())
    const revokeHere = async (text: string) =>
      here.call('auth.revoke', {}, { ...caller(), key: await here.authenticateKey(text) })

    const key = await here.signIn(newWallet())
    expect(await there.authenticateKey(key.api_key)).not.toBeNull()
    await revokeHere(key.api_key)
    // The clock stands still: only the notification can tell the other process.
    await expect.poll(() => there.authenticateKey(key.api_key), { timeout: 1_000, interval: 5 }).toBeNull()

    // With the listener's connection cut nothing is kept, so nothing can be stale.
    const second = await here.signIn(newWallet())
    expect(await there.authenticateKey(second.api_key)).not.toBeNull()
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and datname = current_database()`,
    )
    await sleep(30)
    await revokeHere(second.api_key)
    expect(await there.authenticateKey(second.api_key)).toBeNull()

    // And without any message at all, a key is asked about again after a second.
    const third = await here.signIn(newWallet())
    await expect.poll(async () => (await there.authenticateKey(third.api_key)) !== null).toBe(true)
    await db.query('update api_keys set revoked_at_s = 1 where id = $1', [third.key_id])
    later(1)
    expect(await there.authenticateKey(third.api_key)).toBeNull()
    await here.close()
    await there.close()
  })
})
