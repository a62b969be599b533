import { type DoctorDeps, examine, type Finding, losesMoney } from '@pit/doctor'
import type { CapabilityJobs } from '@pit/platform/jobs'
import type { Logger } from '@pit/platform/monitoring'
import { StartRefused } from '@pit/platform/settings'

const AGAIN_AFTER_MS = 10_000
const MAX_LOOKS = 3
/** Check that is present only if the node answers. */
const ANSWERED = 'chain id'

export interface ChainExamination {
  /**
   * Throws on findings that keep the server from starting. An unreachable chain passes and is checked again.
   */
  settled(): Promise<void>
  jobs: CapabilityJobs
}

/** Starts at once, in parallel to opening the rest; each finding is logged once. */
export function examineChain(
  deps: DoctorDeps & { logger: Pick<Logger, 'info' | 'warn' | 'error'> },
): ChainExamination {
  const { logger, profile } = deps
  let isDone = false
  let answeredLooks = 0
  let unread = ''
  const loggedLines = new Set<string>()

  async function look(): Promise<void> {
    const findings = await examine(deps)
    for (const one of findings) tell(one)
    tellUnread(findings)
    const lost = losesMoney(findings)
    if (lost.length > 0) throw new StartRefused(refusalOf(profile.name, lost))
    if (findings.some(({ check }) => check === ANSWERED)) answeredLooks++
    const isWhole = findings.every(({ verdict }) => verdict !== 'unknown')
    // Give up on facts the node never reports.
    isDone = isWhole || answeredLooks >= MAX_LOOKS
  }

  function tell({ check, verdict, found, remedy }: Finding): void {
    const line = `${check}: ${found}`
    if (verdict === 'ok' || verdict === 'unknown' || loggedLines.has(line)) return
    loggedLines.add(line)
    logger.warn({ check, verdict, found, remedy }, 'chain check found a problem')
  }

  /** One line for all: an unreachable node leaves every check open. */
  function tellUnread(findings: readonly Finding[]): void {
    const missing = findings.flatMap(({ check, verdict }) => (verdict === 'unknown' ? [check] : []))
    if (missing.length === 0 || missing.join() === unread) return
    unread = missing.join()
    logger.warn({ missing }, 'chain check incomplete: no answer from the node')
  }

  const first = look()
  // Awaited once everything else is open.
  first.catch(() => undefined)
  return {
    settled: () => first,
    jobs: {
      everywhere: [
        {
          name: 'examine chain',
          intervalMs: AGAIN_AFTER_MS,
          firstAfterMs: AGAIN_AFTER_MS,
          run: async () => {
            if (!isDone) await look()
          },
        },
      ],
      worker: [],
    },
  }
}

const refusalOf = (profile: string, lost: readonly Finding[]): string =>
  [
    `profile ${profile} does not match its chain and could lose money (pit doctor --chain shows all checks):`,
    ...lost.map(({ check, found, remedy }) => `  ${check}: ${found}. ${remedy}`),
  ].join('\n')
