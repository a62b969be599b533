import type { Hex } from '@pit/chain'
import { isRefusal } from '@pit/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom, type Random } from '../fuzz/random.ts'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { type Lie, randomLie, structuredLies } from './lies.ts'
import { keyOf, type Recording, record, replay, type Scenario, type Stage } from './replay.ts'
import { otherEffect } from './sameEffect.ts'
import { openScenarios } from './scenarios.ts'

// A lying server: the client signs nothing with another effect than the request. A hundred thousand lies by
// hand: CLIENT_LIES=100000 npx vitest run --project e2e e2e/client/lyingServer.test.ts

const LIES = Number(process.env['CLIENT_LIES'] ?? 1_500)
const SEED = Number(process.env['SEED'] ?? 7)
/** Runs the scenarios whose name contains this. */
const SCENARIO = process.env['SCENARIO'] ?? ''
const DOMAIN = 'pit.test'
/** Plans are recorded again before their deadline passes. */
const FRESH_MS = 45_000

let world: SessionWorld
let stage: Stage
let scenarios: Scenario[]
beforeAll(async () => {
  world = await openSessionWorld({
    server: { AUTH_DOMAIN: DOMAIN, FAST_ENABLED: '1', SEAL_KEY: '5e'.repeat(32) },
  })
  const { url } = world.server
  const { session } = (await (await fetch(`${url}/api/v1/config`)).json()) as {
    session: { cosigner: string }
  }
  const profile = { ...world.profile, cosigner: session.cosigner }
  stage = { serverUrl: url, nodeUrl: world.devnet.url, domain: DOMAIN, profile }
  scenarios = (await openScenarios(world, stage)).filter(({ name }) => name.includes(SCENARIO))
})
afterAll(() => world?.close())

/** Lies about a recording by their number: every structured one if there is room, then random ones. */
function lieMaker({ answers }: Recording, scenario: Scenario, count: number) {
  // The config is the same for all scenarios, so it gets fewer lies.
  const about = answers.flatMap(({ body, path }, at) => (path.endsWith('/config') ? [] : [{ body, at }]))
  const everywhere = answers.map(({ body }, at) => ({ body, at }))
  const all = about.flatMap(({ body, at }) => structuredLies(body).map((lie) => ({ at, ...lie })))
  const room = Math.floor(count * 0.6)
  const structured = all.length <= room ? all : all.filter(({ isMoney }) => isMoney)
  const share = Math.min(structured.length, room)
  return (i: number, random: Random): { at: number } & Lie => {
    if (i < share) {
      const { at, tell } = structured[Math.floor((i * structured.length) / share)]!
      return { at, ...tell() }
    }
    const { at, body } = random.pick(random.chance(0.05) ? everywhere : about)
    if (scenario.lie && random.chance(0.5))
      return { at, path: 'of its class', answer: scenario.lie(body, random) }
    return { at, ...randomLie(body, random) }
  }
}

it(
  `signs nothing but the request, whatever the server answers: ${LIES} lies`,
  async () => {
    const each = Math.ceil(LIES / scenarios.length)
    const differing: string[] = []
    const totals = new Map<string, number>()
    const startedMs = Date.now()
    for (const [n, scenario] of scenarios.entries()) {
      const signatures = new Map<string, Hex>()
      const scenarioMs = Date.now()
      let honest = await recordSigning(scenario, signatures)
      const outcomes = new Map<string, number>()
      const note = (outcome: string) => {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        totals.set(outcome, (totals.get(outcome) ?? 0) + 1)
      }
      const random = createRandom(SEED + n)
      let make = lieMaker(honest, scenario, each)
      for (let i = 0; i < each; i++) {
        if (scenario.ages && Date.now() - honest.nowMs > FRESH_MS) {
          honest = await recordSigning(scenario, signatures)
          make = lieMaker(honest, scenario, each)
        }
        const lie = make(i, random)
        const replayed = await replay(stage, scenario, honest, lie, signatures)
        const where = `${scenario.name}: ${honest.answers[lie.at]?.path} ${lie.path}`
        const faults = faultsOf(replayed, honest, scenario)
        for (const fault of faults) differing.push(`${where}: ${fault}`)
        if (faults.length > 0 && differing.length < 40) console.log(differing.at(-1))
        note(outcomeOf(replayed))
      }
      const tookMs = Math.round((Date.now() - scenarioMs) / each)
      console.log(`${scenario.name}, ${tookMs} ms each`, Object.fromEntries([...outcomes].sort()))
      expect(outcomes.size, `${scenario.name}: lies that change nothing`).toBeGreaterThan(1)
    }
    const tookS = Math.round((Date.now() - startedMs) / 1000)
    console.log(`${LIES} lies (seed ${SEED}) in ${tookS} s`, Object.fromEntries([...totals].sort()))
    expect(differing.slice(0, 20), `${differing.length} differ`).toEqual([])
  },
  120_000 + LIES * 60,
)

/** A recording in which the honest server's answers were accepted; an overloaded server gets two more tries. */
async function recordSigning(scenario: Scenario, signatures: Map<string, Hex>): Promise<Recording> {
  for (let tries = 1; ; tries++) {
    const recording = await record(stage, scenario, signatures)
    const isComplete = recording.answers.some(({ path }) => !path.endsWith('/config'))
    if (scenario.accepted && recording.result instanceof Error) throw recording.result
    if (isComplete && (scenario.signs === false || recording.signed.length > 0)) return recording
    const why = String((recording.result as Error)?.message ?? '')
    if (tries === 3) throw new Error(`${scenario.name}: no honest recording: ${why}`)
  }
}

type Replayed = Awaited<ReturnType<typeof replay>>

/** Forbidden effects of a lie. */
function faultsOf({ result, signed }: Replayed, honest: Recording, { accepted }: Scenario): string[] {
  const faults = signed.flatMap((one) => otherEffect(stage.profile, honest.signed, one) ?? [])
  if (signed.length > honest.signed.length) faults.push('more signatures than an honest server requests')
  if (result instanceof Error && !isRefusal(result)) faults.push(`not a refusal: ${result.stack}`)
  // An accepted answer names the same executor and refund as an honest one.
  const money = (one: unknown) => {
    const { executor, raw } = (one ?? {}) as { executor?: unknown; raw?: unknown }
    return keyOf([executor, raw])
  }
  if (!(result instanceof Error) && signed.length === 0 && money(result) !== money(honest.result))
    faults.push(`taken as ${money(result)}`)
  if (accepted && !(result instanceof Error) && accepted(result) !== accepted(honest.result))
    faults.push(`taken as ${accepted(result)}`)
  return faults
}

/** A refusal by its rule or code; otherwise signed or accepted as requested. */
function outcomeOf({ result, signed }: Replayed): string {
  if (!isRefusal(result)) return signed.length > 0 ? 'signed as requested' : 'accepted as requested'
  return signed.length > 0 ? `signed as requested, then ${result.code}` : (result.rule ?? result.code)
}
