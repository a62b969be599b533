import { describe, expect, it } from 'vitest'
import { createRouter } from './router.ts'

describe('createRouter', () => {
  const router = createRouter<string>()
  router.add('GET', '/api/v1/hosted', 'list')
  router.add('POST', '/api/v1/hosted', 'create')
  router.add('GET', '/api/v1/hosted/ai', 'ai')
  router.add('GET', '/api/v1/hosted/:id', 'one')
  router.add('POST', '/api/v1/hosted/:id/stop', 'stop')
  router.add('POST', '/api/v1/hosted/:id/stock-attestation/revoke', 'revoke')

  it.each([
    ['GET', '/api/v1/hosted', 'list', {}],
    ['HEAD', '/api/v1/hosted', 'list', {}],
    ['POST', '/api/v1/hosted', 'create', {}],
    ['GET', '/api/v1/hosted/ai', 'ai', {}],
    ['GET', '/api/v1/hosted/aix', 'one', { id: 'aix' }],
    ['GET', '/api/v1/hosted/a%2Fb', 'one', { id: 'a/b' }],
    ['GET', '/api/v1/%68osted', 'list', {}],
    ['POST', '/api/v1/hosted/ai/stop', 'stop', { id: 'ai' }],
    ['POST', '/api/v1/hosted/7/stock-attestation/revoke', 'revoke', { id: '7' }],
  ])('%s %s', (method, path, target, params) => {
    expect(router.find(method, path)).toEqual({ kind: 'found', target, params })
  })

  it.each([
    '/',
    '/api/v1',
    '/api/v1/hosted/',
    '/api/v1/hosted//stop',
    '/api/v1/hosted/1/stop/2',
    '/API/v1/hosted',
    '*',
    '',
  ])('does not match %s', (path) => {
    expect(router.find('GET', path)).toEqual({ kind: 'none' })
  })

  it('lists the methods of a path', () => {
    expect(router.find('DELETE', '/api/v1/hosted')).toEqual({
      kind: 'other method',
      allow: 'GET, HEAD, POST',
    })
    expect(router.find('POST', '/api/v1/hosted/ai')).toEqual({ kind: 'other method', allow: 'GET, HEAD' })
  })

  it.each(['/api/v1/hosted/%', '/api/v1/hosted/%zz', '/api/v1/hosted/%c3%28'])('refuses %s', (path) => {
    expect(() => router.find('GET', path)).toThrow('percent-encoding')
  })
})
