import { GOOD_KEY } from '@pit/http/test/edgeClient'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestApp } from '../../test/testApp.ts'

type App = Awaited<ReturnType<typeof openTestApp>>

const AGENT = {
  brain: 'dca',
  params: {},
  interval_s: 60,
  pairs: ['ETH/USDG'],
  limits: { max_trade_usd: 1, max_day_usd: 1, max_position_usd: 1 },
}

describe('hosted routes at the edge', () => {
  let app: App
  afterEach(() => app.close())
  const post = async (path: string, body?: object) => {
    const answer = await app.inject({
      method: 'POST',
      url: `/api/v1/${path}`,
      headers: { authorization: `Bearer ${GOOD_KEY}` },
      ...(body && { body }),
    })
    const { error, ...rest } = answer.json<{ error?: { code: string; field: string } }>()
    return { status: answer.status, said: error ? `${error.code} ${error.field}` : rest }
  }

  it('accept line breaks in a strategy, and nowhere else', async () => {
    app = await openTestApp()
    const strategy = 'Buy dips.\n\tSell rips.'
    const made = await post('hosted', { ...AGENT, params: { strategy } })
    expect(made).toMatchObject({ status: 201, said: { body: { params: { strategy } } } })
    expect(await post('hosted/agt_1/update', { params: { strategy } })).toMatchObject({ status: 200 })
    expect(await post('hosted', { ...AGENT, name: 'a\nb' })).toEqual({
      status: 400,
      said: 'BAD_REQUEST name',
    })
    expect(await post('hosted', { ...AGENT, params: { url: 'a\nb' } })).toMatchObject({
      said: 'BAD_REQUEST params.url',
    })
    expect(await post('live/quote', { params: { strategy } })).toMatchObject({
      said: 'BAD_REQUEST params.strategy',
    })
  })

  it('reject every unknown field', async () => {
    app = await openTestApp()
    expect(await post('hosted', { ...AGENT, live: true })).toMatchObject({ said: 'UNKNOWN_FIELD live' })
    const limits = { ...AGENT.limits, max_week_usd: 1 }
    expect(await post('hosted', { ...AGENT, limits })).toMatchObject({
      said: 'UNKNOWN_FIELD limits.max_week_usd',
    })
    expect(await post('hosted/agt_1/update', { mode: 'live' })).toMatchObject({ said: 'UNKNOWN_FIELD mode' })
    expect(await post('hosted/agt_1/pause', { why: 1 })).toMatchObject({ said: 'UNKNOWN_FIELD why' })
    expect(await post('hosted/agt_1/pause')).toMatchObject({ status: 200 })
    expect(await post('hosted/agt_1/refund-gas', { to: '0x' })).toMatchObject({ said: 'UNKNOWN_FIELD to' })
  })

  it('let the key of a sanctioned wallet end its agents, and nothing else', async () => {
    app = await openTestApp({ sanctions: { isSanctioned: () => true } })
    for (const act of ['pause', 'stop', 'delete']) {
      expect(await post(`hosted/agt_1/${act}`)).toMatchObject({ status: 200 })
    }
    for (const act of ['resume', 'rotate-executor', 'refund-gas', 'rotate-webhook-secret']) {
      expect(await post(`hosted/agt_1/${act}`)).toMatchObject({ status: 451, said: 'SANCTIONED wallet' })
    }
    expect(await post('hosted', AGENT)).toMatchObject({ status: 451 })
  })
})
