import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Environment = Record<string, string | undefined>

/** Settings that only the server may know. */
const OWN = [
  'SEAL_KEY',
  'SEAL_KEY_FILE',
  'AI_POOL_KEY',
  'AI_POOL_KEY_FILE',
  'VENDOR_KEYS',
  'VENDOR_KEYS_FILE',
]
/** The key that the devnet's stand-in of the AI gateway knows as the service's own. */
const DEVNET_POOL_KEY = 'pk-devnet-service'
/** The key that its stand-ins of aggregators know, for those of its profile that need one. */
const DEVNET_VENDOR_KEYS = 'uniswap=pk-devnet-vendor'

export const withoutServer = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.includes(name)))

/**
 * On a devnet the key that seals secrets in the store is created here and stored under DATA_DIR, and the AI
 * pool and the aggregators are enabled; on a real chain the operator sets them.
 */
export function serverEnvironment({
  dataDir,
  env,
}: {
  dataDir: string
  env: Environment
}): Record<string, string> {
  const devnetSecrets: Record<string, string> = {}
  if (!env['SEAL_KEY'] && !env['SEAL_KEY_FILE']) {
    const folder = join(dataDir, 'server')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, 'seal-key')
    try {
      writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    devnetSecrets['SEAL_KEY_FILE'] = file
  }
  if (!env['AI_POOL_KEY'] && !env['AI_POOL_KEY_FILE']) devnetSecrets['AI_POOL_KEY'] = DEVNET_POOL_KEY
  if (!env['VENDOR_KEYS'] && !env['VENDOR_KEYS_FILE']) devnetSecrets['VENDOR_KEYS'] = DEVNET_VENDOR_KEYS
  return devnetSecrets
}
