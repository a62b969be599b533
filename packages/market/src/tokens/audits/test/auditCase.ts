import { type FieldPath, malformationsOf, startAnswering } from '@pit/platform/test/malformations'
import { isPitError } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Audited, createAuditReader } from '../../readAudit.ts'

export const TOKEN = '0x00000000000000000000000000000000000000ab'
const LISTED = '0x00000000000000000000000000000000000000cd'

/** One audit provider by its public shape: what its answers mean, and every malformation of them. */
export function describeAudit(of: {
  kind: string
  asked: string
  good: object
  /** Fields whose change makes the answer another one or none. */
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

    it('is asked as it wants to be', async () => {
      await read(of.good)
      expect(vendor.asked.at(-1)!.url).toBe(of.asked)
    })

    it.each(of.opinions)('says of %s', async (_, answer, verdict, findings, listed) => {
      const said = await read(answer, listed ? { listed: TOKEN } : {})
      if (typeof said === 'string') expect(said).toBe(verdict)
      else expect([said.audit.verdict, [...said.findings].sort()]).toEqual([verdict, findings.sort()])
    })

    const cases = malformationsOf(of.good, of.matter)
    it(`never makes a token verified by a wrong answer: ${cases.length} ways`, async () => {
      expect(cases.length).toBeGreaterThanOrEqual(50)
      for (const { name, answer } of cases) {
        const isSlow = name === 'never comes' || name === 'comes drop by drop'
        const said = await read(answer, isSlow ? { timeoutMs: 60 } : {})
        // A field that says it is unknown leaves the token unverified; anything else is no verdict.
        const isUnknown = /is (missing|empty text|an object|its own prototype)$/.test(name)
        if (isUnknown && typeof said !== 'string') expect(said.audit.verdict, name).toBe('unverified')
        else expect(said, name).toBe('AUDIT_UNAVAILABLE')
      }
    })
  })
}
