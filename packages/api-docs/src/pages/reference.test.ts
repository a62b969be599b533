import { ERRORS, ROUTE_IDS } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { referencePage } from './reference.ts'

const page = referencePage({ version: '0.1.0', serverUrl: 'http://127.0.0.1:4663' })

describe('referencePage', () => {
  it('has no scripts, loads nothing and closes its tags', () => {
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(/i)
    for (const tag of ['section', 'table', 'details', 'main', 'nav', 'h3', 'code']) {
      expect(page.split(`<${tag}`).length, tag).toBe(page.split(`</${tag}>`).length)
    }
  })

  it('has every route and code, and no broken link', () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    for (const id of ROUTE_IDS) expect(ids).toContain(id.replaceAll('.', '-'))
    for (const code of Object.keys(ERRORS)) expect(ids).toContain(code)
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
  })

  it('describes nullable fields, brain params and map values', () => {
    expect(page).toContain('<td>null when nothing came out</td>')
    expect(page).toMatch(/<code>params<\/code><\/td><td>AiParams or WebhookParams or DcaParams/)
    expect(page).toMatch(/<code>marks\.\*\.price_usd<\/code>/)
  })

  it('escapes markup', () => {
    expect(page).toContain('POST hosted/&lt;id&gt;/stop')
    expect(page).not.toContain('<address>')
  })
})
