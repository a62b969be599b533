import type { AuthDeps } from '@pit/auth/internal/deps'
import { createSignIn } from '@pit/auth/internal/openAuth'
import { createCrypto } from '@pit/chain'
import { WALLET } from '@pit/http/test/edgeClient'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp } from '../../test/testApp.ts'
import { authRoutes } from './auth.ts'

let app: Awaited<ReturnType<typeof openTestApp>>
beforeAll(async () => {
  // The format is checked before the store is queried, so the test passes none.
  const deps = {
    crypto: await createCrypto(),
    clock: { nowMs: () => 0 },
    isSanctioned: () => false,
    config: { authDomain: 'pit.example', publicUrl: 'https://pit.example' },
  } as unknown as AuthDeps
  app = await openTestApp({ handlers: authRoutes({ auth: createSignIn(deps), charge: async () => {} }) })
})
afterAll(() => app.close())

it.each([
  ['verify', `0x${'ab'.repeat(64)}`, 401, 'BAD_SIGNATURE'],
  ['verify', `0x${'ab'.repeat(500)}`, 401, 'BAD_SIGNATURE'],
  ['revoke-all', `0x${'ab'.repeat(2_048)}`, 401, 'BAD_SIGNATURE'],
  ['verify', `0x${'ab'.repeat(8_193)}`, 400, 'BAD_REQUEST'],
  ['verify', `0x${'a'.repeat(131)}`, 400, 'BAD_REQUEST'],
  ['verify', 'hello', 400, 'BAD_REQUEST'],
  ['verify', '0x12', 400, 'BAD_REQUEST'],
  ['revoke-all', '0x', 400, 'BAD_REQUEST'],
])('%s with %s is %s %s over HTTP', async (verb, signature, status, code) => {
  const answer = await app.inject({
    method: 'POST',
    url: `/api/v1/auth/${verb}`,
    headers: { 'x-forwarded-for': `10.9.${signature.length % 250}.1` },
    body: { address: WALLET, signature, nonce: 'n1' },
  })
  const { error } = answer.json<{ error: { code: string; field?: string; message: string } }>()
  expect([answer.status, error.code]).toEqual([status, code])
  if (code === 'BAD_SIGNATURE') expect(error.message).toContain('EIP-1271')
  else expect(error.field).toBe('signature')
})
