import type { ServerProcess } from '../../e2e/serverProcess.ts'
import { openTrader, type Plan } from '../../e2e/trading/trader.ts'
import { post, quantile } from './measure.ts'

const PAIRS = [
  { token_in: 'ETH', token_out: 'cbBTC', notional_usd: 20 },
  { token_in: 'ETH', token_out: 'USDG', amount_in: (2n * 10n ** 16n).toString() },
]

export interface PrepareLoad {
  text: string
  p50Ms: number
  p99Ms: number
  answered: number
  refused: number
  /** Seconds since the beginning and duration of the slowest hundredth. */
  slowest: { atS: number; ms: number }[]
}

/** This many prepares a second by four accounts, whether or not earlier ones are answered. */
export async function prepareLoad(
  server: ServerProcess,
  { seconds, perS }: { seconds: number; perS: number },
): Promise<PrepareLoad> {
  const traders = await Promise.all([4, 5, 6, 7].map((account) => openTrader(server.url, { account })))
  const took: { atS: number; ms: number }[] = []
  const refused: Record<string, number> = {}
  let rssMb = 0
  const underWay = new Set<Promise<void>>()
  const startedAt = performance.now()
  for (let i = 0; i < seconds * perS; i++) {
    const atMs = (i * 1000) / perS
    const wait = startedAt + atMs - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const trader = traders[i % traders.length]!
    const one = post<Plan & { error?: { code: string } }>(
      `${server.url}/api/v1/live/prepare`,
      { wallet: trader.wallet, ...PAIRS[i % 2] },
      { authorization: `Bearer ${trader.key}` },
    )
      .then(({ status, body, ms }) => {
        took.push({ atS: atMs / 1000, ms })
        const code = body.error?.code ?? `${status}`
        if (status !== 200) refused[code] = (refused[code] ?? 0) + 1
      })
      .finally(() => underWay.delete(one))
    underWay.add(one)
    if (i % perS === 0) rssMb = Math.max(rssMb, server.rssBytes() / 2 ** 20)
  }
  await Promise.all(underWay)
  const tookS = (performance.now() - startedAt) / 1000
  const times = took.map(({ ms }) => ms)
  const [p50Ms, p99Ms] = [quantile(times, 0.5), quantile(times, 0.99)]
  return {
    p50Ms,
    p99Ms,
    answered: took.length,
    refused: Object.values(refused).reduce((sum, n) => sum + n, 0),
    slowest: took.filter(({ ms }) => ms >= p99Ms),
    text:
      `${perS} prepares a second for ${tookS.toFixed(1)} s: ${took.length} answered, refused ` +
      `${JSON.stringify(refused)}, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, server at most ` +
      `${rssMb.toFixed(0)} MB`,
  }
}
