import { StartRefused } from '@pit/platform/checkChain'
import { type DoctorDeps, examine, type Finding, losesMoney } from '@pit/platform/doctor'
import type { CapabilityJobs } from '@pit/platform/jobs'
import type { Logger } from '@pit/platform/logger'

const AGAIN_AFTER_MS = 10_000
const MAX_LOOKS = 3
/** The finding of a node that answers. */
const ANSWERED = 'chain id'

export interface ChainExamination {
  /** Throws what no server may start with. A chain that does not answer is let pass, and asked again. */
  settled(): Promise<void>
  jobs: CapabilityJobs
}

/** Begins at once, beside whatever opens meanwhile; what it finds is told once. */
export function examineChain(
  deps: DoctorDeps & { logger: Pick<Logger, 'info' | 'warn' | 'error'> },
): ChainExamination {
  const { logger, profile } = deps
  let isDone = false
  let answeredLooks = 0
  let unread = ''
  const told = new Set<string>()

  async function look(): Promise<void> {
    const findings = await examine(deps)
    for (const one of findings) tell(one)
    tellUnread(findings)
    const lost = losesMoney(findings)
    if (lost.length > 0) throw new StartRefused(refusalOf(profile.name, lost))
    if (findings.some(({ check }) => check === ANSWERED)) answeredLooks++
    const isWhole = findings.every(({ verdict }) => verdict !== 'unknown')
    // What a node never says is not asked for ever.
    isDone = isWhole || answeredLooks >= MAX_LOOKS
  }

  function tell({ check, verdict, found, remedy }: Finding): void {
    const line = `${check}: ${found}`
    if (verdict === 'ok' || verdict === 'unknown' || told.has(line)) return
    told.add(line)
    logger.warn({ check, verdict, found, remedy }, 'the chain or its profile is not as it should be')
  }

  /** One line for all of them: a node that is away says nothing to any. */
  function tellUnread(findings: readonly Finding[]): void {
    const missing = findings.flatMap(({ check, verdict }) => (verdict === 'unknown' ? [check] : []))
    if (missing.length === 0 || missing.join() === unread) return
    unread = missing.join()
    logger.warn({ missing }, 'the chain could not be examined whole: the node does not say')
  }

  const first = look()
  // It is awaited once everything else is open.
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
    `profile ${profile} does not fit its chain, and would lose money (pit doctor --chain shows all):`,
    ...lost.map(({ check, found, remedy }) => `  ${check}: ${found}. ${remedy}`),
  ].join('\n')
