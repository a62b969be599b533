/**
 * Co-signing over HTTP by the running signer: concurrent calls over many sessions, each with its
 * ledger row committed before its answer. Processor time is of the whole process, store included, so leaves
 * for each second of it are what one core does. node scripts/build.mjs && node dist/bench/cosign.js
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { honestSwap } from '../e2e/escape/honest.ts'
import { openWorld } from '../e2e/escape/world.ts'

const SECONDS = Number(process.env['SECONDS'] ?? 10)
const UNDER_WAY = Number(process.env['UNDER_WAY'] ?? 64)
const SESSIONS = Number(process.env['SESSIONS'] ?? 64)
const TARGET = 500
const PREPARED = 512
const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

const world = await openWorld({ seed: 1 })
try {
  const sessions = Array.from({ length: SESSIONS }, () => world.grant({ curves: [] }))
  for (const session of sessions) await world.register(session)
  const trades = Array.from({ length: PREPARED }, (_, i) => {
    const { session, execution } = honestSwap(world, sessions[i % SESSIONS]!)
    return { root_hash: session.rootHash, execution }
  })
  const { client, pid } = world.signer
  const processorS = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S
  }

  async function run(seconds: number, underWay: number) {
    const times: number[] = []
    let refused = 0
    let next = 0
    const until = performance.now() + 1000 * seconds
    const [startedAt, processorBefore] = [performance.now(), processorS()]
    await Promise.all(
      Array.from({ length: underWay }, async () => {
        while (performance.now() < until) {
          const askedAt = performance.now()
          const trade = trades[next++ % PREPARED]!
          await client.cosign(trade).then(
            () => times.push(performance.now() - askedAt),
            () => refused++,
          )
        }
      }),
    )
    const wallS = (performance.now() - startedAt) / 1000
    const usedS = processorS() - processorBefore
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(1)
    console.log(
      `${underWay} concurrent: ${(times.length / wallS).toFixed(0)} leaves/s, ` +
        `${(times.length / usedS).toFixed(0)} for a second of one core ` +
        `(${((100 * usedS) / wallS).toFixed(0)}% used); p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${refused} ` +
        'refused',
    )
    return times.length / usedS
  }

  await run(2, UNDER_WAY)
  await run(SECONDS / 2, 1)
  const perCore = await run(SECONDS, UNDER_WAY)
  console.log(`${perCore >= TARGET ? 'met' : 'MISSED'}: at least ${TARGET} leaves a second on one core`)
} finally {
  await world.close()
}
