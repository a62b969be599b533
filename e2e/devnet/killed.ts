import { setTimeout as sleep } from 'node:timers/promises'
import { createPublicClient, createWalletClient, defineChain, type Hex, http, parseEther } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { seedDevnet } from '../devnetSeed.ts'
import { MNEMONIC } from '../trading/trader.ts'
import { launch, newDir, profileOf, rpc, start, stop } from './running.ts'

// More by hand: KILL_ROUNDS=20 npx vitest run --project e2e e2e/devnet.test.ts
const KILL_ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 2)
/** Number of receipts before a kill. */
const SEEN_A_ROUND = 5

export function killed(): void {
  describe('kill -9 under load', () => {
    it(
      `keeps every transaction whose receipt was seen, ${KILL_ROUNDS} rounds`,
      async () => {
        const dir = newDir()
        await seedDevnet(dir)
        const account = mnemonicToAccount(MNEMONIC, { addressIndex: 8 })
        const seen = new Map<Hex, Hex>()
        for (let round = 0; round <= KILL_ROUNDS; round++) {
          const devnet = await start({ DATA_DIR: dir, MARKET_RATE: '30' })
          const chain = defineChain({
            id: 4663,
            name: 'devnet',
            nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
            rpcUrls: { default: { http: [devnet.url] } },
          })
          const reader = createPublicClient({ chain, transport: http(undefined, { retryCount: 0 }) })
          const wallet = createWalletClient({ chain, transport: http(undefined, { retryCount: 0 }), account })
          for (const [hash, blockHash] of seen) {
            expect((await reader.getTransactionReceipt({ hash })).blockHash).toBe(blockHash)
          }
          if (round === KILL_ROUNDS) {
            await stop(devnet, 'SIGKILL')
            break
          }
          const targetCount = seen.size + SEEN_A_ROUND
          let killed = false
          let failed: unknown
          const loadUntilKilled = async () => {
            while (!killed) {
              const hash = await wallet.sendTransaction({ to: account.address, value: parseEther('0.001') })
              // Polled directly, because waitForTransactionReceipt would wait forever on a killed devnet.
              while (!killed && !seen.has(hash)) {
                const receipt = await reader.getTransactionReceipt({ hash }).catch(() => null)
                if (receipt) seen.set(hash, receipt.blockHash)
                else await sleep(20)
              }
            }
          }
          const load = loadUntilKilled().catch((error) => {
            if (!killed) failed = error
          })
          while (seen.size < targetCount && failed === undefined) await sleep(10)
          // A random moment between two blocks.
          await sleep(Math.random() * 100)
          expect(failed).toBeUndefined()
          const gone = stop(devnet, 'SIGKILL')
          killed = true
          await gone
          await load
        }
        expect(seen.size).toBeGreaterThanOrEqual(KILL_ROUNDS * SEEN_A_ROUND)
      },
      60_000 + KILL_ROUNDS * 60_000,
    )

    it('restarts after an interrupted deployment', async () => {
      const dir = newDir()
      const { child, lines, exited } = launch({ DATA_DIR: dir })
      while (!lines.some((line) => line.includes('deploying'))) await sleep(20)
      await sleep(700)
      child.kill('SIGKILL')
      await exited
      const devnet = await start({ DATA_DIR: dir })
      expect(
        await rpc<Hex>(devnet.url, 'eth_getCode', [profileOf(dir).contracts.universal_router, 'latest']),
      ).not.toBe('0x')
      await stop(devnet, 'SIGKILL')
    })
  })
}
