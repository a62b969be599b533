import { VENDOR_REFUSALS } from '@pit/platform/http'
import { type FieldPath, malformationsOf, startAnswering } from '@pit/platform/test/malformations'
import type { ChainProfile } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AggregatorRequest, createAggregators } from '../../aggregators.ts'
import { createLabels } from '../../labels.ts'
import { crypto, ETH, profile, USDG } from '../../test/fakeWorld.ts'

const KEY = 'key-that-nobody-may-see'
/** Texts of refusals, including those with a status. */
const WORDS = [
  ...Object.values(VENDOR_REFUSALS),
  /^Access denied \(\d+\)\.$/,
  /^Responded with status \d+\.$/,
]
const isWords = (why: string) => WORDS.some((one) => (typeof one === 'string' ? one === why : one.test(why)))

/** Tests one aggregator: its request, its responses and every malformation of them. */
export function describeAggregator(of: {
  kind: string
  /** The request for 1,000 atoms of ETH, without the base URL. */
  request: { method?: string; url: string; headers?: Record<string, string>; body?: object }
  /** A valid response: 4,000 atoms of USDG for 200,000 gas. */
  good: object
  /** Fields whose change invalidates the response. */
  matter: readonly FieldPath[]
  /** Refusals in the vendor's own words. */
  refusals: readonly [what: string, status: number, body: object, why: keyof typeof VENDOR_REFUSALS][]
}): void {
  const request: AggregatorRequest = { tokenIn: ETH, tokenOut: USDG, swapIn: 1_000n, maxOut: 5_000n }

  describe(of.kind, () => {
    let vendor: Awaited<ReturnType<typeof startAnswering>>
    const logged: unknown[] = []
    beforeAll(async () => {
      vendor = await startAnswering()
    })
    afterAll(() => vendor.close())

    const open = (budgetMs = 5_000, url = vendor.url) => {
      const aggregators = { aggregator_1: { kind: of.kind, url } }
      return createAggregators({
        profile: { ...profile, vendors: { ...profile.vendors, aggregators } } as ChainProfile,
        crypto,
        clock: { nowMs: () => 1_800_000_000_000 },
        logger: { warn: (...line: unknown[]) => void logged.push(line) },
        vendorKeys: { [of.kind]: KEY },
        labels: createLabels(profile),
        budgetMs,
      })
    }
    const answered = async (how: Parameters<typeof vendor.willAnswer>[0], budgetMs?: number) => {
      vendor.willAnswer(how)
      const { routes, failed } = await open(budgetMs).quote(['aggregator_1'], request)
      return { routes, whys: failed.map(({ why }) => why) }
    }

    it('sends the expected request and uses the offer', async () => {
      const { routes, whys } = await answered(of.good)
      expect([routes.map(({ amountOut, gas }) => [amountOut, gas]), whys]).toEqual([[[4_000n, 200_000]], []])
      const { url, method, headers, body } = vendor.asked.at(-1)!
      expect([method, url]).toEqual([of.request.method ?? 'GET', of.request.url])
      const expectedHeaders = Object.entries(of.request.headers ?? {})
      expect(expectedHeaders.map(([name]) => [name, headers[name]])).toEqual(
        expectedHeaders.map(([name, value]) => [name, value.replace('KEY', KEY)]),
      )
      if (of.request.body) expect(JSON.parse(body)).toEqual(of.request.body)
    })

    it.each(of.refusals)('refuses a response with %s', async (_, status, body, why) => {
      const { routes, whys } = await answered((response) => {
        response.writeHead(status).end(JSON.stringify(body))
      })
      expect(routes).toEqual([])
      expect(whys[0]).toMatch(VENDOR_REFUSALS[why].replace(/\.$/, ''))
    })

    const cases = malformationsOf(of.good, of.matter)
    it(`handles ${cases.length} malformed responses`, async () => {
      expect(cases.length).toBeGreaterThanOrEqual(50)
      for (const { name, answer } of cases) {
        const isSlow = name === 'never comes' || name === 'comes drop by drop'
        const { routes, whys } = await answered(answer, isSlow ? 60 : 5_000)
        expect(routes, name).toEqual([])
        expect(whys.length, name).toBe(1)
        expect(isWords(whys[0]!), `${name}: ${whys[0]}`).toBe(true)
        expect(JSON.stringify([whys, logged]), name).not.toContain(KEY)
      }
    })
  })
}
