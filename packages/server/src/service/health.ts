import { withinMs } from '@pit/platform/withinMs'

/**
 * What the service stands on. `required`: without it nothing can be served (down); else its loss is `degraded`.
 * A probe throws when the dependency is impaired.
 */
export interface Probe {
  name: string
  required: boolean
  check(): Promise<void> | void
}

export type HealthStatus = 'ok' | 'degraded' | 'down'
export interface HealthReport {
  status: HealthStatus
  checks: Record<string, 'ok' | 'impaired' | 'unknown'>
}

export interface Health {
  /** The latest report; never waits. */
  report(): HealthReport
  /** Probes once now and answers what it saw. */
  refresh(): Promise<HealthReport>
  stop(): void
}

interface HealthDeps {
  probes: Probe[]
  /** Told when a dependency changes, with why. */
  onChange?: (name: string, state: 'ok' | 'impaired', why: string) => void
  everyMs?: number
  boundMs?: number
}

/** Probes run in the background, so that GET health answers at once however slow a dependency is. */
export function watchHealth({ probes, onChange, everyMs = 1_000, boundMs = 2_000 }: HealthDeps): Health {
  const states = new Map<string, 'ok' | 'impaired'>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const probeOne = async ({ name, check }: Probe): Promise<void> => {
    let state: 'ok' | 'impaired' = 'ok'
    let why = ''
    try {
      await withinMs(boundMs, Promise.resolve(check()), () => new Error(`no answer in ${boundMs} ms`))
    } catch (error) {
      state = 'impaired'
      why = (error as Error).message
    }
    if (states.get(name) !== state) onChange?.(name, state, why)
    states.set(name, state)
  }

  const report = (): HealthReport => {
    const checks = Object.fromEntries(
      probes.map(({ name }) => [name, states.get(name) ?? ('unknown' as const)]),
    )
    const impaired = probes.filter(({ name }) => states.get(name) !== 'ok')
    const status = impaired.some(({ required }) => required)
      ? 'down'
      : impaired.length > 0
        ? 'degraded'
        : 'ok'
    return { status, checks }
  }
  const refresh = async (): Promise<HealthReport> => {
    await Promise.all(probes.map(probeOne))
    return report()
  }
  const loop = async (): Promise<void> => {
    await refresh()
    if (!stopped) timer = setTimeout(loop, everyMs)
  }
  timer = setTimeout(loop, everyMs)
  return {
    report,
    refresh,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
