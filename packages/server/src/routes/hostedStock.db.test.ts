import { serializeSignature } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { checkWith, schemas, stockAttestationText } from '@pit/protocol'
import { beforeEach, expect, it } from 'vitest'
import { emptyHosted, type HostedWorld, openHostedWorld } from '../../test/hostedWorld.ts'
import { codeOf, crypto, KEYS, type Role, refused, WHO } from '../../test/sessionWorld.ts'

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

withDb('the owner’s attestation for stock tokens', (db) => {
  let world: HostedWorld
  let agent: Awaited<ReturnType<HostedWorld['running']>>
  beforeEach(async () => {
    await emptyHosted(db)
    world = openHostedWorld(db)
    agent = await world.running()
  })
  type Terms = { session_id?: string; issued?: number; expires?: number }
  function signed(
    over: Terms = {},
    by: Role = 'owner',
    text: Partial<Parameters<typeof stockAttestationText>[0]> = {},
  ) {
    const body = {
      session_id: agent.session_id!,
      issued: world.nowS(),
      expires: world.nowS() + 3_600,
      ...over,
    }
    const message = stockAttestationText({
      agentId: agent.id,
      executor: agent.executor!,
      sessionId: body.session_id,
      rootHash: agent.session_root_hash!,
      issuedS: body.issued,
      expiresS: body.expires,
      chainId: 4663,
      ...text,
    })
    return { ...body, signature: serializeSignature(crypto.sign(crypto.hashMessage(message), KEYS[by])) }
  }
  const later = (s: number) => {
    world.clock.aheadS += s
  }

  it('is checked here and by the signer, and shown', async () => {
    const answer = await world.attest(agent, signed())
    expect(answer).toMatchObject({
      stock_attestation: {
        session_id: agent.session_id,
        issued: world.nowS(),
        expires: world.nowS() + 3_600,
        signed_at: world.nowS(),
        valid: true,
        why_not: null,
      },
      stock_attestation_not_before: world.nowS(),
    })
    expect(world.signer.stock.has(agent.executor as never)).toBe(true)
    expect((await world.logs(agent, { kinds: 'session' })).rows[0]).toMatchObject({ code: 'STOCK_ATTESTED' })
    later(3_600)
    expect(await world.get(agent)).toMatchObject({ stock_attestation: { valid: false, why_not: 'EXPIRED' } })
  })

  it('is revoked at once; a new one must be issued after that', async () => {
    await world.attest(agent, signed())
    later(10)
    expect(await world.unattest(agent)).toMatchObject({
      signer_revoked: true,
      stock_attestation: { valid: false, why_not: 'REVOKED' },
      stock_attestation_not_before: world.nowS(),
    })
    expect(world.signer.stock.size).toBe(0)
    expect(await refused(world.attest(agent, signed()))).toMatchObject({
      code: 'STOCK_ATTESTATION_OLD',
      status: 409,
    })
    later(1)
    expect(await world.attest(agent, signed())).toMatchObject({ stock_attestation: { valid: true } })
    expect(await codeOf(world.attest(agent, signed({ expires: world.nowS() + 4_000 })))).toBe(
      'STOCK_ATTESTATION_OLD',
    )
  })

  it('revoked while the signer is away is sent until the signer confirms', async () => {
    await world.attest(agent, signed())
    world.signer.reachable = false
    expect(await world.unattest(agent)).toMatchObject({
      signer_revoked: false,
      stock_attestation: { valid: false },
    })
    await world.hosted.sweep()
    expect(world.signer.stock.size).toBe(1)
    world.signer.reachable = true
    await world.hosted.sweep()
    expect(world.signer.stock.size).toBe(0)
    const untold = await db.query(
      'select executor from hosted_executors where stock_revoke_told_at_s is null',
    )
    expect(untold).toEqual([])
  })

  it('renewed before the signer learned of the revocation is not revoked by it later', async () => {
    await world.attest(agent, signed())
    world.signer.reachable = false
    await world.unattest(agent)
    world.signer.reachable = true
    later(1)
    await world.attest(agent, signed())
    await world.hosted.sweep()
    expect(world.signer.stock.size).toBe(1)
    expect(await world.get(agent)).toMatchObject({ stock_attestation: { valid: true } })
  })

  it('revoked while the signer was checking it is not stored', async () => {
    const { attestStock } = world.signer
    world.signer.attestStock = async (request) => {
      const answer = await attestStock(request)
      await world.unattest(agent)
      return answer
    }
    expect(await codeOf(world.attest(agent, signed()))).toBe('STOCK_ATTESTATION_OLD')
    expect(world.signer.stock.size).toBe(0)
    expect(await world.get(agent)).toMatchObject({ stock_attestation: null })
  })

  it('is valid for its session and executor only', async () => {
    await world.attest(agent, signed())
    const next = await world.grantTo(agent)
    await world.attach(agent, next)
    expect(await world.get(agent)).toMatchObject({
      stock_attestation: { valid: false, why_not: 'SESSION_CHANGED' },
    })
    await world.rotate(agent)
    expect(await world.get(agent)).toMatchObject({ stock_attestation: { why_not: 'EXECUTOR_CHANGED' } })
  })

  it('is rejected in the documented order', async () => {
    const paper = await world.create()
    expect(await codeOf(world.attest(paper, signed()))).toBe('PAPER_AGENT')
    expect(await codeOf(world.unattest(paper))).toBe('PAPER_AGENT')
    const fresh = await world.live()
    expect(await refused(world.attest(fresh, signed()))).toMatchObject({ code: 'NO_SESSION', status: 409 })
    const wrong = { session_id: 'ses_other', expires: world.nowS() }
    expect(await refused(world.attest(agent, { ...signed(), ...wrong }))).toMatchObject({
      code: 'SESSION_MISMATCH',
      status: 409,
    })
    later(86_400)
    expect(await codeOf(world.attest(agent, signed()))).toBe('SESSION_NOT_ACTIVE')
    later(-86_400)
    expect(await refused(world.attest(agent, signed({ expires: world.nowS() + 299 })))).toMatchObject({
      code: 'BAD_EXPIRY',
      status: 422,
    })
    expect(await codeOf(world.attest(agent, signed({ expires: world.nowS() + 86_401 })))).toBe('BAD_EXPIRY')
    const bare = openHostedWorld(db, { withSigner: false })
    expect(await codeOf(bare.attest(agent, signed({}, 'stranger')))).toBe('STOCK_ATTESTATION')
    expect(await refused(bare.attest(agent, signed()))).toMatchObject({
      code: 'SIGNER_REQUIRED',
      status: 503,
    })
    world.signer.reachable = false
    expect(await codeOf(world.attest(agent, signed()))).toBe('SIGNER_UNAVAILABLE')
    world.signer.reachable = true
    for (const code of ['SANCTIONED', 'BUSY', 'STOCK_ATTESTATION_OLD'] as const) {
      world.signer.refuses = code
      expect(await codeOf(world.attest(agent, signed()))).toBe(code)
    }
    world.signer.refuses = null
    const { signature } = signed()
    const v = Number.parseInt(signature.slice(-2), 16)
    const highS = (CURVE_ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const otherForms = {
      'v of 0 or 1': `${signature.slice(0, -2)}0${v - 27}`,
      'v of an EIP-155 transaction': `${signature.slice(0, -2)}25`,
      'high s': `${signature.slice(0, 66)}${highS}${v === 27 ? '1c' : '1b'}`,
      'no point of the curve': `0x${'11'.repeat(65)}`,
    }
    for (const [form, other] of Object.entries(otherForms)) {
      const error = await refused(world.attest(agent, { ...signed(), signature: other }))
      expect([error.code, error.status], form).toEqual(['STOCK_ATTESTATION', 422])
    }
    // State comes first.
    const late = { ...signed({ expires: world.nowS() + 299 }), signature: otherForms['high s'] }
    expect(await codeOf(world.attest(agent, late))).toBe('BAD_EXPIRY')
    for (const malformed of ['0x', '0x12', `0x${'11'.repeat(64)}`, `0x${'11'.repeat(66)}`])
      expect(checkWith(schemas.AttestStock, { ...signed(), signature: malformed })).toMatchObject({
        ok: false,
        code: 'BAD_REQUEST',
        field: 'signature',
      })
    world.signer.refusesStock = true
    expect(await refused(world.attest(agent, signed()))).toMatchObject({
      code: 'STOCK_ATTESTATION',
      status: 422,
      extras: { why: expect.stringContaining('no such root') },
    })
    expect(await db.query('select id from hosted_stock_attestations')).toEqual([])
    await world.stop(agent)
    expect(await codeOf(world.attest(agent, signed()))).toBe('STOPPED')
  })

  it.each([
    ['another agent', { agentId: 'agt_other' }],
    ['another executor', { executor: WHO.stranger }],
    ['another session', { sessionId: 'ses_other' }],
    ['another root', { rootHash: `0x${'ab'.repeat(32)}` }],
    ['another issue time', { issuedS: 1_700_000_000 }],
    ['another end', { expiresS: 1_900_000_000 }],
    ['another chain', { chainId: 1 }],
  ])('over %s is invalid', async (_, text) => {
    expect(await refused(world.attest(agent, signed({}, 'owner', text)))).toMatchObject({
      code: 'STOCK_ATTESTATION',
      status: 422,
    })
    expect(world.signer.stock.size).toBe(0)
  })
})
