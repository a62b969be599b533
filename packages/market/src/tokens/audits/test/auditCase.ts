import { type FieldPath, malformationsOf, startAnswering } from '@pit/platform/test/malformations'
import { isPitError } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Audited, createAuditReader } from '../../readAudit.ts'

export const TOKEN = '0x00000000000000000000000000000000000000ab'
const LISTED = '0x00000000000000000000000000000000000000cd'

/** Tests one audit provider: its opinions and every malformation of its responses. */
export function describeAudit(of: {
  kind: string
  asked: string
  good: object
  /** Fields whose change invalidates the response. */
  matter: readonly FieldPath[]
  opinions: readonly [what: string, answer: object, verdict: string, findings: string[], listed?: 'listed'][]
}): void {
  describe(of.kind, () => {
    let vendor: Awaited<ReturnType<typeof startAnswering>>
    beforeAll(async () => {
      vendor = await startAnswering()
    })
    afterAll(() => vendor.close())

    const read = async (
      how: Parameters<typeof vendor.willAnswer>[0],
      { timeoutMs = 5_000, listed = LISTED } = {},
    ): Promise<Audited | string> => {
      vendor.willAnswer(how)
      const reader = createAuditReader({
        profile: {
          core_tokens: [{ address: listed, native: false }],
          listed_stocks: [],
          vendors: { audit: { kind: of.kind, url: `${vendor.url}/` } },
        } as never,
        clock: { nowMs: () => 1_800_000_000_000 },
        logger: { warn() {} },
        timeoutMs,
      })
      return reader.read(TOKEN).catch((error) => (isPitError(error) ? error.code : String(error)))
    }

    it('sends the expected request', async () => {
      await read(of.good)
      expect(vendor.asked.at(-1)!.url).toBe(of.asked)
    })

    it.each(of.opinions)('reports %s', async (_, answer, verdict, findings, listed) => {
      const result = await read(answer, listed ? { listed: TOKEN } : {})
      if (typeof result === 'string') expect(result).toBe(verdict)
      else expect([result.audit.verdict, [...result.findings].sort()]).toEqual([verdict, findings.sort()])
    })

    const cases = malformationsOf(of.good, of.matter)
    it(`never verifies a token by a malformed response (${cases.length} cases)`, async () => {
      expect(cases.length).toBeGreaterThanOrEqual(50)
      for (const { name, answer } of cases) {
        const isSlow = name === 'never comes' || name === 'comes drop by drop'
        const result = await read(answer, isSlow ? { timeoutMs: 60 } : {})
        // A field marked as unknown leaves the token unverified; anything else is not a verdict.
        const isUnknown = /is (missing|empty text|an object|its own prototype)$/.test(name)
        if (isUnknown && typeof result !== 'string') expect(result.audit.verdict, name).toBe('unverified')
        else expect(result, name).toBe('AUDIT_UNAVAILABLE')
      }
    })
  })
}
