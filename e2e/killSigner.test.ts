import { setTimeout as sleep } from 'node:timers/promises'
import { type Cosigned, SignerUnreachable } from '@pit/signer-wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { honestTrade } from './escape/honest.ts'
import { type Granted, openWorld, type World } from './escape/world.ts'

// A hundred by hand: KILL_ROUNDS=100 npx vitest run --project e2e e2e/killSigner.test.ts
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 2)
const CLIENTS = 12
const SESSIONS = 4

let world: World
beforeAll(async () => {
  world = await openWorld({ seed: 4663 })
}, 300_000)
afterAll(() => world?.close())

interface Tally {
  session: Granted
  answered: Cosigned[]
  /** Calls whose answer was lost with the process: counted or not. */
  lost: number
}

/** Trades until the process is gone; any other failure is a problem. */
async function tradeOn(tally: Tally, problems: string[]): Promise<void> {
  const { session } = tally
  for (;;) {
    const trade = honestTrade(world, session)
    try {
      tally.answered.push(
        await world.signer.client.cosign({
          root_hash: session.rootHash,
          execution: trade.execution,
          ...(trade.kind === 'curve' && { curve_fee: { amount_wei: trade.feeWei } }),
        }),
      )
    } catch (error) {
      if (!(error instanceof SignerUnreachable)) problems.push(`${error}`)
      tally.lost++
      return
    }
  }
}

test(`never counts less than it answered, in ${ROUNDS} kills`, { timeout: 3_600_000 }, async () => {
  const problems: string[] = []
  let answered = 0
  let lost = 0
  for (let round = 0; round < ROUNDS; round++) {
    const tallies: Tally[] = []
    for (let i = 0; i < SESSIONS; i++) {
      const session = world.grant()
      await world.register(session)
      tallies.push({ session, answered: [], lost: 0 })
    }
    const clients = Array.from({ length: CLIENTS }, (_, i) => tradeOn(tallies[i % SESSIONS]!, problems))
    while (tallies.some((tally) => tally.answered.length < 25)) await sleep(5)
    await sleep(Math.random() * 60)
    await world.killSigner()
    await Promise.all(clients)
    await world.restartSigner()

    for (const { session, answered: leaves, lost: unanswered } of tallies) {
      const { sequence, spend } = await world.signer.client.root(session.rootHash)
      const sum = leaves.reduce((total, leaf) => total + leaf.spend.this_micro_usd, 0)
      const numbers = new Set(leaves.map((leaf) => leaf.sequence))
      if (numbers.size !== leaves.length) problems.push(`round ${round}: a number was given twice`)
      if (sequence < Math.max(...numbers))
        problems.push(`round ${round}: leaf ${Math.max(...numbers)} is not counted`)
      if (sequence < leaves.length || sequence > leaves.length + unanswered)
        problems.push(`round ${round}: ${leaves.length} answered, ${unanswered} lost, ${sequence} counted`)
      if (spend.day_micro_usd < sum)
        problems.push(`round ${round}: ${sum} answered, ${spend.day_micro_usd} counted`)
      answered += leaves.length
      lost += unanswered
    }
    expect(problems).toEqual([])
  }
  console.log(`${ROUNDS} kills, ${answered} leaves answered, ${lost} answers lost with the signer`)
})
