import { describe, expect, it } from 'vitest'
import { createHosts } from './hosts.ts'

describe('createHosts', () => {
  const answersFor = createHosts({ publicUrl: 'https://api.pit.example', allowedHosts: ['pit.internal'] })
  it.each([
    'api.pit.example',
    'API.pit.example:443',
    'localhost:4663',
    '127.0.0.1',
    '[::1]:80',
    'pit.internal',
    'localhost.',
  ])('answers for %s', (host) => expect(answersFor(host)).toBe(true))
  it.each([
    undefined,
    '',
    'evil.example',
    'api.pit.example.evil',
    'a@localhost',
    'localhost/',
    'localhost:99999999',
    'x'.repeat(300),
  ])('refuses %s', (host) => expect(answersFor(host)).toBe(false))
  it('answers any well-formed host under *', () => {
    const any = createHosts({ publicUrl: 'http://localhost', allowedHosts: ['*'] })
    expect([any('x.example'), any('bad host'), any(undefined)]).toEqual([true, false, false])
  })
})
