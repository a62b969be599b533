import type { Hex } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import type { DevnetProcess } from '../devnetProcess.ts'
import { startServerProcess } from '../serverProcess.ts'
import { refusedBy } from '../trading/expectRefusal.ts'
import { startFaultyNode } from '../trading/faultyNode.ts'
import { openTrader, type Plan, type Trader } from '../trading/trader.ts'
import { tradingEnv } from '../trading/world.ts'

interface Shared {
  devnet: DevnetProcess
  planFor(who: Trader): Promise<Plan>
  /** How often the sequencer received a transaction. */
  seen(hash: Hex): Promise<number>
}

/** Servers beside the one under test: one that does not relay, one whose node is on another chain. */
export function otherServers(shared: () => Shared): void {
  describe.concurrent('other servers', () => {
    it('that do not relay report it', async () => {
      const { devnet, planFor, seen } = shared()
      const quiet = await startServerProcess({ ...tradingEnv(devnet), SUBMIT_ENABLED: '0', ROLE: 'api' })
      try {
        const who = await openTrader(quiet.url, { account: 7 })
        const { raw, hash } = who.sign((await planFor(who)).tx!)
        const answer = await refusedBy(quiet.url, 'live.submit', { body: { raw_tx: raw }, key: who.key })
        expect(answer.summary).toBe('403 SUBMIT_DISABLED')
        expect(await seen(hash)).toBe(0)
      } finally {
        await quiet.stop()
      }
    })

    it('on a node of another chain do not start', async () => {
      const { devnet } = shared()
      const foreign = await startFaultyNode(devnet.url)
      foreign.set({ on: ({ method }) => method === 'eth_chainId', lie: () => '0x1' })
      const started = startServerProcess({ ...tradingEnv(devnet), CHAIN_RPC_URL: foreign.url })
      await expect(started).rejects.toThrow(/the chain has id 1/)
      await foreign.close()
    })
  })
}
