import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { POLICY } from './policyRules.ts'

it('documents every rule of the policy, in its order', () => {
  const text = readFileSync(new URL('../../../../docs/reference/trading.md', import.meta.url), 'utf8')
  const section = text.slice(text.indexOf('\n## Policy'))
  const rows = [...section.matchAll(/^\| ([A-Z_]+) \|/gm)].map(([, code]) => code)
  expect(rows).toEqual(POLICY.map(({ code }) => code))
})
