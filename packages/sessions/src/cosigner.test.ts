import { startLoop } from '@pit/platform/clock'
import { createManualClock } from '@pit/platform/test/manualClock'
import { refusal } from '@pit/protocol'
import { SignerUnreachable } from '@pit/signer-wire'
import { describe, expect, it } from 'vitest'
import { createCosigner, LostAnswer } from './cosigner.ts'
import { addressJob } from './jobs.ts'

const ADDRESS = `0x${'Ab'.repeat(20)}` as const
const quiet = { warn: () => {}, error: () => {} }
type Client = NonNullable<Parameters<typeof createCosigner>[0]['client']>

const clientOf = (over: Partial<Client> = {}): Client => ({
  health: async () => ({ status: 'ok', cosigner: ADDRESS, frozen: false, version: 't' }),
  registerRoot: async () => ({ root_hash: '0x', registered: true }),
  cosign: async () => ({}) as never,
  registerOrders: async () => ({}) as never,
  cancelOrders: async () => ({ receipts: [] }),
  rehearse: async () => ({}) as never,
  revokeRoot: async () => ({ revoked: true, revoked_at: 1 }),
  root: async () => ({}) as never,
  levels: async () => ({ levels: [] }),
  settleLeaf: async () => ({ state: 'open', received: null, settled_at: null }),
  close: () => {},
  ...over,
})
const open = (client: Client | null, pinned: `0x${string}` | null = null) =>
  createCosigner({ client, pinned, logger: quiet })
const down = new SignerUnreachable('down')
const refuses = (error: Error) => () => Promise.reject(error)

describe('address of the co-signer', () => {
  it('is reported by the signer', async () => {
    const cosigner = open(clientOf())
    expect(cosigner.currentAddress()).toBeNull()
    expect(await cosigner.address()).toBe(ADDRESS.toLowerCase())
    expect(cosigner.currentAddress()).toBe(ADDRESS.toLowerCase())
  })
  it('must be the one pinned in the profile', async () => {
    const pinned = `0x${'cd'.repeat(20)}` as const
    const cosigner = open(clientOf(), pinned)
    await expect(cosigner.address()).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
    expect(cosigner.currentAddress()).toBe(pinned)
  })
  it('is requested again until the signer answers', async () => {
    const clock = createManualClock()
    let [answers, calls] = [false, 0]
    const { health } = clientOf()
    const client = clientOf({
      health() {
        calls++
        return answers ? health() : Promise.reject(down)
      },
    })
    const cosigner = open(client)
    const loop = startLoop({ ...addressJob({ cosigner, clock }), clock })
    await clock.advance(1_500)
    expect(cosigner.currentAddress()).toBeNull()
    answers = true
    await clock.advance(1_500)
    expect(cosigner.currentAddress()).toBe(ADDRESS.toLowerCase())
    // Later calls only verify that it is unchanged.
    expect(calls).toBe(3)
    await clock.advance(30_000)
    expect(calls).toBe(4)
    await loop.stop()
  })
})

describe('a signer that', () => {
  it('is missing is reported, and revokes nothing', async () => {
    const cosigner = open(null)
    await expect(cosigner.address()).rejects.toMatchObject({ code: 'SIGNER_REQUIRED' })
    await expect(cosigner.cosign({} as never)).rejects.toMatchObject({ code: 'SIGNER_REQUIRED' })
    expect(await cosigner.revoke('0x')).toBeNull()
    expect(await cosigner.root('0x')).toBeUndefined()
  })
  it('is frozen or silent fails the health check', async () => {
    await expect(open(clientOf()).check()).resolves.toBeUndefined()
    await expect(open(clientOf({ health: refuses(down) })).check()).rejects.toThrow('down')
    const health = async () => ({ status: 'ok' as const, cosigner: ADDRESS, frozen: true, version: 't' })
    await expect(open(clientOf({ health })).check()).rejects.toThrow('frozen')
  })
  it('does not answer is SIGNER_UNAVAILABLE; a lost leaf response is a separate error', async () => {
    const cosigner = open(
      clientOf({ registerRoot: refuses(down), cosign: refuses(down), root: refuses(down) }),
    )
    await expect(cosigner.register({} as never)).rejects.toMatchObject({
      code: 'SIGNER_UNAVAILABLE',
      retryAfterS: 5,
    })
    await expect(cosigner.cosign({} as never)).rejects.toBeInstanceOf(LostAnswer)
    expect(await cosigner.root('0x')).toBeUndefined()
    const refusedPort = new SignerUnreachable('x', { nothingSent: true })
    const gone = open(clientOf({ cosign: refuses(refusedPort) }))
    await expect(gone.cosign({} as never)).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
  })
  it('fails with an internal error may have counted, so this is not a refusal', async () => {
    for (const error of [refusal('ENGINE_UNAVAILABLE'), refusal('KILLED')]) {
      await expect(open(clientOf({ cosign: refuses(error) })).cosign({} as never)).rejects.toBeInstanceOf(
        LostAnswer,
      )
    }
    // The signer sends this one before doing anything.
    const busy = open(clientOf({ cosign: refuses(refusal('BUSY')) }))
    await expect(busy.cosign({} as never)).rejects.toMatchObject({ code: 'BUSY' })
    const torn = open(clientOf({ registerRoot: refuses(refusal('ENGINE_UNAVAILABLE')) }))
    await expect(torn.register({} as never)).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
  })
  it('refuses is passed on with its checks, if the route declares the code', async () => {
    const signer_checks = [{ rule: 'SLIPPAGE', ok: false, message: 'x' }]
    const cosigner = open(
      clientOf({
        cosign: refuses(refusal('SLIPPAGE', { signer_checks })),
        registerRoot: refuses(refusal('KILLED')),
      }),
    )
    await expect(cosigner.cosign({} as never)).rejects.toMatchObject({
      code: 'SLIPPAGE',
      extras: { signer_checks },
    })
    await expect(cosigner.register({} as never)).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
    // For an executor that the signer holds, its own code for the same refusal.
    const hosted = open(clientOf({ cosign: refuses(refusal('TRADE_REFUSED', { signer_checks })) }))
    await expect(hosted.cosign({} as never)).rejects.toMatchObject({
      code: 'TRADE_REFUSED',
      status: 422,
      extras: { signer_checks },
    })
  })
})
