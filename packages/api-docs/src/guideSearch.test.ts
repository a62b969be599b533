import { expect, it } from 'vitest'
import { type GuideSection, searchGuide } from './guideSearch.ts'

const section = (heading: string, text: string, page = 'Sessions'): GuideSection => ({
  page,
  heading,
  path: `/guide/x#${heading}`,
  text,
})
const SECTIONS = [
  section('Retries', 'A trade with the same client_id is resumed. '.repeat(20)),
  section('Revoke', 'Revoking a session ends it at the co-signer.'),
  section('Sessions', 'Grant, trade, revoke.', 'Overview'),
  section('CAP_PRICE', 'The co-signer knows no price.', 'Errors'),
]
const headings = (query: string) => searchGuide(SECTIONS, query).map(({ heading }) => heading)

it('ranks headings before text, and a whole heading first', () => {
  expect(headings('revoke')).toEqual(['Revoke', 'Sessions'])
  expect(headings('sessions')[0]).toBe('Sessions')
  expect(headings('cap_price')).toEqual(['CAP_PRICE'])
})

it('needs every word, in any order and case', () => {
  expect(headings('CO-SIGNER session')).toEqual(['Revoke'])
  expect(headings('co-signer client_id')).toEqual([])
  expect(headings('  ')).toEqual([])
})

it('shows the text around the first match', () => {
  const text = `${'before '.repeat(60)}needle${' after'.repeat(60)}`
  const [match] = searchGuide([section('Long', text)], 'needle')
  expect(match!.excerpt).toMatch(/^… before .*needle after.* …$/)
  expect(match!.excerpt.length).toBeLessThan(160)
  expect(searchGuide(SECTIONS, 'grant')[0]!.excerpt).toBe('Grant, trade, revoke.')
})
