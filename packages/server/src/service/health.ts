import { withinMs } from '@pit/platform/clock'
import type { CapabilityJobs, Job } from '@pit/platform/jobs'

/**
 * A dependency of the service. `required`: without it the service is down; otherwise its loss is `degraded`.
 * A probe throws if the dependency is impaired.
 */
export interface Probe {
  name: string
  required: boolean
  check(): Promise<void> | void
}

export interface HealthReport {
  status: 'ok' | 'degraded' | 'down'
  checks: Record<string, 'ok' | 'impaired' | 'unknown'>
}

export interface Health {
  /** The latest report, without waiting. */
  report(): HealthReport
  /** Probes once now and returns the report. */
  refresh(): Promise<HealthReport>
  jobs: CapabilityJobs
}

interface HealthDeps {
  probes: Probe[]
  /** Called when a dependency changes, with the reason. */
  onChange?: (name: string, state: 'ok' | 'impaired', why: string) => void
  timeoutMs?: number
  /**
   * Rounds after the start in which a dependency that never answered is not reported: it may be starting too.
   */
  quietRounds?: number
}

const PROBE_EVERY_MS = 1_000
/** While no report was read for this long, probes are rare. */
const UNREAD_AFTER_MS = 30_000
const PROBE_UNREAD_EVERY_MS = 10_000

/** Probes run in the background, so that GET health responds at once however slow a dependency is. */
export function createHealth({ probes, onChange, timeoutMs = 2_000, quietRounds = 0 }: HealthDeps): Health {
  const states = new Map<string, 'ok' | 'impaired'>()
  const reportedStates = new Map<string, 'ok' | 'impaired'>()
  let rounds = 0
  let readAtMs = performance.now()
  let wake = () => {}
  const isRead = () => performance.now() - readAtMs < UNREAD_AFTER_MS

  async function probeOne({ name, check }: Probe): Promise<void> {
    let state: 'ok' | 'impaired' = 'ok'
    let why = ''
    try {
      await withinMs(
        timeoutMs,
        Promise.resolve(check()),
        () => new Error(`no response within ${timeoutMs} ms`),
      )
    } catch (error) {
      state = 'impaired'
      why = (error as Error).message
    }
    states.set(name, state)
    const isStarting = state === 'impaired' && !reportedStates.has(name) && rounds <= quietRounds
    if (reportedStates.get(name) === state || isStarting) return
    reportedStates.set(name, state)
    onChange?.(name, state, why)
  }

  function report(): HealthReport {
    const wasRead = isRead()
    readAtMs = performance.now()
    if (!wasRead) wake()
    return reportNow()
  }

  function reportNow(): HealthReport {
    const checks = Object.fromEntries(
      probes.map(({ name }) => [name, states.get(name) ?? ('unknown' as const)]),
    )
    const impaired = probes.filter(({ name }) => states.get(name) !== 'ok')
    if (impaired.some(({ required }) => required)) return { status: 'down', checks }
    return { status: impaired.length > 0 ? 'degraded' : 'ok', checks }
  }

  async function refresh(): Promise<HealthReport> {
    rounds++
    await Promise.all(probes.map(probeOne))
    return reportNow()
  }

  const probing: Job = {
    name: 'probe dependencies',
    intervalMs: () => (isRead() ? PROBE_EVERY_MS : PROBE_UNREAD_EVERY_MS),
    firstAfterMs: PROBE_EVERY_MS,
    wakeOn(wakeJob) {
      wake = wakeJob
      return () => {
        wake = () => {}
      }
    },
    run: refresh,
  }
  return { report, refresh, jobs: { everywhere: [probing], worker: [] } }
}
