import { readFileSync } from 'node:fs'
import type { Address } from '@pit/chain'
import { CHAIN_ID, executorAttestationText } from '@pit/protocol'
import fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { fakeMarket } from '../../test/fakeMarket.ts'
import { fromViem } from '../account.ts'
import type { ClientDeps } from '../deps.ts'
import { isRefusal } from '../errors.ts'
import { openNode } from '../own/node.ts'
import { pinsOf } from '../pins.ts'
import { memoryRecords, openRecords } from '../records.ts'
import { grantLive, type LiveIntent } from './grantLive.ts'
import { createAgent } from './owners.ts'

const cosigner = privateKeyToAccount(`0x${'22'.repeat(32)}`)
const account = fromViem(privateKeyToAccount(`0x${'11'.repeat(32)}`))
const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')), {
  cosigner: cosigner.address as Address,
})
const EXECUTOR = `0x${'e'.repeat(40)}` as Address
const REQUEST = {
  brain: 'dca' as const,
  params: { usd: 5 },
  interval_s: 3_600,
  pairs: ['ETH/USDG'],
  mode: 'live' as const,
  limits: { max_trade_usd: 10, max_day_usd: 20, max_position_usd: 100 },
  accept_risks: ['LOW_LIQUIDITY' as never],
  shield: true,
}
const ASKED_TO_GRANT = new Error('a session was requested')

async function open(change: (agent: Record<string, unknown>) => void = () => {}) {
  const signature = await cosigner.signMessage({
    message: executorAttestationText({
      executor: EXECUTOR,
      owner: account.address,
      agentId: 'agt_1',
      chainId: CHAIN_ID,
    }),
  })
  const agent = {
    ...structuredClone(REQUEST),
    id: 'agt_1',
    executor: EXECUTOR,
    executor_attestation: { signature },
    terms: { accept_risks: ['LOW_LIQUIDITY'], shield: true, policies: ['block_flagged'] },
  }
  const created = structuredClone(agent)
  change(agent)
  const deps: ClientDeps = {
    api: {
      'hosted.create': async () => created,
      'hosted.get': async () => agent,
      'hosted.executor': async () => ({ executor_attestation: agent.executor_attestation }),
      'live.session.grant': async () => {
        throw ASKED_TO_GRANT
      },
    } as never,
    account,
    endingAccount: account,
    pins,
    rpc: openNode(fakeMarket([]), pins, () => 1_800_000_000_000),
    nowMs: () => 1_800_000_000_000,
    sleep: async () => {},
    records: openRecords(memoryRecords(), account.address),
    checked: async () => {},
  }
  return deps
}

/** `granted` once a session would be requested, else the refusal. */
async function outcomeOf(deps: ClientDeps, intent: LiveIntent = {}): Promise<string> {
  const error = await grantLive(deps, 'agt_1', intent).catch((one: unknown) => one)
  if (error === ASKED_TO_GRANT) return 'granted'
  if (isRefusal(error)) return error.rule ?? error.code
  throw error
}

describe('a live agent', () => {
  it('is granted a session when it is answered as it was created, or narrower', async () => {
    const deps = await open((agent) => {
      agent['limits'] = { max_trade_usd: 9, max_day_usd: 20, max_position_usd: 100 }
    })
    await createAgent(deps, REQUEST)
    expect(await outcomeOf(deps)).toBe('granted')
  })

  it('needs the owner’s limits when no record has them', async () => {
    const deps = await open()
    expect(await outcomeOf(deps)).toBe('INTENT_NEEDED')
    const intent = { pairs: ['ETH/USDG'], max_trade_usd: 10, max_day_usd: 20 }
    expect(await outcomeOf(deps, { ...intent, accept_risks: ['LOW_LIQUIDITY'] })).toBe('granted')
    expect(await outcomeOf(deps, intent), 'a risk that was not accepted').toBe('GRANT_CAPS')
    expect(await outcomeOf(deps, { ...intent, max_day_usd: 19 })).toBe('GRANT_CAPS')
  })

  it('is refused however it is answered wider than it was created', async () => {
    const more = fc.double({ min: 0.001, max: 1e9, noNaN: true })
    const wider = fc.oneof(
      fc
        .tuple(fc.constantFrom('max_trade_usd', 'max_day_usd', 'max_position_usd'), more)
        .map(([field, by]) => ({
          limits: { ...REQUEST.limits, [field]: REQUEST.limits[field as never] + by },
        })),
      fc.string({ minLength: 1 }).map((pair) => ({ pairs: ['ETH/USDG', pair] })),
      fc.string().map((risk) => ({
        terms: { accept_risks: ['LOW_LIQUIDITY', risk], shield: true },
      })),
      fc.constant({ terms: { accept_risks: [], shield: false } }),
    )
    await fc.assert(
      fc.asyncProperty(wider, async (change) => {
        const deps = await open((agent) => Object.assign(agent, change))
        await createAgent(deps, REQUEST)
        expect(await outcomeOf(deps)).toBe('GRANT_CAPS')
      }),
      { numRuns: 60 },
    )
  })

  it('is refused under another executor, or under the id of another agent', async () => {
    const stranger = await open((agent) => {
      agent['executor'] = `0x${'f'.repeat(40)}`
    })
    await createAgent(stranger, REQUEST)
    expect(await outcomeOf(stranger)).toBe('EXECUTOR_ATTESTATION')
    const other = { ...REQUEST, limits: { ...REQUEST.limits, max_day_usd: 1_000 } }
    await expect(createAgent(stranger, other)).rejects.toMatchObject({ rule: 'EXECUTOR_ATTESTATION' })
  })
})
