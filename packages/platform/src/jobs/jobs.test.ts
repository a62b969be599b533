import { Registry } from 'prom-client'
import { expect, it, vi } from 'vitest'
import { createManualClock } from '../../test/manualClock.ts'
import { createActivity } from './activity.ts'
import { type Job, runJobs } from './jobs.ts'
import type { Leases } from './leases.ts'

function open<const Name extends string>(table: readonly Job<Name>[], leases?: Leases) {
  const clock = createManualClock(5_000)
  const registry = new Registry()
  const logger = { warn: vi.fn(), info: vi.fn() }
  const jobs = runJobs({ clock, logger, metrics: { registry }, ...(leases && { leases }) }, table)
  const metricOf = async (name: string, labels: Record<string, string>) =>
    (await registry.getSingleMetric(name)!.get()).values.find((value) =>
      Object.entries(labels).every(([label, text]) => String(value.labels[label]) === text),
    )?.value
  return { clock, registry, logger, jobs, metricOf }
}

it('keeps every job going, and logs a failure once and its end', async () => {
  let broken = true
  const good = vi.fn(async () => {})
  const { clock, jobs, logger, metricOf } = open([
    { name: 'good', intervalMs: 1_000, run: good },
    {
      name: 'bad',
      intervalMs: 1_000,
      maxRetryMs: 1_000,
      run: async () => {
        if (broken) throw new Error('the node is silent')
      },
    },
  ])
  await clock.advance(3_500)
  expect(good).toHaveBeenCalledTimes(4)
  expect(logger.warn.mock.calls.map(([details]) => details.job)).toEqual(['bad'])
  expect(jobs.state()).toEqual([
    { name: 'good', status: 'ok', why: null, lastSuccessMs: 8_000 },
    { name: 'bad', status: 'failing', why: 'the node is silent', lastSuccessMs: null },
  ])
  broken = false
  await clock.advance(1_000)
  expect(logger.info.mock.calls).toEqual([[{ job: 'bad' }, expect.any(String)]])
  expect(jobs.state()[1]).toEqual({ name: 'bad', status: 'ok', why: null, lastSuccessMs: 9_000 })
  expect(await metricOf('pit_job_runs_total', { job: 'bad', outcome: 'failed' })).toBe(4)
  expect(await metricOf('pit_job_runs_total', { job: 'bad', outcome: 'ok' })).toBe(1)
  expect(await metricOf('pit_job_last_success_timestamp_seconds', { job: 'bad' })).toBe(9)
  await jobs.stop()
})

it('reports a run that does not end as late', async () => {
  const slow: Job<'slow'> = {
    name: 'slow',
    intervalMs: 100,
    lateAfterMs: 2_000,
    run: () => clock.sleep(3_000),
  }
  const { clock, jobs, metricOf } = open([slow])
  await clock.advance(1_000)
  expect(jobs.state()[0]?.status).toBe('ok')
  await clock.advance(1_500)
  expect(jobs.state()[0]?.status).toBe('late')
  await clock.advance(500)
  expect(await metricOf('pit_job_seconds', { job: 'slow', le: '10' })).toBe(1)
  const stopped = jobs.stop()
  await clock.advance(3_000)
  await stopped
})

it('wakes a job by name or by its event, until it is stopped', async () => {
  const listeners = new Set<() => void>()
  const run = vi.fn(async () => {})
  const { clock, jobs } = open([
    {
      name: 'woken',
      intervalMs: null,
      run,
      wakeOn(wake) {
        listeners.add(wake)
        return () => listeners.delete(wake)
      },
    },
  ])
  await clock.advance(60_000)
  expect(run).not.toHaveBeenCalled()
  for (const wake of listeners) wake()
  await clock.advance(0)
  jobs.wake('woken')
  await clock.advance(0)
  expect(run).toHaveBeenCalledTimes(2)
  expect(jobs.state()[0]?.status).toBe('ok')
  await jobs.stop()
  expect(listeners.size).toBe(0)
})

it('runs a leased job only in the process that holds the lease', async () => {
  let isFree = false
  const leases: Leases = {
    hold: async (_, signal, work) => {
      if (isFree) await work(signal)
      return isFree
    },
  }
  const run = vi.fn(async () => {})
  const { clock, jobs, metricOf } = open([{ name: 'once', intervalMs: 1_000, lease: true, run }], leases)
  await clock.advance(1_500)
  expect(run).not.toHaveBeenCalled()
  expect(jobs.state()[0]).toMatchObject({ status: 'ok', lastSuccessMs: null })
  isFree = true
  await clock.advance(1_000)
  expect(run).toHaveBeenCalledTimes(1)
  expect(await metricOf('pit_job_runs_total', { job: 'once', outcome: 'skipped' })).toBe(2)
  await jobs.stop()
})

it('rejects an invalid table', () => {
  const job = { name: 'a', intervalMs: 1, run: async () => {} }
  expect(() => open([job, job])).toThrow('same name')
  expect(() => open([{ ...job, lease: true }])).toThrow('needs leases')
})

it('slows a job down while the process is idle, and wakes it at the next use', async () => {
  const clock = createManualClock(5_000)
  const activity = createActivity(clock)
  const run = vi.fn(async () => {})
  const logger = { warn: vi.fn(), info: vi.fn() }
  const jobs = runJobs({ clock, logger, activity, metrics: { registry: new Registry() } }, [
    { name: 'slow at rest', intervalMs: 1_000, idleMs: 20_000, run },
  ])
  await clock.advance(59_500)
  expect(run).toHaveBeenCalledTimes(60)
  // The pause that began last was still short.
  await clock.advance(500)
  expect(run).toHaveBeenCalledTimes(61)
  await clock.advance(19_000)
  expect(run).toHaveBeenCalledTimes(61)
  activity.note()
  await clock.advance(0)
  expect(run).toHaveBeenCalledTimes(62)
  await clock.advance(1_000)
  expect(run).toHaveBeenCalledTimes(63)
  expect(jobs.state()[0]?.status).toBe('ok')
  await jobs.stop()
})

it('retries a failing job at its own pace while the process is idle', async () => {
  const clock = createManualClock(5_000)
  const activity = createActivity(clock)
  let isBroken = false
  const run = vi.fn(async () => {
    if (isBroken) throw new Error('the node is silent')
  })
  const logger = { warn: vi.fn(), info: vi.fn() }
  const jobs = runJobs({ clock, logger, activity, metrics: { registry: new Registry() } }, [
    { name: 'failing at rest', intervalMs: 1_000, idleMs: 20_000, maxRetryMs: 1_000, run },
  ])
  await clock.advance(61_000)
  isBroken = true
  await clock.advance(20_000)
  run.mockClear()
  await clock.advance(3_000)
  expect(run).toHaveBeenCalledTimes(3)
  await jobs.stop()
})
