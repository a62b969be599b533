import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { OperatorRefused } from './types.ts'

/** Maximum length of a socket path, with margin: the kernel allows 107 bytes, some only 103. */
const MAX_BYTES = 100

/** Socket of a server on this data directory for operator commands. */
export function adminSocketPath(dataDir: string): string {
  const beside = join(resolve(dataDir), 'admin.sock')
  if (Buffer.byteLength(beside) <= MAX_BYTES) return beside
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
  return join(tmpdir(), `pit-admin-${name}.sock`)
}

/** In a shared folder another user could impersonate the server. */
export function refuseForeign(path: string): void {
  if (dirname(path) !== resolve(tmpdir())) return
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats && stats.uid !== process.getuid?.())
    throw new OperatorRefused(`${path} belongs to another user: use a DATA_DIR with a shorter path`)
}
