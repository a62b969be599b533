import { StartRefused } from '@pit/platform/checkChain'
import { type DoctorDeps, examine, type Finding, losesMoney } from '@pit/platform/doctor'
import type { CapabilityJobs } from '@pit/platform/jobs'
import type { Logger } from '@pit/platform/logger'

const AGAIN_AFTER_MS = 10_000

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
  const told = new Set<string>()

  async function look(): Promise<void> {
    const findings = await examine(deps)
    for (const one of findings) tell(one)
    const lost = losesMoney(findings)
    if (lost.length > 0) throw new StartRefused(refusalOf(profile.name, lost))
    isDone = findings.every(({ verdict }) => verdict !== 'unknown')
  }

  function tell({ check, verdict, found, remedy }: Finding): void {
    const line = `${check}: ${found}`
    if (verdict === 'ok' || told.has(line)) return
    told.add(line)
    logger.warn({ check, verdict, found, remedy }, 'the chain or its profile is not as it should be')
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
