import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../e2e/serverProcess.ts'

const WITHIN_S = 600
/** New tokens come with the next read of the pools. */
const EMPTY_FOR_S = 5

/** A fresh server screens every token of the market once. Benches wait for the end, to leave that work out. */
export async function watchScreening(): Promise<{ env: Record<string, string>; ended(): Promise<void> }> {
  const metricsPort = await freePort()
  return {
    env: { METRICS_PORT: String(metricsPort), SCREEN_PAUSE_MS: '10' },
    async ended() {
      const endMs = performance.now() + WITHIN_S * 1_000
      for (let emptyForS = 0; emptyForS < EMPTY_FOR_S; ) {
        await sleep(1_000)
        const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
        const waiting = Number(/^pit_token_screen_queue (\d+)/m.exec(text)?.[1] ?? 1)
        emptyForS = waiting === 0 ? emptyForS + 1 : 0
        if (performance.now() > endMs) throw new Error(`${waiting} tokens still wait for a screen`)
      }
    },
  }
}
