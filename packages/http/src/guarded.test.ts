import { refusal } from '@pit/protocol'
import { afterEach, expect, it } from 'vitest'
import { GOOD_KEY } from '../test/edgeClient.ts'
import { openTestApp } from '../test/testApp.ts'
import type { EdgeCaller } from './caller.ts'
import type { RouteHandler } from './plan.ts'

let app: Awaited<ReturnType<typeof openTestApp>>
afterEach(() => app.close())

const ask = async (payload: string, headers: Record<string, string> = {}) => {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/v1/live/fast',
    headers: { authorization: `Bearer ${GOOD_KEY}`, 'content-type': 'application/json', ...headers },
    body: payload,
  })
  return { status: answer.status, error: answer.json<{ error: Record<string, unknown> }>().error }
}
const open = async (guard: Partial<RouteHandler<EdgeCaller>>) => {
  const handle = () => {
    throw new Error('nothing reaches the handler here')
  }
  app = await openTestApp({ handlers: { 'live.fast': { handle, ...guard } } })
}

it('lets a route reject before its body is read, but after the key', async () => {
  await open({
    admit() {
      throw refusal('FAST_DISABLED')
    },
  })
  expect(await ask('this is not JSON')).toMatchObject({ status: 403, error: { code: 'FAST_DISABLED' } })
  expect(await ask('{}', { authorization: 'Bearer nobody' })).toMatchObject({ status: 401 })
})

it('lets a route extend the edge’s refusals', async () => {
  await open({
    refused: (error) =>
      refusal(error.code, { ...error.extras, failures: [{ code: error.code, message: 'x' }] }),
  })
  expect(await ask('{}')).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', field: 'raw_tx', failures: [{ code: 'BAD_REQUEST' }] },
  })
})
