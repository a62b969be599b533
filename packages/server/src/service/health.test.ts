import { expect, it } from 'vitest'
import { createHealth, type Probe } from './health.ts'
import { probesOf } from './probesOf.ts'

const probe = (name: string, required: boolean, check: () => Promise<void> | void): Probe => ({
  name,
  required,
  check,
})
const fine = () => {}
const broken = () => {
  throw new Error('refused')
}

it('is down before the first probe', () => {
  const health = createHealth({ probes: [probe('store', true, fine)] })
  expect(health.report()).toEqual({ status: 'down', checks: { store: 'unknown' } })
})

it('is ok if all answer, degraded without an optional one, down without a required one', async () => {
  const state = { store: fine as () => void, chain: fine as () => void }
  const health = createHealth({
    probes: [probe('store', true, () => state.store()), probe('chain', false, () => state.chain())],
  })
  expect((await health.refresh()).status).toBe('ok')
  state.chain = broken
  expect(await health.refresh()).toEqual({ status: 'degraded', checks: { store: 'ok', chain: 'impaired' } })
  state.store = broken
  expect((await health.refresh()).status).toBe('down')
})

it('does not report dependencies that are still starting, but those that stay away or fail', async () => {
  const changes: string[] = []
  const state = { signer: broken as () => void, chain: fine as () => void }
  const health = createHealth({
    probes: [probe('signer', false, () => state.signer()), probe('chain', false, () => state.chain())],
    quietRounds: 2,
    onChange: (name, now) => changes.push(`${name} ${now}`),
  })
  expect((await health.refresh()).checks).toEqual({ signer: 'impaired', chain: 'ok' })
  state.chain = broken
  await health.refresh()
  expect(changes).toEqual(['chain ok', 'chain impaired'])
  await health.refresh()
  expect(changes.slice(2)).toEqual(['signer impaired'])
  state.signer = fine
  await health.refresh()
  expect(changes.slice(3)).toEqual(['signer ok'])
})

it('reports a hanging probe as impaired, and logs it once', async () => {
  const changes: string[] = []
  const health = createHealth({
    probes: [probe('chain', false, () => new Promise(() => {}))],
    timeoutMs: 5,
    onChange: (name, state, why) => changes.push(`${name} ${state}: ${why}`),
  })
  await health.refresh()
  await health.refresh()
  expect(changes).toEqual(['chain impaired: no response within 5 ms'])
})

it.each(['sequencer', 'clock', 'sanctions', 'checkSigner', 'checkAudit', 'checkGateway'] as const)(
  'is degraded without its %s',
  async (lacking) => {
    const nowS = 1_800_000_000
    const takenAtS = lacking === 'sanctions' ? nowS - 48 * 3_600 - 1 : nowS
    const probes = probesOf({
      profile: { kind: 'mainnet' },
      fleet: { isClockOff: () => lacking === 'clock' },
      db: { ping: async () => {} },
      rpc: {
        request: async () =>
          ({ number: '0x1', hash: '0xab', parentHash: '0xaa', timestamp: `0x${nowS.toString(16)}` }) as never,
      },
      clock: { nowMs: () => nowS * 1_000 },
      sanctions: { state: () => ({ status: 'ok', takenAtS }) },
      market: { head: () => ({ timestampS: nowS }) as never, unreadMarks: () => 0 },
      redis: null,
      ...{ checkSigner: async () => {}, checkAudit: async () => {}, checkGateway: async () => {} },
      sequencer: { check: async () => (lacking === 'sequencer' ? broken() : undefined) },
      ...(lacking.startsWith('check') && { [lacking]: async () => broken() }),
    })
    const { status, checks } = await createHealth({ probes }).refresh()
    expect(status).toBe('degraded')
    const impaired = Object.keys(checks).filter((name) => checks[name] !== 'ok')
    expect(impaired).toEqual([lacking.replace('check', '').toLowerCase()])
  },
)
