import type { Logger } from '@pit/platform/logger'
import { LEAGUE } from './league.ts'
import { openOperator } from './openOperator.ts'
import { serveAdmin } from './serveAdmin.ts'
import { adminSocketPath } from './socketPath.ts'
import type { OperatorDeps } from './types.ts'

/** The operator's face of this server, on a socket in its data directory. A server runs without one if it must. */
export async function openAdmin({
  dataDir,
  logger,
  ...deps
}: Omit<OperatorDeps, 'league'> & {
  dataDir: string
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
}): Promise<{
  close(): Promise<void>
}> {
  const path = adminSocketPath(dataDir)
  try {
    const served = await serveAdmin({ operator: openOperator({ ...deps, league: LEAGUE }), path, logger })
    if (served) return served
    logger.info({ path }, 'another server on this data directory takes the operator’s commands')
  } catch (error) {
    logger.warn(
      { err: error, path },
      'the operator’s socket cannot be opened: use DATABASE_URL, or stop first',
    )
  }
  return { close: async () => {} }
}
