import { expect, it } from 'vitest'
import { createMetrics, serveMetrics } from './metrics.ts'

it('serves the metrics on their own port, and nothing else there', async () => {
  const metrics = createMetrics()
  metrics.request('auth.me', 200, 0.002)
  metrics.request('auth.me', 200, 60)
  metrics.request('auth.me', 429, 0.001)
  metrics.limiterRefused('key')
  metrics.limiterDegraded(true)
  metrics.watchLoad({ inFlight: () => 3, loopDelayMs: () => 1.5 })
  let ready = false
  const { port, close } = await serveMetrics(metrics, {
    port: 0,
    isOwnHost: () => true,
    isReady: () => ready,
    isServing: () => true,
  })
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(text).toContain('# TYPE pit_http_request_seconds histogram')
  expect(text).toContain('pit_http_request_seconds_bucket{le="0.001",route="auth.me",status="200"} 0')
  expect(text).toContain('pit_http_request_seconds_bucket{le="0.0025",route="auth.me",status="200"} 1')
  expect(text).toContain('pit_http_request_seconds_bucket{le="+Inf",route="auth.me",status="200"} 2')
  expect(text).toContain('pit_http_request_seconds_sum{route="auth.me",status="200"} 60.002')
  expect(text).toContain('pit_http_request_seconds_count{route="auth.me",status="200"} 2')
  expect(text).toContain('pit_rate_refusals_total{bucket="key"} 1')
  expect(text).toContain('pit_rate_degraded 1')
  expect(text).toContain('pit_http_in_flight 3')
  expect(text).toContain('process_resident_memory_bytes')
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${port}/live`)).status).toBe(200)
  expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(503)
  expect((await fetch(`http://127.0.0.1:${port}/serving`)).status).toBe(200)
  ready = true
  expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200)
  await close()
})
